/** The way of an event into the log: written with the change that it tells of, numbered afterwards. */
import { type RawBuilder, sql } from 'kysely'
import { type AssetId, type EventId, newEventId, type OrganizationId } from '../../kernel/ids.ts'
import type { Database, OrganizationDb } from '../../platform/db/database.ts'
import {
  announcing,
  type Given,
  type Query,
  statement,
  takesLong,
} from '../../platform/db/statement.ts'
import type { NewEvent } from './events.rules.ts'

/**
 * Numbered at a time: the log is held for as long as that takes. Each event is written down for
 * each of up to a hundred webhooks, and all of it must be done long before a statement is
 * cancelled, on a slow disk too: what takes too long once would take too long for ever.
 */
const NUMBERED_MAX = 200

/** With the trace that it happens in, if that is traced. */
export type RecordedEvent = NewEvent & { readonly traceparent: string | null }

type OutboxRow = {
  readonly id: EventId
  readonly type: string
  readonly assetId: AssetId | null
  readonly subject: string
  /** JSON. */
  readonly data: string
  readonly traceparent: string | null
}

const insert = announcing(
  statement(
    ({ organizationId, id, type, assetId, subject, data, traceparent }: Given<OutboxRow>) => sql`
      insert into event_outbox (organization_id, id, type, asset_id, subject, data, traceparent)
      values (${organizationId}, ${id}, ${type}, ${assetId}, ${subject}, ${data}::jsonb, ${traceparent})`,
  ),
)

/** The event as a query, for who writes the change in the same round trip. */
export const eventQuery = (event: RecordedEvent): Query<unknown> => insert(rowOf(event))

const rowOf = ({ id = newEventId(), data, ...event }: RecordedEvent): OutboxRow => ({
  ...event,
  id,
  data: JSON.stringify(data),
})

type Several = {
  /** JSON. */
  readonly events: string
}

/** Row by row, so that they stand in the log in the order in which they are given. */
const insertSeveral = (
  { organizationId, events }: Given<Several>,
  isTrue: RawBuilder<unknown>,
) => sql`
  insert into event_outbox (organization_id, id, type, asset_id, subject, data, traceparent)
  select ${organizationId}, id, type, "assetId", subject, data, traceparent
  from jsonb_to_recordset(${events}::jsonb)
    as told (id uuid, type text, "assetId" uuid, subject text, data jsonb, traceparent text)
  where ${isTrue}`

const jsonOf = (events: readonly RecordedEvent[]) =>
  JSON.stringify(events.map((event) => ({ id: newEventId(), ...event })))

const insertAll = announcing(statement((given: Given<Several>) => insertSeveral(given, sql`true`)))

/** Any number of events, as one query. */
export const eventsQuery = (events: readonly RecordedEvent[]): Query<unknown> =>
  insertAll({ events: jsonOf(events) })

/**
 * For changes that may not happen and are written in one round trip: a query by which events are
 * told if something holds then.
 */
export function eventsQueryIf<Params extends object>(
  holds: (given: Given<Params>) => RawBuilder<unknown>,
): (params: Params, events: readonly RecordedEvent[]) => Query<unknown> {
  const insertIf = announcing(
    statement((given: Given<Several & Params>) => insertSeveral(given, holds(given))),
  )
  return (params, events) => insertIf({ ...params, events: jsonOf(events) })
}

const openLog = statement(
  ({ organizationId }: Given<object>) => sql`
    insert into event_logs (organization_id) values (${organizationId}) on conflict do nothing`,
)

// One at a time: two who take the same events in different orders would wait for each other. A
// statement of its own, so that those after it see all that was committed before the log was held.
const holdLog = takesLong(
  statement(
    ({ organizationId }: Given<object>) => sql`
      select from event_logs where organization_id = ${organizationId} for update`,
  ),
)

/** A stretch of numbers, both ends within. */
export type Numbered = { readonly first: number; readonly last: number }

// The time is taken while the log is held. That of the transaction may be from before another's
// turn: weeks would overlap, and dropping one would leave a gap.
const moveIntoLog = statement(
  ({ organizationId, limit }: Given<{ limit: number }>) => sql<{ last: number; count: number }>`
    with taken as (
      delete from event_outbox
      where organization_id = ${organizationId} and (position, id) in (
        select position, id from event_outbox where organization_id = ${organizationId}
        order by position, id limit ${limit}
      )
      returning position, id, type, asset_id, subject, data, created_at, traceparent
    ),
    log as (
      update event_logs set last_number = last_number + (select count(*) from taken)
      where organization_id = ${organizationId}
      returning last_number - (select count(*) from taken) as before, last_number, clock_timestamp() as numbered_at
    ),
    moved as (
      insert into events
        (organization_id, number, numbered_at, id, type, asset_id, subject, data, created_at, traceparent)
      select ${organizationId}, log.before + row_number() over (order by position, taken.id), log.numbered_at, taken.id, type,
        asset_id, subject, data, created_at, traceparent
      from taken, log
      returning number
    )
    select last_number as last, (select count(*) from moved) as count from log`,
)

/** Gives the events that wait their numbers, in the caller's transaction. Undefined if none wait. */
export async function numberEvents(tx: OrganizationDb): Promise<Numbered | undefined> {
  const [, , [moved]] = await tx.run(openLog({}), holdLog({}), moveIntoLog({ limit: NUMBERED_MAX }))
  if (!moved?.count) return undefined
  return { first: moved.last - moved.count + 1, last: moved.last }
}

const anyWaiting = statement(
  ({ organizationId }: Given<object>) => sql<object>`
    select from event_outbox where organization_id = ${organizationId} limit 1`,
)

export async function hasUnnumbered(db: OrganizationDb): Promise<boolean> {
  const [rows] = await db.run(anyWaiting({}))
  return rows.length > 0
}

const waitingLong = statement(
  ({ limit }: Given<{ limit: number }>) => sql<{ organizationId: OrganizationId }>`
    select organization_id as "organizationId" from organizations_with_unnumbered_events limit ${limit}`,
)

/** Organizations whose events have been waiting for a second: whoever wrote them has not seen to their numbers. */
export async function selectForgotten(
  database: Database,
  limit: number,
): Promise<OrganizationId[]> {
  const rows = await database.ask(waitingLong({ limit }))
  return rows.map(({ organizationId }) => organizationId)
}

const longestWait = takesLong(
  statement(
    (_: Given<object>) => sql<{ seconds: number }>`
    select coalesce(extract(epoch from now() - min(since)), 0)::float8 as seconds
    from organizations_with_unnumbered_events`,
  ),
)

/** For how long the event has waited for its number that has waited the longest. */
export async function unnumberedSeconds(database: Database): Promise<number> {
  return (await database.ask(longestWait({})))[0]?.seconds ?? 0
}

export const NEWS_CHANNEL = 'reelkeep_events'

const notify = statement(
  ({ organizationId }: Given<object>) => sql`
    select from (select pg_notify(${sql.lit(NEWS_CHANNEL)}, ${organizationId}::text)) as told`,
)

/** Wakes all who listen, once the transaction commits. */
export const newsQuery = (): Query<unknown> => notify({})
