import { type RawBuilder, sql } from 'kysely'
import type { Needle } from '../../../kernel/search-text.ts'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import type { PageRequest } from '../../../platform/db/paging/keyset.ts'
import {
  type KeysetQuery,
  keysetQuery,
  type Order,
  type PageWindow,
  type RowsWithCount,
  toRowsWithCount,
} from '../../../platform/db/paging/keyset-query.ts'
import { titleSearch } from '../../../platform/db/paging/title-search.ts'
import { dedicatedConnection, type Given, statement } from '../../../platform/db/statement.ts'
import type { Asset, AssetFilter } from '../assets.rules.ts'
import { rowColumns } from '../assets.store.ts'
import { type FilterSql, type FilterValues, forEachFilter, subtree, valuesOf } from './asset-filter.store.ts'

/** Newest first: ids are UUIDv7. */
const newestFirst: Order = { columns: ['id'], direction: 'desc' }

/** The exact count. It sums the counter shards, so the cost does not depend on the number of assets. */
const countAll = statement(
  ({ organizationId }: Given<object>) => sql<{ count: number }>`
    select coalesce(sum(asset_count), 0)::bigint as count
    from asset_counts where organization_id = ${organizationId}`,
)

const listOf = forEachFilter((filter) => {
  const read = filter.location === 'subtree' ? readSubtree(filter) : readLocation(filter)
  return { read, count: countMatches(filter) }
})

const searchOf = forEachFilter(({ isInLocation, hasStatus }) =>
  titleSearch<FilterValues, Asset>({
    view: 'searchable_assets',
    order: newestFirst,
    isWanted: (given) => sql`${isInLocation(given)} and ${hasStatus(given)}`,
    show: showAssets,
    countAll,
  }),
)

export async function selectAssets(
  db: OrganizationDb,
  filter: AssetFilter,
  request: PageRequest,
): Promise<RowsWithCount<Asset>> {
  const { read, count } = listOf(filter)
  const values = valuesOf(filter)
  const isAll = filter.location.kind === 'anywhere' && filter.status === undefined
  return toRowsWithCount(await db.run(read(values, request), isAll ? countAll({}) : count(values)))
}

export function searchAssets(
  db: OrganizationDb,
  needle: Needle,
  filter: AssetFilter,
  request: PageRequest,
): Promise<RowsWithCount<Asset>> {
  return searchOf(filter)(db, needle, valuesOf(filter), request)
}

function readLocation({ isInLocation, hasStatus, location }: FilterSql): KeysetQuery<FilterValues, Asset> {
  // Postgres does not infer from "folder_uuid is null" that the column is constant. Ordering by folder_uuid as well
  // lets Postgres read the index that starts with this column in order.
  const order: Order = location === 'root' ? { ...newestFirst, prefixColumns: ['folder_uuid'] } : newestFirst
  return keysetQuery(
    order,
    (given: Given<FilterValues>, window) => sql<Asset>`
      select ${rowColumns} from assets
      where organization_id = ${given.organizationId} and ${isInLocation(given)} and ${hasStatus(given)}
        and ${window.afterPosition}
      ${window.order} limit ${window.limit}`,
  )
}

/** Reads one page per folder from the index and merges the pages. */
function readSubtree({ hasStatus }: FilterSql): KeysetQuery<FilterValues, Asset> {
  const read = keysetQuery(newestFirst, (given: Given<FilterValues>, window) => {
    const { afterPosition, order, limit } = window
    const keys = sql`
      select id from (${subtree(given)}) as folder cross join lateral (
        select id from assets
        where organization_id = ${given.organizationId} and folder_uuid = folder.uuid
          and ${hasStatus(given)} and ${afterPosition}
        ${order} limit ${limit}
      ) as asset
      ${order} limit ${limit}`
    return showAssets(given, keys, window)
  })
  return dedicatedConnection(read)
}

/** Counts the matching assets on every request: see docs/decisions/0008-asset-lists.md. */
function countMatches({ isInLocation, hasStatus }: FilterSql) {
  return dedicatedConnection(
    statement(
      (given: Given<FilterValues>) => sql<{ count: number }>`
        select count(*) as count from assets
        where organization_id = ${given.organizationId} and ${isInLocation(given)} and ${hasStatus(given)}`,
    ),
  )
}

function showAssets(
  { organizationId }: Given<object>,
  keys: RawBuilder<unknown>,
  { order }: PageWindow,
): RawBuilder<Asset> {
  return sql`
    select ${rowColumns} from assets
    where organization_id = ${organizationId} and id in (select id from (${keys}) as found)
    ${order}`
}
