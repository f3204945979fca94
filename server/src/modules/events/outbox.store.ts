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

type OutboxRow = {
  readonly id: EventId
  readonly type: string
  readonly assetId: AssetId | null
  readonly subject: string
  /** Event data as JSON. */
  readonly data: string
  readonly traceparent: string | null
}

/** The data of an event. An event about a part of an asset gets the client's own fields of the asset. */
const dataOf = (organizationId: unknown, assetId: RawBuilder<unknown>, data: RawBuilder<unknown>) => sql`
  case when ${assetId} is null or ${data} ? 'metadata' then ${data}
  else ${data} || coalesce((
    select jsonb_build_object('external_id', external_id, 'metadata', metadata) from assets
    where assets.organization_id = ${organizationId} and assets.id = ${assetId}), '{}') end`

const insert = notifying(
  statement(
    ({ organizationId, id, type, assetId, subject, data, traceparent }: Given<OutboxRow>) => sql`
      insert into event_outbox (organization_id, id, type, asset_id, subject, data, traceparent)
      values (${organizationId}, ${id}, ${type}, ${assetId}, ${subject},
        ${dataOf(organizationId, sql`${assetId}::uuid`, sql`${data}::jsonb`)}, ${traceparent})`,
  ),
)
export const eventQuery = (event: RecordedEvent): Query<unknown> => insert(rowOf(event))

const rowOf = ({ id = newEventId(), data, ...event }: RecordedEvent): OutboxRow => ({
  ...event,
  id,
  data: JSON.stringify(data),
})

type EventsJson = {
  /** List of events as JSON. */
  readonly events: string
}

/** Inserts several events in the given order. */
const insertMany = ({ organizationId, events }: Given<EventsJson>, isTrue: RawBuilder<unknown>) => sql`
  insert into event_outbox (organization_id, id, type, asset_id, subject, data, traceparent)
  select ${organizationId}, id, type, "assetId", subject, ${dataOf(organizationId, sql`"assetId"`, sql`data`)}, traceparent
  from jsonb_to_recordset(${events}::jsonb)
    as recorded (id uuid, type text, "assetId" uuid, subject text, data jsonb, traceparent text)
  where ${isTrue}`

const jsonOf = (events: readonly RecordedEvent[]) =>
  JSON.stringify(events.map((event) => ({ id: newEventId(), ...event })))

const insertAll = notifying(statement((given: Given<EventsJson>) => insertMany(given, sql`true`)))
export const eventsQuery = (events: readonly RecordedEvent[]): Query<unknown> => insertAll({ events: jsonOf(events) })

/** Query that records events if a condition is true, for a conditional change in the same round trip. */
export function eventsQueryIf<Params extends object>(
  condition: (given: Given<Params>) => RawBuilder<unknown>,
): (params: Params, events: readonly RecordedEvent[]) => Query<unknown> {
  const insertIf = notifying(statement((given: Given<EventsJson & Params>) => insertMany(given, condition(given))))
  return (params, events) => insertIf({ ...params, events: jsonOf(events) })
}

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
