/**
 * Events of one organization, for all tabs of the browser. Browsers allow six connections per host, so only one tab
 * streams; it passes the events on to the others. When it closes, another tab takes over and continues after the last
 * event, of which all tabs know the number.
 */
import type { ProgressEvent, Reelkeep, ReelkeepEvent } from 'reelkeep'

export type FeedEvent = ReelkeepEvent | ProgressEvent
/** `lost` while no tab is connected. After `live`, events may have been missed: read the data again. */
export type FeedState = 'connecting' | 'live' | 'lost'

type Message =
  | { readonly event: FeedEvent }
  | { readonly state: FeedState; readonly lastNumber: number | undefined }
  | { readonly asksForState: true }
type Listener = (event: FeedEvent) => void

/** Time until the next attempt after the service refused the stream, or after an hour without a connection. */
const RETRY_MILLISECONDS = 5000

export class EventFeed {
  readonly #client: Reelkeep
  readonly #onRefused: () => void
  readonly #channel: InstanceType<typeof BroadcastChannel>
  readonly #end = new AbortController()
  readonly #listeners = new Set<Listener>()
  readonly #stateListeners = new Set<() => void>()
  #isStreaming = false
  #state: FeedState = 'connecting'
  /** Number of the last event. Undefined before the first connection, and after the service refused the stream. */
  #lastNumber: number | undefined

  /** `onRefused` is called if the service refuses the stream, for example because the session has ended. */
  constructor(client: Reelkeep, organization: string, onRefused: () => void) {
    this.#client = client
    this.#onRefused = onRefused
    const name = `reelkeep.events.${organization}`
    this.#channel = new BroadcastChannel(name)
    this.#channel.onmessage = ({ data }: { readonly data: unknown }) => this.#receive(data as Message)
    this.#send({ asksForState: true })
    navigator.locks
      .request(name, { signal: this.#end.signal }, () => this.#stream())
      .catch((error: unknown) => {
        if (!this.#end.signal.aborted) throw error
      })
  }

  get state(): FeedState {
    return this.#state
  }

  /** Returns a function that ends the subscription. */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  subscribeState(listener: () => void): () => void {
    this.#stateListeners.add(listener)
    return () => this.#stateListeners.delete(listener)
  }

  close(): void {
    this.#end.abort()
    this.#channel.close()
  }

  async #stream(): Promise<void> {
    this.#isStreaming = true
    const { signal } = this.#end
    const states = {
      onOpen: (after: number | undefined) => this.#publishState('live', after),
      onLost: () => this.#publishState('lost', this.#lastNumber),
    }
    while (!signal.aborted) {
      try {
        const query = this.#lastNumber === undefined ? {} : { after: this.#lastNumber }
        for await (const event of this.#client.events.stream(query, { signal, ...states })) {
          this.#send({ event })
          this.#notify(event)
        }
      } catch {
        if (signal.aborted) return
        // The event may no longer be in the log. The data is read again, so new events are enough.
        this.#publishState('lost', undefined)
        this.#onRefused()
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_MILLISECONDS))
    }
  }

  #receive(message: Message): void {
    if ('event' in message) this.#notify(message.event)
    else if ('state' in message) this.#setState(message.state, message.lastNumber)
    else if (this.#isStreaming) this.#send({ state: this.#state, lastNumber: this.#lastNumber })
  }

  #publishState(state: FeedState, lastNumber: number | undefined): void {
    this.#send({ state, lastNumber })
    this.#setState(state, lastNumber)
  }

  #setState(state: FeedState, lastNumber: number | undefined): void {
    this.#state = state
    this.#lastNumber = lastNumber === undefined ? undefined : Math.max(lastNumber, this.#lastNumber ?? 0)
    for (const listener of this.#stateListeners) listener()
  }

  /** Ignores an event that comes again from the tab that took over. */
  #notify(event: FeedEvent): void {
    if (event.type !== 'asset.progress') {
      if (event.number <= (this.#lastNumber ?? 0)) return
      this.#lastNumber = event.number
    }
    for (const listener of this.#listeners) listener(event)
  }

  #send(message: Message): void {
    if (!this.#end.signal.aborted) this.#channel.postMessage(message)
  }
}
