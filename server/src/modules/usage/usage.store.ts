import { sql } from 'kysely'
import type { OrganizationId } from '../../kernel/ids.ts'
import type { Database, OrganizationDb } from '../../platform/db/database.ts'
import { dedicatedConnection, type Given, statement } from '../../platform/db/statement.ts'
import type { UsageDay, UsageRange } from './usage.rules.ts'

// The changes before the first day are its initial state, so all of them are summed up; a schedule keeps them few.
const days = dedicatedConnection(
  statement(
    ({ organizationId, from, to }: Given<UsageRange>) => sql<UsageDay>`
      with changes as (
        select greatest(day, ${from}::date - 1) as day, stored_bytes, rendition_bytes, assets, encoded_seconds,
          delivered_bytes, delivered_seconds, api_requests
        from usage_days where organization_id = ${organizationId} and day <= ${to}::date
        union all
        select generate_series(${from}::date, ${to}::date, interval '1 day')::date, 0, 0, 0, 0, 0, 0, 0
      ),
      summed as (
        select day, sum(sum(stored_bytes)) over until_day as stored_bytes,
          sum(sum(rendition_bytes)) over until_day as rendition_bytes, sum(sum(assets)) over until_day as assets,
          sum(encoded_seconds) as encoded_seconds, sum(delivered_bytes) as delivered_bytes,
          sum(delivered_seconds) as delivered_seconds, sum(api_requests) as api_requests
        from changes group by day
        window until_day as (order by day)
      )
      select day::text as day, stored_bytes::bigint as "storedBytes", rendition_bytes::bigint as "renditionBytes",
        assets::bigint as assets, encoded_seconds as "encodedSeconds", delivered_bytes::bigint as "deliveredBytes",
        delivered_seconds as "deliveredSeconds", api_requests::bigint as "apiRequests"
      from summed where day >= ${from}::date order by day`,
  ),
)

export async function selectDays(db: OrganizationDb, range: UsageRange): Promise<UsageDay[]> {
  const [rows] = await db.run(days(range))
  return rows
}

export type DeliveredUsage = {
  readonly organizationIds: readonly OrganizationId[]
  readonly requests: readonly number[]
  readonly bytes: readonly number[]
  readonly seconds: readonly number[]
}

const add = dedicatedConnection(
  statement(
    ({ organizationIds, requests, bytes, seconds }: Given<DeliveredUsage>) => sql`
      select from (select add_delivered_usage(${organizationIds}::text[], ${requests}::bigint[], ${bytes}::bigint[],
        ${seconds}::double precision[])) as added`,
  ),
)

/** Adds to the usage of several organizations at once. */
export async function addDelivered(database: Database, delivered: DeliveredUsage): Promise<void> {
  await database.runUnscoped(add(delivered))
}

const withOldUsage = statement(
  ({ after, limit }: Given<{ after: string; limit: number }>) => sql<{ id: OrganizationId }>`
    select organization_id as id from organizations_with_old_usage
    where organization_id > ${after} order by organization_id limit ${limit}`,
)

/** Ids after `after`, in ascending order. Requires the worker role. */
export async function selectOrganizationsWithOldUsage(database: Database, after: string, limit: number) {
  return (await database.runUnscoped(withOldUsage({ after, limit }))).map(({ id }) => id)
}

/** The first day that is kept; what was stored and counted before is merged into the day before it. */
const firstKept = sql`(date_trunc('month', now() at time zone 'utc') - interval '13 months')::date`

// Only the current day and, around midnight, the day before are written to, except by the count of an edge's log, which
// may insert the row of slot 0 at the same time.
const merge = dedicatedConnection(
  statement(
    ({ organizationId }: Given<object>) => sql`
      with merged as (
        delete from usage_days
        where organization_id = ${organizationId} and day < (now() at time zone 'utc')::date - 1
        returning *
      )
      insert into usage_days as mine
      select organization_id, greatest(day, ${firstKept} - 1) as kept, 0, sum(stored_bytes), sum(rendition_bytes),
        sum(assets), coalesce(sum(encoded_seconds) filter (where day >= ${firstKept}), 0),
        coalesce(sum(delivered_bytes) filter (where day >= ${firstKept}), 0),
        coalesce(sum(delivered_seconds) filter (where day >= ${firstKept}), 0),
        coalesce(sum(api_requests) filter (where day >= ${firstKept}), 0)
      from merged group by organization_id, kept
      on conflict (organization_id, day, slot) do update set
        stored_bytes = mine.stored_bytes + excluded.stored_bytes,
        rendition_bytes = mine.rendition_bytes + excluded.rendition_bytes,
        assets = mine.assets + excluded.assets,
        encoded_seconds = mine.encoded_seconds + excluded.encoded_seconds,
        delivered_bytes = mine.delivered_bytes + excluded.delivered_bytes,
        delivered_seconds = mine.delivered_seconds + excluded.delivered_seconds,
        api_requests = mine.api_requests + excluded.api_requests`,
  ),
)

const deleteOldLogs = statement(
  ({ organizationId }: Given<object>) => sql`
    delete from counted_edge_logs
    where organization_id = ${organizationId} and counted_at < now() - interval '13 months'`,
)

export async function mergeOldUsage(tx: OrganizationDb): Promise<void> {
  await tx.run(merge({}), deleteOldLogs({}))
}

const claimLog = statement(
  ({ organizationId, hash }: Given<{ hash: Buffer }>) => sql<object>`
    insert into counted_edge_logs (organization_id, hash) values (${organizationId}, ${hash})
    on conflict do nothing returning organization_id`,
)

/** Returns false if the log was counted before. */
export async function insertCountedLog(tx: OrganizationDb, hash: Buffer): Promise<boolean> {
  const [rows] = await tx.run(claimLog({ hash }))
  return rows.length > 0
}

export type EdgeTotals = {
  readonly days: readonly string[]
  readonly bytes: readonly number[]
  readonly assetIds: readonly string[]
  readonly versions: readonly number[]
  /** Empty strings and -1 for files that are not segments. */
  readonly tracks: readonly string[]
  readonly segments: readonly number[]
}

// Seconds of a segment that was sent in part are counted in part. Audio counts only if there is no video.
const addEdge = dedicatedConnection(
  statement(
    (given: Given<EdgeTotals>) => sql`
      insert into usage_days as mine (organization_id, day, slot, delivered_bytes, delivered_seconds)
      select ${given.organizationId}, sent.day, 0, sum(sent.bytes), coalesce(sum(part.seconds * sent.bytes / part.bytes), 0)
      from unnest(${given.days}::date[], ${given.bytes}::bigint[], ${given.assetIds}::uuid[],
        ${given.versions}::integer[], ${given.tracks}::text[], ${given.segments}::integer[])
        as sent (day, bytes, asset_id, version, track, segment)
      left join asset_versions on asset_versions.organization_id = ${given.organizationId}
        and asset_versions.asset_id = sent.asset_id and number = sent.version
      cross join lateral (
        select coalesce(
          (select media_id from asset_clips
            where asset_clips.organization_id = ${given.organizationId} and asset_clips.asset_id = sent.asset_id),
          case when sent.version = 1 then sent.asset_id else asset_versions.media_id end) as id
      ) as media
      left join lateral (
        select (segments -> (sent.segment - first_segment) ->> 'seconds')::double precision as seconds,
          nullif((segments -> (sent.segment - first_segment) ->> 'bytes')::double precision, 0) as bytes
        from rendition_parts
        where organization_id = ${given.organizationId} and asset_id = media.id
          and rendition = sent.track and first_segment <= sent.segment
          and (sent.track <> 'audio' or not exists (
            select from renditions
            where organization_id = ${given.organizationId} and asset_id = media.id and width is not null))
        order by first_segment desc limit 1
      ) as part on true
      group by sent.day
      on conflict (organization_id, day, slot) do update set
        delivered_bytes = mine.delivered_bytes + excluded.delivered_bytes,
        delivered_seconds = mine.delivered_seconds + excluded.delivered_seconds`,
  ),
)

export async function addEdgeDeliveries(tx: OrganizationDb, totals: EdgeTotals): Promise<void> {
  await tx.run(addEdge(totals))
}
