/**
 * One client's stream. When it is woken, it reads the log after the last number that it sent, so
 * missed or extra wake-ups do no harm.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { DomainError } from '../../kernel/errors.ts'
import type { AssetId } from '../../kernel/ids.ts'
import type { Limits } from '../../kernel/limits.ts'
import type { EventFilter } from '../events/events.ts'
import type { LogReader } from './log-reader.ts'
import { heartbeat, opening, wantsProgress } from './stream-text.ts'

/** Pause between two reads of the log, to batch events. */
const PAUSE_MILLISECONDS = 50

/** Pause before retrying a failed read. */
const FAILURE_PAUSE_MILLISECONDS = 500

/** Maximum number of assets whose progress is buffered for a slow client. */
const PROGRESS_WAITING_MAX = 1000

/** Time for the client to read the rest after the stream has ended. */
const DRAIN_SECONDS = 2

export type EventStreamOptions = {
  readonly log: LogReader
  readonly filter: EventFilter
  /** Limits of the principal. */
  readonly limits: Limits | undefined
  /** Number of the last event that the client has seen. */
  readonly after: number
  readonly onFailure: (error: unknown) => void
  readonly disconnect: () => void
}

export class EventStream {
  readonly #options: EventStreamOptions
  #after: number
  #isOver = false
  #mayHaveEvents = true
  #isBeatDue = false
  #pausedUntilMs = 0
  /** Latest progress text of each asset. */
  readonly #progress = new Map<AssetId, string>()
  #wakeUp: (() => void) | undefined

  constructor(options: EventStreamOptions) {
    this.#options = options
    this.#after = options.after
  }

  /** Called when the log may have new events. */
  wake(): void {
    this.#mayHaveEvents = true
    this.#wakeUp?.()
  }

  /** Makes the stream send a heartbeat. */
  beat(): void {
    this.#isBeatDue = true
    this.#wakeUp?.()
  }

  wantsProgress(of: AssetId): boolean {
    return wantsProgress(this.#options.filter, of)
  }

  sendProgress(of: AssetId, text: string): void {
    if (this.#progress.size < PROGRESS_WAITING_MAX || this.#progress.has(of)) {
      this.#progress.set(of, text)
    }
    this.#wakeUp?.()
  }

  end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#wakeUp?.()
    setTimeout(this.#options.disconnect, DRAIN_SECONDS * 1000).unref()
  }

  /** The text of the stream, produced as fast as the client reads. */
  async *chunks(): AsyncGenerator<string> {
    yield opening(this.#after)
    while (!this.#isOver) {
      const chunk = this.#takeUnlogged() + (this.#mayHaveEvents ? await this.#readLog() : '')
      if (chunk !== '') yield chunk
      else if (!this.#hasWork) await this.#sleep()
    }
  }

  get #hasWork(): boolean {
    return this.#isOver || this.#mayHaveEvents || this.#isBeatDue || this.#progress.size > 0
  }

  #sleep(): Promise<void> {
    return new Promise((resolve) => {
      this.#wakeUp = resolve
    })
  }

  /** Returns pending progress and heartbeats, which are not in the log. */
  #takeUnlogged(): string {
    const texts = [...this.#progress.values()]
    this.#progress.clear()
    if (this.#isBeatDue) texts.push(heartbeat(this.#after))
    this.#isBeatDue = false
    return texts.join('')
  }

  async #readLog(): Promise<string> {
    const pauseMilliseconds = this.#pausedUntilMs - performance.now()
    if (pauseMilliseconds > 0) await sleep(pauseMilliseconds)
    this.#mayHaveEvents = false
    try {
      const { log, filter, limits } = this.#options
      const { text, after, hasMore } = await log.read({ ...filter, limits, after: this.#after })
      this.#after = after
      if (hasMore) this.#mayHaveEvents = true
      else this.#pausedUntilMs = performance.now() + PAUSE_MILLISECONDS
      return text
    } catch (error) {
      // End the stream; the client gets the error when it reconnects.
      if (error instanceof DomainError && error.code === 'events_expired') this.end()
      this.#options.onFailure(error)
      this.#mayHaveEvents = true
      this.#pausedUntilMs = performance.now() + FAILURE_PAUSE_MILLISECONDS
      return ''
    }
  }
}
