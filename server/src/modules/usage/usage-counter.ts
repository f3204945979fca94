/**
 * Counts requests and deliveries of this process in memory and adds them to the database every few seconds. A process
 * that is killed loses what it has counted since the last time.
 */
import type { OrganizationId } from '../../kernel/ids.ts'
import type { Database } from '../../platform/db/database.ts'
import { repeatAfterPause } from '../../platform/jobs/repeat.ts'
import { addDelivered } from './usage.store.ts'

const FLUSH_SECONDS = 5

/** Organizations between two flushes. Further ones are not counted; reached only if the database is unavailable. */
const ORGANIZATIONS_MAX = 100_000

type Counts = { requests: number; bytes: number; seconds: number }

export class UsageCounter implements AsyncDisposable {
  readonly #database: Database
  readonly #flushing: AsyncDisposable
  #counts = new Map<OrganizationId, Counts>()

  constructor(database: Database, onFailure: (error: unknown) => void, flushSeconds: number = FLUSH_SECONDS) {
    this.#database = database
    this.#flushing = repeatAfterPause(flushSeconds, () => this.flush(), onFailure)
  }

  countRequest(id: OrganizationId): void {
    this.#add(id, { requests: 1, bytes: 0, seconds: 0 })
  }

  countDelivery(id: OrganizationId, delivered: { readonly bytes: number; readonly seconds: number }): void {
    this.#add(id, { requests: 0, ...delivered })
  }

  /** Adds the counts to the database. If that fails, they are kept for the next time. */
  async flush(): Promise<void> {
    const counts = this.#counts
    if (counts.size === 0) return
    this.#counts = new Map()
    const all = [...counts]
    try {
      await addDelivered(this.#database, {
        organizationIds: all.map(([id]) => id),
        requests: all.map(([, { requests }]) => requests),
        bytes: all.map(([, { bytes }]) => bytes),
        seconds: all.map(([, { seconds }]) => seconds),
      })
    } catch (error) {
      for (const [id, count] of all) this.#add(id, count)
      throw error
    }
  }

  #add(id: OrganizationId, { requests, bytes, seconds }: Counts): void {
    const counts = this.#counts.get(id)
    if (counts) {
      counts.requests += requests
      counts.bytes += bytes
      counts.seconds += seconds
    } else if (this.#counts.size < ORGANIZATIONS_MAX) this.#counts.set(id, { requests, bytes, seconds })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#flushing[Symbol.asyncDispose]()
    await this.flush().catch(() => undefined)
  }
}
