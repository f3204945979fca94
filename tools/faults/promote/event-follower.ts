/** A client of the event stream. It reconnects after the last received event, and after a 410 where the error says. */
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiProcess, Caller } from '@reelkeep/testkit'

const PAUSE_MILLISECONDS = 100
const CATCH_UP_SECONDS_MAX = 60

export class EventFollower {
  /** UUIDs in the events that were received. */
  readonly seen = new Set<string>()
  /** How often the stream was started again because events were lost. */
  restarts = 0
  readonly #url: string
  readonly #authorization: string
  readonly #stopping = new AbortController()
  readonly #running: Promise<void>
  #last = 0

  constructor(api: ApiProcess, { organizationId, token }: Caller) {
    this.#url = `${api.baseUrl}/api/v1/${organizationId}/events/stream/`
    this.#authorization = `token ${token}`
    this.#running = this.#follow()
  }

  /** Waits until all of these were received, or the time limit passes. Resolves with those that were not. */
  async stop(expected: ReadonlySet<string>): Promise<string[]> {
    const deadline = performance.now() + CATCH_UP_SECONDS_MAX * 1000
    while (!expected.isSubsetOf(this.seen) && performance.now() < deadline) await sleep(PAUSE_MILLISECONDS)
    this.#stopping.abort()
    await this.#running
    return [...expected.difference(this.seen)]
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      // The server ends the stream during a failover.
      await this.#connect().catch(() => undefined)
      await sleep(PAUSE_MILLISECONDS, undefined, { signal }).catch(() => undefined)
    }
  }

  async #connect(): Promise<void> {
    const headers = { authorization: this.#authorization, 'last-event-id': String(this.#last) }
    const { status, body } = await fetch(this.#url, { headers, signal: this.#stopping.signal })
    if (!body) return
    if (status === 410) {
      this.restarts++
      this.#last = Number(/after=(\d+)/.exec(await text(body))?.[1])
    } else if (status === 200) await this.#read(body)
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    let rest = ''
    for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
      const blocks = (rest + chunk).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) this.#receive(block)
    }
  }

  #receive(block: string): void {
    const [, number] = /^id: ?(\d+)$/m.exec(block) ?? []
    const [, data] = /^data: ?(.*)$/m.exec(block) ?? []
    if (number === undefined || data === undefined) return
    this.#last = Number(number)
    const { uuid } = (JSON.parse(data) as { data: { uuid?: string } }).data
    if (uuid) this.seen.add(uuid)
  }
}
