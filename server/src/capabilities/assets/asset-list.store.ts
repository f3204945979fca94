import { type RawBuilder, sql } from 'kysely'
import type { Needle } from '../../kernel/search-text.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import type { PageRequest } from '../../platform/db/keyset.ts'
import {
  type Found,
  type Order,
  type Reading,
  readingOf,
  type Stretch,
  toFound,
} from '../../platform/db/reading.ts'
import { type Given, statement, takesLong } from '../../platform/db/statement.ts'
import { titleSearch } from '../../platform/db/title-search.ts'
import {
  type FilterSql,
  type FilterValues,
  forEachFilter,
  subtree,
  valuesOf,
} from './asset-filter.store.ts'
import type { Asset, AssetFilter } from './assets.rules.ts'
import { rowColumns } from './assets.store.ts'

/** Newest first: ids are made in the order of time. */
const newestFirst: Order = { columns: ['id'], direction: 'desc' }

/** Exact, and at the same cost for ten assets and ten million. */
const countAll = statement(
  ({ organizationId }: Given<object>) => sql<{ count: number }>`
    select coalesce(sum(asset_count), 0)::bigint as count
    from asset_counts where organization_id = ${organizationId}`,
)

const listOf = forEachFilter((filter) => {
  const read = filter.place === 'subtree' ? readSubtree(filter) : readPlace(filter)
  return { read, count: countMatches(filter) }
})

const searchOf = forEachFilter(({ isInPlace, hasStatus }) =>
  titleSearch<FilterValues, Asset>({
    view: 'searchable_assets',
    order: newestFirst,
    isWanted: (given) => sql`${isInPlace(given)} and ${hasStatus(given)}`,
    show: showAssets,
    countAll,
  }),
)

export async function selectAssets(
  db: OrganizationDb,
  filter: AssetFilter,
  request: PageRequest,
): Promise<Found<Asset>> {
  const { read, count } = listOf(filter)
  const values = valuesOf(filter)
  const isAll = filter.place.kind === 'anywhere' && filter.status === undefined
  return toFound(await db.run(read(values, request), isAll ? countAll({}) : count(values)))
}

export function searchAssets(
  db: OrganizationDb,
  needle: Needle,
  filter: AssetFilter,
  request: PageRequest,
): Promise<Found<Asset>> {
  return searchOf(filter)(db, needle, valuesOf(filter), request)
}

function readPlace({ isInPlace, hasStatus, place }: FilterSql): Reading<FilterValues, Asset> {
  // "Is null" does not tell Postgres that all rows are equal in this column; this does, and so the index
  // that begins with it is read in its own order.
  const order: Order = place === 'root' ? { ...newestFirst, heldBy: ['folder_uuid'] } : newestFirst
  return readingOf(
    order,
    (given: Given<FilterValues>, stretch) => sql<Asset>`
      select ${rowColumns} from assets
      where organization_id = ${given.organizationId} and ${isInPlace(given)} and ${hasStatus(given)}
        and ${stretch.isAhead}
      ${stretch.order} limit ${stretch.limit}`,
  )
}

/** A page of each folder is read off its index, and the page of all is among them. */
function readSubtree({ hasStatus }: FilterSql): Reading<FilterValues, Asset> {
  const read = readingOf(newestFirst, (given: Given<FilterValues>, stretch) => {
    const { isAhead, order, limit } = stretch
    const keys = sql`
      select id from (${subtree(given)}) as folder cross join lateral (
        select id from assets
        where organization_id = ${given.organizationId} and folder_uuid = folder.uuid
          and ${hasStatus(given)} and ${isAhead}
        ${order} limit ${limit}
      ) as asset
      ${order} limit ${limit}`
    return showAssets(given, keys, stretch)
  })
  return takesLong(read)
}

/** Read when asked: see docs/decisions/0008-lists-of-assets.md. */
function countMatches({ isInPlace, hasStatus }: FilterSql) {
  return takesLong(
    statement(
      (given: Given<FilterValues>) => sql<{ count: number }>`
        select count(*) as count from assets
        where organization_id = ${given.organizationId} and ${isInPlace(given)} and ${hasStatus(given)}`,
    ),
  )
}

function showAssets(
  { organizationId }: Given<object>,
  keys: RawBuilder<unknown>,
  { order }: Stretch,
): RawBuilder<Asset> {
  return sql`
    select ${rowColumns} from assets
    where organization_id = ${organizationId} and id in (select id from (${keys}) as found)
    ${order}`
}
