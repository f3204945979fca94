import { setImmediate as nextTick } from 'node:timers/promises'
import type { Limits } from '../../kernel/limits.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { type EventFilter, readEvents } from '../events/events.ts'
import { eventText } from './stream-text.ts'

const EVENTS_PER_CHUNK_MAX = 100

export type LogQuery = EventFilter & { readonly after: number; readonly limits?: Limits | undefined }

/** Events as text, and the position at which to continue. */
export type LogChunk = { readonly text: string; readonly after: number; readonly hasMore: boolean }

/**
 * Reads the log of an organization for all its streams in this process. Streams that are woken
 * together and have the same position, filter and limits share one query.
 */
export class LogReader {
  readonly #db: OrganizationDb
  /** Reads whose query has not started, by position, filter and limits. */
  readonly #pending = new Map<string, Promise<LogChunk>>()

  constructor(db: OrganizationDb) {
    this.#db = db
  }

  read(query: LogQuery): Promise<LogChunk> {
    const { after, types, assetId, limits } = query
    const key = JSON.stringify([after, types, assetId, limits])
    const pending = this.#pending.get(key) ?? this.#load(query, key)
    this.#pending.set(key, pending)
    return pending
  }

  async #load(query: LogQuery, key: string): Promise<LogChunk> {
    await nextTick()
    this.#pending.delete(key)
    const read = (db: OrganizationDb) => readEvents(db, { ...query, limit: EVENTS_PER_CHUNK_MAX })
    const { events, after, hasMore } = await this.#db.withLimits(query.limits, read)
    return { text: events.map(eventText).join(''), after, hasMore }
  }
}
