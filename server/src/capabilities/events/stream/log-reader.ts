import { setImmediate as nextTurn } from 'node:timers/promises'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import { type EventFilter, readEvents } from '../events.ts'
import { eventText } from './stream-text.rules.ts'

/** Read and sent at a time. */
const EVENTS_PER_PIECE_MAX = 100

export type Stretch = EventFilter & { readonly after: number }

/** Events as they are sent, and where to go on. */
export type Piece = { readonly text: string; readonly after: number; readonly hasMore: boolean }

/**
 * Reads the log of an organization for all who follow it here. Those who are woken together and
 * want the same are answered by one look, which begins after the last of them has asked: what they
 * were woken for is in it.
 */
export class LogReader {
  readonly #db: OrganizationDb
  /** Looks that have not begun. */
  readonly #planned = new Map<string, Promise<Piece>>()

  constructor(db: OrganizationDb) {
    this.#db = db
  }

  read(stretch: Stretch): Promise<Piece> {
    const { after, types, assetId } = stretch
    const key = JSON.stringify([after, types, assetId])
    const planned = this.#planned.get(key) ?? this.#look(stretch, key)
    this.#planned.set(key, planned)
    return planned
  }

  async #look(stretch: Stretch, key: string): Promise<Piece> {
    await nextTurn()
    this.#planned.delete(key)
    const read = await readEvents(this.#db, { ...stretch, limit: EVENTS_PER_PIECE_MAX })
    const { events, after, hasMore } = read
    return { text: events.map(eventText).join(''), after, hasMore }
  }
}
