import { type RawBuilder, sql } from 'kysely'
import type { AssetId } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { type Given, statement, takesLong } from '../../platform/db/statement.ts'
import type { Ends, LoggedEvent } from './events.rules.ts'

type Stretch = {
  /** Null: from the oldest that is kept. */
  readonly after: number | null
  /** `like` patterns of the kinds wanted, of which none means all. */
  readonly patterns: readonly string[]
  readonly limit: number
}
type OfAsset = { readonly assetId: AssetId }

/** Looked through in one answer, for who wants only rare kinds: he goes on from there. */
export const NUMBERS_LOOKED_THROUGH_MAX = 50_000

/**
 * An answer ends with the event that passes this, of those that are read at once; the next answer
 * goes on from there.
 */
const DATA_BYTES_MAX = 4 * 1024 * 1024

/** `found` is how many there were before the bytes were counted. */
type Found = LoggedEvent & { readonly found: number }

const columns = sql`number, id, type, asset_id, data, data_bytes, created_at`

const bounded = (events: RawBuilder<unknown>) => sql<Found>`
  select number, id, type, asset_id as "assetId", data, created_at as "createdAt", found from (
    select *, sum(data_bytes) over (order by number) - data_bytes as bytes_before, count(*) over () as found
    from (${events}) as events
  ) as counted
  where bytes_before < ${sql.lit(DATA_BYTES_MAX)} order by number`

const firstOf = (organizationId: unknown) =>
  sql`(select number from events where organization_id = ${organizationId} order by number limit 1)`

const isWanted = ({ patterns }: Given<Stretch>) =>
  sql`(cardinality(${patterns}::text[]) = 0 or type like any (${patterns}::text[]))`

const read = statement((given: Given<Stretch>) =>
  bounded(sql`
    with start as (select coalesce(${given.after}::bigint, ${firstOf(given.organizationId)} - 1, 0) as number)
    select ${columns} from events
    where organization_id = ${given.organizationId} and number > (select number from start)
      and number <= (select number from start) + ${sql.lit(NUMBERS_LOOKED_THROUGH_MAX)} and ${isWanted(given)}
    order by number limit ${given.limit}`),
)

/**
 * Of rare kinds: it looks through many rows for few, so nobody stands behind it, and an
 * organization does so only as often as its share allows.
 */
const search = takesLong(read)

// By an index of its own, so it need not look through what is about others.
const readOfAsset = statement((given: Given<Stretch & OfAsset>) =>
  bounded(sql`
    select ${columns} from events
    where organization_id = ${given.organizationId} and asset_id = ${given.assetId}
      and number > coalesce(${given.after}::bigint, 0) and ${isWanted(given)}
    order by number limit ${given.limit}`),
)

const ends = statement(
  ({ organizationId }: Given<object>) => sql<Ends>`
    select log.last_number as last, coalesce(${firstOf(organizationId)}, log.last_number + 1) as first
    from event_logs as log where organization_id = ${organizationId}`,
)

const emptyLog = { first: 1, last: 0 }

export async function findEnds(db: OrganizationDb): Promise<Ends> {
  const [[row]] = await db.run(ends({}))
  return row ?? emptyLog
}

/**
 * Events after a number, and the ends of the log. These are read first, in the same transaction:
 * nobody drops a week until it is over, so no week is missing between the first number told and the
 * events; and of what comes meanwhile only the events may know.
 */
export async function selectEvents(
  db: OrganizationDb,
  { assetId, ...stretch }: Stretch & { readonly assetId: AssetId | null },
): Promise<{
  readonly ends: Ends
  readonly events: readonly LoggedEvent[]
  /** There are more, and these are as many bytes as are read at once. */
  readonly isFull: boolean
}> {
  const inAll = stretch.patterns.length === 0 ? read : search
  const [[row], events] = await db.run(
    ends({}),
    assetId === null ? inAll(stretch) : readOfAsset({ assetId, ...stretch }),
  )
  return { ends: row ?? emptyLog, events, isFull: events.length < (events[0]?.found ?? 0) }
}

const keepWeeks = statement(
  ({ days }: Given<{ days: number }>) => sql`select from keep_event_weeks(${days}::integer)`,
)

/** Makes the weeks that are about to begin, and drops those of which every event is older. */
export const weeksKept = keepWeeks
