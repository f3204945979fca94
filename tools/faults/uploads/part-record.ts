import type { ServerResponse } from 'node:http'
import type { Exchange, Rule } from '@reelkeep/testkit'

/** One attempt to send one part of a file to storage. */
export type PartAttempt = {
  readonly number: number
  readonly bytes: number
  /** Bytes received from the sender, whether they reached storage or not. */
  sentBytes: number
  /** Storage has confirmed the part. */
  isStored: boolean
  /** The cut during which it was lost, counted from 1; undefined if by none. */
  lostByCut: number | undefined
}

/** Records the parts that pass a proxy to storage: only there are failed attempts visible. */
export class PartRecorder {
  readonly attempts: PartAttempt[] = []
  /** Called when bytes have been received from the sender. */
  onSent: () => void = () => {}
  readonly #open = new Map<PartAttempt, ServerResponse>()
  #cuts = 0

  readonly rule: Rule<Exchange> = {
    match: ({ method, path }) => method === 'PUT' && path.includes('partNumber='),
    action: (exchange) => this.#record(exchange),
  }

  /** Marks the parts in transfer as lost. */
  recordCut(): void {
    this.#cuts++
    for (const [attempt, response] of this.#open) if (!response.headersSent) attempt.lostByCut = this.#cuts
  }

  #record({ path, headers, request, response, forward }: Exchange): void {
    const attempt: PartAttempt = {
      number: Number(/partNumber=(\d+)/.exec(path)?.[1]),
      bytes: Number(headers['content-length']),
      sentBytes: 0,
      isStored: false,
      lostByCut: undefined,
    }
    this.attempts.push(attempt)
    this.#open.set(attempt, response)
    request.on('data', (chunk: Buffer) => {
      attempt.sentBytes += chunk.length
      this.onSent()
    })
    response.on('close', () => {
      this.#open.delete(attempt)
      attempt.isStored = response.headersSent && response.statusCode === 200
    })
    forward()
  }
}
