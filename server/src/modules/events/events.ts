import type { Database, OrganizationDb } from '../../platform/db/database.ts'
import type { Query } from '../../platform/db/statement.ts'
import { isSuspended } from '../../platform/db/suspension.ts'
import { currentTraceparent } from '../../platform/observability/tracing.ts'
import { toEvent } from './event-format.rules.ts'
import * as log from './event-log.store.ts'
import {
  about,
  aboutAsset,
  assertInLog,
  type EventFilter,
  type LoggedEvent,
  type NewEvent,
  numberBefore,
  outsideGaps,
  patternsOf,
} from './events.rules.ts'
import * as outbox from './outbox.store.ts'
import { notifyProgressQuery, PROGRESS_CHANNEL } from './progress-notification.store.ts'

export type { SequencedRange } from './outbox.store.ts'
export type { EventFilter, LoggedEvent, NewEvent }
export { about, aboutAsset, notifyProgressQuery, PROGRESS_CHANNEL, toEvent }
export const { EVENTS_CHANNEL, unsequencedSeconds, hasUnsequenced } = outbox

/**
 * Records events in the transaction of the change. The caller has locked or updated the row of the
 * subject before, so events of one subject are logged in the order of the changes.
 */
export async function recordEvents(tx: OrganizationDb, ...events: readonly NewEvent[]): Promise<void> {
  if (events.length > 0) await tx.send(outbox.eventsQuery(events.map(withTrace)))
}

/** A query that records an event, to write the change and the event in one round trip. */
export const recording = (event: NewEvent): Query<unknown> => outbox.eventsQuery([withTrace(event)])

/** A query that records an event if a condition is true, for a change that depends on this condition. */
export function recordingIf<Params extends object>(
  condition: Parameters<typeof outbox.eventsQueryIf<Params>>[0],
): (params: Params, ...events: readonly NewEvent[]) => Query<unknown> {
  const query = outbox.eventsQueryIf(condition)
  return (params, ...events) => query(params, events.map(withTrace))
}

const withTrace = (event: NewEvent): outbox.RecordedEvent => ({
  ...event,
  traceparent: currentTraceparent() ?? null,
})

/** Returns additional queries for the transaction that sequences events. `main` provides this function. */
export type OnSequenced = (sequenced: outbox.SequencedRange) => readonly Query<unknown>[]

/** Maximum number of rounds of 200 events each, so that a caller does not wait for later events forever. */
const ROUNDS_MAX = 500

/**
 * Moves all events from the outbox to the log. Readers call this first, so that they see everything committed before.
 * Concurrent calls take turns. While the organization is suspended, only its migration sequences events.
 */
export async function sequenceEvents(db: OrganizationDb, onSequenced: OnSequenced): Promise<void> {
  try {
    await sequenceAll(db, onSequenced)
  } catch (error) {
    if (!isSuspended(error)) throw error
  }
}

async function sequenceAll(db: OrganizationDb, onSequenced: OnSequenced): Promise<void> {
  for (let round = 0; round < ROUNDS_MAX; round++) {
    if (!(await outbox.hasUnsequenced(db))) return
    await db.transaction(async (tx) => {
      const sequenced = await outbox.sequenceBatch(tx)
      if (sequenced) await tx.send(...onSequenced(sequenced), outbox.notifyQuery())
    })
  }
}

/** Maximum number of organizations per run. The next run is a second later. */
const ORGANIZATIONS_PER_RUN_MAX = 1000

/**
 * Sequences events of processes that died before doing so. An error of one organization is thrown
 * after the others were handled.
 */
export async function sequenceMissed(database: Database, onSequenced: OnSequenced, signal: AbortSignal): Promise<void> {
  const failures: unknown[] = []
  for (const id of await outbox.selectMissed(database, ORGANIZATIONS_PER_RUN_MAX)) {
    if (signal.aborted) break
    await sequenceEvents(database.forOrganization(id), onSequenced).catch((error: unknown) => failures.push(error))
  }
  if (failures.length > 0) throw failures[0]
}

/** Creates the partitions of the next weeks and drops those that contain only events older than `days`. */
export async function maintainEventPartitions(database: Database, days: number): Promise<void> {
  await database.runUnscoped(log.maintainPartitions({ days }))
}

export type EventQuery = EventFilter & {
  /** Number of the last event that the client has seen; undefined starts with the oldest event. */
  readonly after: number | undefined
  readonly limit: number
}

export type ReadEvents = {
  readonly events: readonly LoggedEvent[]
  /** Position at which to continue. It skips events that the filter excluded. */
  readonly after: number
  readonly hasMore: boolean
}

/** Events in the log after a number. Call `sequenceEvents` first to include the outbox. */
export async function readEvents(
  db: OrganizationDb,
  { after: from, limit, types, assetId }: EventQuery,
): Promise<ReadEvents> {
  const patterns = patternsOf(types)
  const {
    bounds,
    events: found,
    isFull,
  } = await log.selectEvents(db, {
    ...{ after: from ?? null, patterns, assetId },
    limit: limit + 1,
  })
  const after = from ?? bounds.first - 1
  assertInLog(after, bounds)
  const events = found.slice(0, limit)
  const isCut = isFull || found.length > limit
  // Upper bound of the event numbers that the query has scanned.
  const scannedMax = db.limits ? log.NUMBERS_SCANNED_IN_LIMITS_MAX : log.NUMBERS_SCANNED_MAX
  const seen = assetId === null ? outsideGaps(after + scannedMax, bounds.gaps) : Number.POSITIVE_INFINITY
  const lastRead = events.at(-1)?.number ?? after
  return {
    events,
    after: isCut ? lastRead : Math.max(lastRead, Math.min(seen, bounds.last)),
    hasMore: isCut || seen < bounds.last,
  }
}

/** The number after which the log has this many events, or all if it has fewer. Call `sequenceEvents` first. */
export async function numberBeforeLast(db: OrganizationDb, count: number): Promise<number> {
  return numberBefore(count, await log.findBounds(db))
}

/**
 * Start position of a stream: `after`, if no event after it was deleted, or the end of the log. Call
 * `sequenceEvents` first.
 */
export async function startPosition(db: OrganizationDb, after: number | undefined): Promise<number> {
  const bounds = await log.findBounds(db)
  if (after === undefined) return bounds.last
  assertInLog(after, bounds)
  return after
}

/** Number of the last event in the log. */
export async function lastNumber(db: OrganizationDb): Promise<number> {
  return (await log.findBounds(db)).last
}
