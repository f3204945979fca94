/** Counts what a page sends to storage, in a proxy in front of it. */
import type { ServerResponse } from 'node:http'
import type { Exchange, Rule } from '@reelkeep/testkit'

type Attempt = {
  /** The file in storage. The key of a form is known when its fields have arrived. */
  key: string
  /** Number of the part; 0 for the form, which has the whole file. */
  readonly part: number
  readonly bytes: number
  sentBytes: number
  isInterrupted: boolean
}

/** The fields of a form are before the file. */
const FIELDS_BYTES_MAX = 16_384

const keyIn = (fields: string) => /name="key"\r\n\r\n(.*)\r\n/.exec(fields)?.[1]

export class SentParts {
  readonly #attempts: Attempt[] = []
  readonly #open = new Map<Attempt, ServerResponse>()
  /** Called when bytes arrive. */
  onSent: () => void = () => {}
  sentBytes = 0
  /** The most parts of one file that one interruption has hit. */
  partsHitMax = 0

  readonly rule: Rule<Exchange> = {
    match: ({ method, path }) => (method === 'PUT' && path.includes('partNumber=')) || method === 'POST',
    action: (exchange) => this.#record(exchange),
  }

  /** Marks what is in flight. Call it immediately before an interruption. */
  interrupt(): void {
    const hits = new Map<string, number>()
    for (const [attempt, response] of this.#open) {
      if (response.headersSent || attempt.isInterrupted) continue
      attempt.isInterrupted = true
      hits.set(attempt.key, (hits.get(attempt.key) ?? 0) + 1)
    }
    this.partsHitMax = Math.max(this.partsHitMax, ...hits.values())
  }

  /** Parts that were sent more than once, and those that an interruption explains. */
  result() {
    const attempts = Map.groupBy(this.#attempts, ({ key, part }) => `${key} ${part}`)
    const repeated = [...attempts.values()].reduce((sum, { length }) => sum + length - 1, 0)
    const interrupted = this.#attempts.filter((attempt) => attempt.isInterrupted)
    return {
      attempts: this.#attempts.length,
      repeated,
      interrupted: interrupted.length,
      /** Bytes of interrupted attempts, which were sent in vain unless storage had received all of them. */
      interruptedBytes: interrupted.reduce((sum, { sentBytes }) => sum + sentBytes, 0),
    }
  }

  #record({ method, path, headers, request, response, forward }: Exchange): void {
    const url = new URL(path, 'http://storage')
    const attempt: Attempt = {
      key: method === 'POST' ? `form ${this.#attempts.length}` : url.pathname,
      part: Number(url.searchParams.get('partNumber') ?? 0),
      bytes: Number(headers['content-length']),
      sentBytes: 0,
      isInterrupted: false,
    }
    this.#attempts.push(attempt)
    this.#open.set(attempt, response)
    let fields = ''
    request.on('data', (chunk: Buffer) => {
      if (method === 'POST' && attempt.sentBytes < FIELDS_BYTES_MAX) {
        fields += chunk.toString('latin1')
        attempt.key = keyIn(fields) ?? attempt.key
      }
      attempt.sentBytes += chunk.length
      this.sentBytes += chunk.length
      this.onSent()
    })
    response.on('close', () => this.#open.delete(attempt))
    forward()
  }
}
