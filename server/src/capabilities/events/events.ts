import type { Database, OrganizationDb } from '../../platform/db/database.ts'
import { isHeld } from '../../platform/db/held.ts'
import type { Query } from '../../platform/db/statement.ts'
import { traceparentHere } from '../../platform/observability/tracing.ts'
import { toEvent } from './event-form.rules.ts'
import * as log from './event-log.store.ts'
import {
  about,
  aboutAsset,
  assertInLog,
  type EventFilter,
  type LoggedEvent,
  type NewEvent,
  patternsOf,
} from './events.rules.ts'
import * as outbox from './outbox.store.ts'
import { PROGRESS_CHANNEL, progressQuery } from './progress-news.store.ts'

export type { Numbered } from './outbox.store.ts'
export type { EventFilter, LoggedEvent, NewEvent }
export { about, aboutAsset, PROGRESS_CHANNEL, progressQuery, toEvent }
export const { NEWS_CHANNEL, unnumberedSeconds, hasUnnumbered } = outbox

/**
 * Tells what happened, in the transaction that makes it happen. Whatever orders the changes of its
 * subject, a lock or an update of its row, comes before: so events of one subject stand in the log
 * in the order of what they tell.
 */
export async function recordEvents(
  tx: OrganizationDb,
  ...events: readonly NewEvent[]
): Promise<void> {
  const [only, ...others] = events.map(inTrace)
  if (only) {
    await tx.send(
      others.length > 0 ? outbox.eventsQuery([only, ...others]) : outbox.eventQuery(only),
    )
  }
}

/** The same as a query, for who writes the change in one round trip. */
export const recording = (event: NewEvent): Query<unknown> => outbox.eventQuery(inTrace(event))

/** The same of a change that happens only under a condition; a store says which. */
export function recordingIf<Params extends object>(
  holds: Parameters<typeof outbox.eventsQueryIf<Params>>[0],
): (params: Params, ...events: readonly NewEvent[]) => Query<unknown> {
  const query = outbox.eventsQueryIf(holds)
  return (params, ...events) => query(params, events.map(inTrace))
}

const inTrace = (event: NewEvent): outbox.RecordedEvent => ({
  ...event,
  traceparent: traceparentHere() ?? null,
})

/** What else happens when events get their numbers, in the same transaction: whoever composes the service says so. */
export type OnNumbered = (numbered: outbox.Numbered) => readonly Query<unknown>[]

/** Of two hundred events each: whoever asks need not wait for those that come meanwhile. */
const SETTLING_ROUNDS_MAX = 500

/**
 * Gives all that waits its place in the log. Whoever reads the log asks for this first, so what was
 * committed before is there. Many may ask at once; they take turns. While the organization is held
 * nothing is numbered, but by who moves it: the log is read as far as it goes.
 */
export async function settleEvents(db: OrganizationDb, onNumbered: OnNumbered): Promise<void> {
  try {
    await numberAll(db, onNumbered)
  } catch (error) {
    if (!isHeld(error)) throw error
  }
}

async function numberAll(db: OrganizationDb, onNumbered: OnNumbered): Promise<void> {
  for (let round = 0; round < SETTLING_ROUNDS_MAX; round++) {
    if (!(await outbox.hasUnnumbered(db))) return
    await db.transaction(async (tx) => {
      const numbered = await outbox.numberEvents(tx)
      if (numbered) await tx.send(...onNumbered(numbered), outbox.newsQuery())
    })
  }
}

/** Looked at in one turn; the next one comes a second later. */
const FORGETFUL_ORGANIZATIONS_MAX = 1000

/**
 * What was committed by a process that died before it saw to the numbers. One organization's
 * failure is told after the others' turn.
 */
export async function settleForgotten(
  database: Database,
  onNumbered: OnNumbered,
  signal: AbortSignal,
): Promise<void> {
  const failures: unknown[] = []
  for (const id of await outbox.selectForgotten(database, FORGETFUL_ORGANIZATIONS_MAX)) {
    if (signal.aborted) break
    await settleEvents(database.forOrganization(id), onNumbered).catch((error: unknown) =>
      failures.push(error),
    )
  }
  if (failures.length > 0) throw failures[0]
}

/** Makes the weeks that are about to begin, and drops those of which every event is older than is kept. */
export async function keepEventWeeks(database: Database, days: number): Promise<void> {
  await database.ask(log.weeksKept({ days }))
}

export type ReadingWish = EventFilter & {
  /** The last number that was seen; undefined: from the oldest that is kept. */
  readonly after: number | undefined
  readonly limit: number
}

export type ReadEvents = {
  readonly events: readonly LoggedEvent[]
  /** Where to go on, past what the filter left out as well. */
  readonly after: number
  readonly hasMore: boolean
}

/** What is in the log after a number. What waits for its number is not: settle first. */
export async function readEvents(
  db: OrganizationDb,
  { after: from, limit, types, assetId }: ReadingWish,
): Promise<ReadEvents> {
  const patterns = patternsOf(types)
  const {
    ends,
    events: found,
    isFull,
  } = await log.selectEvents(db, {
    ...{ after: from ?? null, patterns, assetId },
    limit: limit + 1,
  })
  const after = from ?? ends.first - 1
  assertInLog(after, ends)
  const events = found.slice(0, limit)
  const isCut = isFull || found.length > limit
  // All that was looked through, if not all that is there.
  const seen = assetId === null ? after + log.NUMBERS_LOOKED_THROUGH_MAX : Number.POSITIVE_INFINITY
  const lastRead = events.at(-1)?.number ?? after
  return {
    events,
    after: isCut ? lastRead : Math.max(lastRead, Math.min(seen, ends.last)),
    hasMore: isCut || seen < ends.last,
  }
}

/**
 * Where somebody begins to follow the log: after a number, if all after it is still kept, or at the
 * end. What waits for its number comes after the end: settle first.
 */
export async function placeToBegin(db: OrganizationDb, after: number | undefined): Promise<number> {
  const ends = await log.findEnds(db)
  if (after === undefined) return ends.last
  assertInLog(after, ends)
  return after
}

/** The last number of the log. */
export async function lastNumber(db: OrganizationDb): Promise<number> {
  return (await log.findEnds(db)).last
}
