/**
 * What one caller is sent. It is woken when there may be something to send, and looks for itself:
 * the log says what comes after the last number, so nothing depends on how often it was woken, or
 * by whom.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { DomainError } from '../../../kernel/errors.ts'
import type { AssetId } from '../../../kernel/ids.ts'
import type { EventFilter } from '../events.ts'
import type { LogReader } from './log-reader.ts'
import { heartbeat, opening, wantsProgress } from './stream-text.rules.ts'

/** Between two looks into the log: who writes hundreds of events a second has them sent together. */
const PAUSE_MILLISECONDS = 50

/** Between two tries to read, while Postgres is away. */
const FAILURE_PAUSE_MILLISECONDS = 500

/** Assets whose progress waits to be sent to who reads slowly. */
const PROGRESS_WAITING_MAX = 1000

/** Who has not taken the rest when a stream has ended is not waited for any longer. */
const LAST_PIECE_SECONDS = 2

export type Following = {
  readonly log: LogReader
  readonly filter: EventFilter
  /** The last number that the caller has seen. */
  readonly after: number
  readonly onFailure: (error: unknown) => void
  readonly hangUp: () => void
}

export class EventStream {
  readonly #following: Following
  #after: number
  #isOver = false
  #mayHaveNews = true
  #isBeatDue = false
  #restsUntilMs = 0
  /** The latest of each asset. */
  readonly #progress = new Map<AssetId, string>()
  #wakeUp: (() => void) | undefined

  constructor(following: Following) {
    this.#following = following
    this.#after = following.after
  }

  /** There may be something new in the log. */
  wake(): void {
    this.#mayHaveNews = true
    this.#wakeUp?.()
  }

  /** Time to show that the connection lives. */
  beat(): void {
    this.#isBeatDue = true
    this.#wakeUp?.()
  }

  wantsProgress(of: AssetId): boolean {
    return wantsProgress(this.#following.filter, of)
  }

  tellProgress(of: AssetId, text: string): void {
    if (this.#progress.size < PROGRESS_WAITING_MAX || this.#progress.has(of)) {
      this.#progress.set(of, text)
    }
    this.#wakeUp?.()
  }

  end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#wakeUp?.()
    setTimeout(this.#following.hangUp, LAST_PIECE_SECONDS * 1000).unref()
  }

  /** What is sent, as there is room for it. */
  async *pieces(): AsyncGenerator<string> {
    yield opening(this.#after)
    while (!this.#isOver) {
      const piece = this.#takeLight() + (this.#mayHaveNews ? await this.#readNews() : '')
      if (piece !== '') yield piece
      else if (!this.#hasWork) await this.#sleep()
    }
  }

  get #hasWork(): boolean {
    return this.#isOver || this.#mayHaveNews || this.#isBeatDue || this.#progress.size > 0
  }

  #sleep(): Promise<void> {
    return new Promise((resolve) => {
      this.#wakeUp = resolve
    })
  }

  /** What is not in the log. */
  #takeLight(): string {
    const texts = [...this.#progress.values()]
    this.#progress.clear()
    if (this.#isBeatDue) texts.push(heartbeat(this.#after))
    this.#isBeatDue = false
    return texts.join('')
  }

  async #readNews(): Promise<string> {
    const restMilliseconds = this.#restsUntilMs - performance.now()
    if (restMilliseconds > 0) await sleep(restMilliseconds)
    this.#mayHaveNews = false
    try {
      const { log, filter } = this.#following
      const { text, after, hasMore } = await log.read({ ...filter, after: this.#after })
      this.#after = after
      if (hasMore) this.#mayHaveNews = true
      else this.#restsUntilMs = performance.now() + PAUSE_MILLISECONDS
      return text
    } catch (error) {
      // The caller learns of it when it comes back.
      if (error instanceof DomainError && error.code === 'events_expired') this.end()
      this.#following.onFailure(error)
      this.#mayHaveNews = true
      this.#restsUntilMs = performance.now() + FAILURE_PAUSE_MILLISECONDS
      return ''
    }
  }
}
