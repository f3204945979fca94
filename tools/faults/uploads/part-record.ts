import type { ServerResponse } from 'node:http'
import type { Exchange, Rule } from '@reelkeep/testkit'

/** One attempt to send one part of a file to storage. */
export type PartAttempt = {
  readonly number: number
  readonly bytes: number
  /** Bytes received from the sender, whether they reached storage or not. */
  sentBytes: number
  /** Whether storage has confirmed the part. */
  isStored: boolean
  /** Number of the cut that interrupted the attempt, counted from 1; undefined if there was none. */
  lostByCut: number | undefined
}

/** Records the parts sent through a proxy to storage, because failed attempts are visible only in the proxy. */
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
