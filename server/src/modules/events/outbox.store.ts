/** The outbox: events are inserted with the change and moved to the log afterwards, where they get numbers. */
import { randomInt } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import { type AssetId, type EventId, newEventId, type OrganizationId } from '../../kernel/ids.ts'
import type { Database, OrganizationDb } from '../../platform/db/database.ts'
import { dedicatedConnection, type Given, notifying, type Query, statement } from '../../platform/db/statement.ts'
import type { NewEvent } from './events.rules.ts'

/**
 * Events per transaction, which locks the log. Each event is also inserted for up to 100 webhooks. This must finish
 * well before the statement timeout, even on a slow disk: a batch that times out once would time out every time.
 */
const BATCH_MAX = 200

/** An event to record, with the trace context of the change. */
export type RecordedEvent = NewEvent & { readonly traceparent: string | null }

/** An event as parameters, beside those of the condition of `eventsQueryIf`. */
type EventParameters = {
  readonly eventId: EventId
  readonly eventType: string
  readonly eventAssetId: AssetId | null
  readonly eventSubject: string
  /** Event data as JSON. */
  readonly eventData: string
  readonly traceparent: string | null
}

const parametersOf = ({ id = newEventId(), type, assetId, subject, data, traceparent }: RecordedEvent) => ({
  ...{ eventId: id, eventType: type, eventAssetId: assetId, eventSubject: subject, traceparent },
  eventData: JSON.stringify(data),
})

type EventsJson = {
  /** List of events as JSON. */
  readonly events: string
}

const oneEvent = (event: Given<EventParameters>) => sql`(
  select ${event.eventId}::uuid as id, ${event.eventType}::text as type, ${event.eventAssetId}::uuid as "assetId",
    ${event.eventSubject}::text as subject, ${event.eventData}::jsonb as data, ${event.traceparent}::text as traceparent
  ) as recorded`

const eventsInJson = ({ events }: Given<EventsJson>) => sql`jsonb_to_recordset(${events}::jsonb)
  as recorded (id uuid, type text, "assetId" uuid, subject text, data jsonb, traceparent text)`

/** The data of an event. An event about a part of an asset gets the client's own fields of the asset. */
const dataOfAsset = ({ organizationId }: Given<object>) => sql`
  case when "assetId" is null or data ? 'metadata' then data
  else data || coalesce((
    select jsonb_build_object('external_id', external_id, 'metadata', metadata) from assets
    where assets.organization_id = ${organizationId} and assets.id = "assetId"), '{}') end`

type Part<Params> = (given: Given<Params>) => RawBuilder<unknown>

/**
 * Query that records events in the given order if a condition is true, for a conditional change in the same round trip.
 * Nearly every change records one event, and those of folders and webhooks do not read assets; they have cheaper
 * statements.
 */
export function eventsQueryIf<Params extends object>(
  condition: Part<Params>,
): (params: Params, events: readonly RecordedEvent[]) => Query<unknown> {
  const inserting = <Source extends object>(from: Part<Source>, data: Part<object>) =>
    notifying(
      statement(
        (given: Given<Source & Params>) => sql`
          insert into event_outbox (organization_id, id, type, asset_id, subject, data, traceparent)
          select ${given.organizationId}, id, type, "assetId", subject, ${data(given)}, traceparent
          from ${from(given)} where ${condition(given)}`,
      ),
    )
  const data = () => sql`data`
  const one = { ofAsset: inserting(oneEvent, dataOfAsset), ofOther: inserting(oneEvent, data) }
  const several = { ofAsset: inserting(eventsInJson, dataOfAsset), ofOther: inserting(eventsInJson, data) }
  return (params, events) => {
    const about = events.some(({ assetId }) => assetId !== null) ? 'ofAsset' : 'ofOther'
    const [first] = events
    if (first && events.length === 1) return one[about]({ ...params, ...parametersOf(first) })
    const json = JSON.stringify(events.map((event) => ({ id: newEventId(), ...event })))
    return several[about]({ ...params, events: json })
  }
}

const insertAll = eventsQueryIf(() => sql`true`)
/** Query that records events in the given order. */
export const eventsQuery = (events: readonly RecordedEvent[]): Query<unknown> => insertAll({}, events)

const createLog = statement(
  ({ organizationId }: Given<object>) => sql`
    insert into event_logs (organization_id) values (${organizationId}) on conflict do nothing`,
)

// Serializes sequencing per organization, to avoid deadlocks. A separate statement, so that later ones see everything
// that was committed before the lock.
const lockLog = dedicatedConnection(
  statement(
    ({ organizationId }: Given<object>) => sql`
      select from event_logs where organization_id = ${organizationId} for update`,
  ),
)

const timeline = sql`('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::integer`

/**
 * Continues the log in a new range of numbers if the server has another timeline: a standby was promoted, or a backup
 * restored, and it may lack events that clients have seen. A new log has timeline 1, because it may replace a log that
 * was lost with its row.
 */
const startRange = statement(
  ({ organizationId, skipped }: Given<{ skipped: number }>) => sql`
    update event_logs as log set timeline = server.timeline, last_number = last_number + ${skipped}::bigint,
      gaps = gaps || jsonb_build_object('start', last_number, 'end', last_number + ${skipped}::bigint)
    from (select ${timeline} as timeline) as server
    where organization_id = ${organizationId} and log.timeline is distinct from server.timeline`,
)

/**
 * Size of a gap. It is random, so that a database that was restored twice to the same moment does not use the same
 * numbers again, and leaves room for 4,000 gaps below the largest safe integer.
 */
const newGapSize = () => randomInt(2 ** 40, 2 ** 41)

/** A range of numbers, both ends included. */
export type SequencedRange = { readonly first: number; readonly last: number }

// The rows are found by ctid, so no plan reads the whole outbox. Nothing else changes them while the log is locked.
// numbered_at is read under the lock and never decreases, unless the clock was set back by a day: partitions would
// overlap, and dropping one would leave a gap.
const moveIntoLog = statement(
  ({ organizationId, limit }: Given<{ limit: number }>) => sql<{ last: number; count: number }>`
    with batch as (
      delete from event_outbox
      where organization_id = ${organizationId} and ctid = any (array(
        select ctid from event_outbox where organization_id = ${organizationId}
        order by position, id limit ${limit}
      ))
      returning position, id, type, asset_id, subject, data, created_at, traceparent
    ),
    log as (
      update event_logs set last_number = last_number + (select count(*) from batch),
        numbered_at = greatest(clock_timestamp(),
          case when numbered_at < clock_timestamp() + interval '23 hours' then numbered_at end)
      where organization_id = ${organizationId}
      returning last_number - (select count(*) from batch) as before, last_number, numbered_at
    ),
    moved as (
      insert into events
        (organization_id, number, numbered_at, id, type, asset_id, subject, data, created_at, traceparent)
      select ${organizationId}, log.before + row_number() over (order by position, batch.id), log.numbered_at, batch.id, type,
        asset_id, subject, data, created_at, traceparent
      from batch, log
      returning number
    )
    select last_number as last, (select count(*) from moved) as count from log`,
)

/** Moves a batch of events to the log in the caller's transaction. Undefined if there are none. */
export async function sequenceBatch(tx: OrganizationDb): Promise<SequencedRange | undefined> {
  const [, , , [moved]] = await tx.run(
    createLog({}),
    lockLog({}),
    startRange({ skipped: newGapSize() }),
    moveIntoLog({ limit: BATCH_MAX }),
  )
  if (!moved?.count) return undefined
  return { first: moved.last - moved.count + 1, last: moved.last }
}

const anyWaiting = statement(
  ({ organizationId }: Given<object>) => sql<object>`
    select from event_outbox where organization_id = ${organizationId} limit 1`,
)

export async function hasUnsequenced(db: OrganizationDb): Promise<boolean> {
  const [rows] = await db.run(anyWaiting({}))
  return rows.length > 0
}

const organizationsWaiting = statement(
  ({ limit }: Given<{ limit: number }>) => sql<{ organizationId: OrganizationId }>`
    select organization_id as "organizationId" from organizations_with_unnumbered_events limit ${limit}`,
)

/** Organizations with events that have been in the outbox for a second: their process has not sequenced them. */
export async function selectMissed(database: Database, limit: number): Promise<OrganizationId[]> {
  const rows = await database.runUnscoped(organizationsWaiting({ limit }))
  return rows.map(({ organizationId }) => organizationId)
}

const longestWait = dedicatedConnection(
  statement(
    (_: Given<object>) => sql<{ seconds: number }>`
    select coalesce(extract(epoch from now() - min(since)), 0)::float8 as seconds
    from organizations_with_unnumbered_events`,
  ),
)

/** Age of the oldest event in the outbox. */
export async function unsequencedSeconds(database: Database): Promise<number> {
  return (await database.runUnscoped(longestWait({})))[0]?.seconds ?? 0
}

export const EVENTS_CHANNEL = 'reelkeep_events'

const notify = statement(
  ({ organizationId }: Given<object>) => sql`
    select from (select pg_notify(${sql.lit(EVENTS_CHANNEL)}, ${organizationId}::text)) as notified`,
)

/** Notifies listeners when the transaction commits. */
export const notifyQuery = (): Query<unknown> => notify({})
