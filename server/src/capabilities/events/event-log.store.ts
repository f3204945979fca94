import { sql } from 'kysely'
import type { AssetId } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { type Given, statement } from '../../platform/db/statement.ts'
import type { LoggedEvent } from './events.rules.ts'

type Stretch = { readonly after: number; readonly last: number; readonly limit: number }

/** `like` patterns of the kinds wanted, of which none means all. */
type Wanted = { readonly patterns: readonly string[]; readonly assetId: AssetId | null }

const columns = sql`number, id, type, asset_id as "assetId", data, created_at as "createdAt"`

const read = statement(
  ({
    organizationId,
    after,
    last,
    limit,
    patterns,
    assetId,
  }: Given<Stretch & Wanted>) => sql<LoggedEvent>`
    select ${columns} from events
    where organization_id = ${organizationId} and number > ${after}::bigint and number <= ${last}::bigint
      and (cardinality(${patterns}::text[]) = 0 or type like any (${patterns}::text[]))
      and (${assetId}::uuid is null or asset_id = ${assetId}::uuid)
    order by number limit ${limit}`,
)

export async function selectEvents(
  db: OrganizationDb,
  wish: Stretch & Wanted,
): Promise<LoggedEvent[]> {
  const [rows] = await db.run(read(wish))
  return rows
}

/** The last number there is, and the first that is still kept; of an empty log, the one that would be next. */
export type Ends = { readonly first: number; readonly last: number }

const ends = statement(
  ({ organizationId }: Given<object>) => sql<Ends>`
    select log.last_number as last, coalesce(
      (select number from events where organization_id = ${organizationId} order by number limit 1),
      log.last_number + 1) as first
    from event_logs as log where organization_id = ${organizationId}`,
)

export async function findEnds(db: OrganizationDb): Promise<Ends> {
  const [[row]] = await db.run(ends({}))
  return row ?? { first: 1, last: 0 }
}

const keepDays = statement(
  ({ days }: Given<{ days: number }>) => sql`select from keep_event_days(${days}::integer)`,
)

/** Makes the days that are about to begin, and drops those whose events are older. */
export const daysKept = keepDays
