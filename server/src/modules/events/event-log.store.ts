import { type RawBuilder, sql } from 'kysely'
import type { AssetId } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { dedicatedConnection, type Given, statement } from '../../platform/db/statement.ts'
import type { LogBounds, LoggedEvent } from './events.rules.ts'

type EventRange = {
  /** Event number to continue after; null starts with the oldest event. */
  readonly after: number | null
  /** `like` patterns of event types; empty for all. */
  readonly patterns: readonly string[]
  readonly limit: number
}
type OfAsset = { readonly assetId: AssetId }

/** Maximum number of events scanned per request when filtering by type. The next request continues from there. */
export const NUMBERS_SCANNED_MAX = 50_000

/** The same for a limited principal: for each event, Postgres tests whether the principal sees its subject. */
export const NUMBERS_SCANNED_IN_LIMITS_MAX = 5000

/** Maximum size of the event data in a response. The response ends with the event that exceeds it. */
const DATA_BYTES_MAX = 4 * 1024 * 1024

/** `found` is the number of matching events before the limit on bytes is applied. */
type FoundEvent = LoggedEvent & { readonly found: number }

const columns = sql`number, id, type, asset_id, data, data_bytes, created_at`

const bounded = (events: RawBuilder<unknown>) => sql<FoundEvent>`
  select number, id, type, asset_id as "assetId", data, created_at as "createdAt", found from (
    select *, sum(data_bytes) over (order by number) - data_bytes as bytes_before, count(*) over () as found
    from (${events}) as events
  ) as counted
  where bytes_before < ${sql.lit(DATA_BYTES_MAX)} order by number`

const firstOf = (organizationId: unknown) =>
  sql`(select number from events where organization_id = ${organizationId} order by number limit 1)`

const isWanted = ({ patterns }: Given<EventRange>) =>
  sql`(cardinality(${patterns}::text[]) = 0 or type like any (${patterns}::text[]))`

type Part = (given: Given<object>) => RawBuilder<unknown>

/** All columns, or those that a limited principal sees, and which events it sees. */
type View = { readonly columns: Part; readonly isVisible: Part; readonly scannedMax: number }

const whole: View = { columns: () => columns, isVisible: () => sql`true`, scannedMax: NUMBERS_SCANNED_MAX }

const isFolderVisible = ({ organizationId }: Given<object>, uuid: RawBuilder<unknown>) => sql`exists (
  select from folders where folders.organization_id = ${organizationId} and folders.uuid = ${uuid})`

/** A folder that the asset or folder was in before may be outside, and the parent of the limit folder is. */
const visibleData: Part = (given) => sql`
  case
    when data ->> 'parent_id' is not null and not ${isFolderVisible(given, sql`data ->> 'parent_id'`)}
      then data || '{"parent_id": null}'
    when data ->> 'parent' is not null and not ${isFolderVisible(given, sql`data ->> 'parent'`)}
      then data || '{"parent": null}'
    else data end as data`

/** Events about what a limited principal sees now. The handle sees the trash. */
const inLimits: View = {
  columns: (given) => sql`number, id, type, asset_id, ${visibleData(given)}, data_bytes, created_at`,
  isVisible: (given) => sql`
    case when asset_id is not null then exists (
      select from assets where assets.organization_id = ${given.organizationId} and assets.id = events.asset_id)
    else type like 'folder.%' and ${isFolderVisible(given, sql`events.subject`)} end`,
  scannedMax: NUMBERS_SCANNED_IN_LIMITS_MAX,
}

const readOf = ({ columns, isVisible, scannedMax }: View) =>
  statement((given: Given<EventRange>) =>
    bounded(sql`
      with start as (select coalesce(${given.after}::bigint, ${firstOf(given.organizationId)} - 1, 0) as number)
      select ${columns(given)} from events
      where organization_id = ${given.organizationId} and number > (select number from start)
        and number <= (select number from start) + ${sql.lit(scannedMax)} and ${isWanted(given)}
        and ${isVisible(given)}
      order by number limit ${given.limit}`),
  )

const read = readOf(whole)
const readInLimits = dedicatedConnection(readOf(inLimits))

/** Filtering by a rare type scans many rows: uses a dedicated connection, within the tenant's quota. */
const scan = dedicatedConnection(read)

// Uses an index on asset_id, so it does not scan events of other assets.
const readOfAssetIn = ({ columns, isVisible }: View) =>
  statement((given: Given<EventRange & OfAsset>) =>
    bounded(sql`
      select ${columns(given)} from events
      where organization_id = ${given.organizationId} and asset_id = ${given.assetId}
        and number > coalesce(${given.after}::bigint, 0) and ${isWanted(given)} and ${isVisible(given)}
      order by number limit ${given.limit}`),
  )

const readOfAsset = readOfAssetIn(whole)
const readOfAssetInLimits = dedicatedConnection(readOfAssetIn(inLimits))

const bounds = statement(
  ({ organizationId }: Given<object>) => sql<LogBounds>`
    select log.last_number as last, log.gaps, coalesce(${firstOf(organizationId)}, log.last_number + 1) as first
    from event_logs as log where organization_id = ${organizationId}`,
)

const emptyLog = { first: 1, last: 0, gaps: [] }

export async function findBounds(db: OrganizationDb): Promise<LogBounds> {
  const [[row]] = await db.run(bounds({}))
  return row ?? emptyLog
}

/**
 * Events after a number, and the bounds of the log. The bounds are read first, in the same transaction: no partition is
 * dropped until it ends, so nothing is missing between the first number and the events.
 */
export async function selectEvents(
  db: OrganizationDb,
  { assetId, ...range }: EventRange & { readonly assetId: AssetId | null },
): Promise<{
  readonly bounds: LogBounds
  readonly events: readonly LoggedEvent[]
  /** The result was cut off by the limit on bytes; there are more events. */
  readonly isFull: boolean
}> {
  const events = queryOf(db, range, assetId)
  const [[row], found] = await (db.limits
    ? db.withTrash((all) => all.run(bounds({}), events))
    : db.run(bounds({}), events))
  return { bounds: row ?? emptyLog, events: found, isFull: found.length < (found[0]?.found ?? 0) }
}

function queryOf({ limits }: OrganizationDb, range: EventRange, assetId: AssetId | null) {
  if (assetId !== null) return (limits ? readOfAssetInLimits : readOfAsset)({ assetId, ...range })
  if (limits) return readInLimits(range)
  return (range.patterns.length === 0 ? read : scan)(range)
}

/** Creates the partitions of the next weeks and drops those that contain only older events. */
export const maintainPartitions = statement(
  ({ days }: Given<{ days: number }>) => sql`select from keep_event_weeks(${days}::integer)`,
)
