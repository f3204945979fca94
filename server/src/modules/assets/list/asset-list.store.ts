/** Statements of asset lists: see docs/decisions/0008-asset-lists.md. */
import { COUNT_MAX, PAGE_LIMIT_MAX } from '@reelkeep/contract'
import { type RawBuilder, sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import {
  countStatement,
  estimateStatement,
  type FilteredQuery,
  filteredList,
} from '../../../platform/db/paging/filtered-list.ts'
import type { PageRequest } from '../../../platform/db/paging/keyset.ts'
import {
  type KeysetQuery,
  keysetQuery,
  type Order,
  type PageWindow,
  toRowsWithCount,
} from '../../../platform/db/paging/keyset-query.ts'
import { hasFirstGram } from '../../../platform/db/paging/title-search.ts'
import { customPlan, dedicatedConnection, type Given, statement } from '../../../platform/db/statement.ts'
import type { Asset } from '../assets.rules.ts'
import { rowColumns as allColumns, slimRowColumns } from '../assets.store.ts'
import type { AssetFilter } from './asset-filter.rules.ts'
import {
  allOf,
  allOfSearch,
  type ConditionName,
  conditionNames,
  type FilterValues,
  isAbandoned,
  isKept,
  orLast,
  readsView,
  sqlOf,
  subtree,
  valuesOf,
} from './asset-filter.store.ts'
import { LAST, type ListOrder } from './asset-order.ts'

/** The rows of a page, one more than it shows, and the number of matches; null if they are too many to count. */
type AssetRows = { readonly rows: readonly Asset[]; readonly count: number | null }

/** A list is described by the names of its conditions, its order and its columns; the values are parameters. */
type Shape = {
  readonly names: readonly ConditionName[]
  readonly order: ListOrder
  /** Whether columns from other tables are left out. */
  readonly isSlim: boolean
}

export async function selectAssets(
  db: OrganizationDb,
  filter: AssetFilter,
  { order, isSlim, request }: Omit<Shape, 'names'> & { readonly request: PageRequest },
): Promise<AssetRows> {
  const names = conditionNames(filter)
  const { rows, count } = await listOf({ names, order, isSlim })(db, valuesOf(filter), request)
  return { rows, count: !isAll(names) && count > COUNT_MAX ? null : count }
}

/** The list without a filter, which hides only abandoned assets. */
const isAll = (names: readonly ConditionName[]) => names.join(' ') === 'kept'

type AssetList = FilteredQuery<FilterValues, Asset>

/** Bounds the memory for statements. There are more combinations of filters and orders, but few are in use. */
const LISTS_KEPT_MAX = 500
const lists = new LRUCache<string, AssetList>({ max: LISTS_KEPT_MAX })

function listOf(shape: Shape): AssetList {
  const key = JSON.stringify(shape)
  const list = lists.get(key) ?? newList(shape)
  lists.set(key, list)
  return list
}

function newList(shape: Shape): AssetList {
  const { names, order } = shape
  const isMatch = names.includes('grams') ? allOfSearch(names) : allOf(names, 'find')
  const list = { relation: readsView(names) ? 'searchable_assets' : 'assets', isMatch, countMax: COUNT_MAX }
  const count = countByIndex(names) ?? countStatement<FilterValues, Asset>(list)
  const read = readInOrder(shape)
  if (!read) {
    const walk = names.every(isInOtherTable) ? walkIndex(names) : { isMatchingRow: allOf(names, 'test') }
    const estimate = names.includes('grams') ? estimateOf(list.relation, names) : undefined
    return filteredList({
      ...list,
      estimate,
      order: sqlOrder(order),
      ...walk,
      show: showIn(shape),
      countAll,
      count,
    })
  }
  if (isAll(names))
    return async (db, values, request) => toRowsWithCount(await db.run(read(values, request), countAll(values)))
  const total = customPlan(count)
  return async (db, values, request) => {
    const known = request.position?.count
    if (known === undefined) return toRowsWithCount(await db.run(read(values, request), total(values)))
    const [rows] = await db.run(read(values, request))
    return { rows, count: known }
  }
}

/** Whether the condition is tested in other tables, apart from hiding assets. */
const isInOtherTable = (name: ConditionName) => /^(kept|tag\d+|subtitles|chapters)$/.test(name)

/** Reads the index of the order without the rows. Of the assets that match, it tests whether they are hidden. */
function walkIndex(names: readonly ConditionName[]) {
  const tests = names.filter((name) => name !== 'kept').map((name) => sqlOf(name).test)
  const isMatchingRow = (given: Given<FilterValues>) => sql<boolean>`
    case when ${sql.join(
      tests.map((test) => test(given)),
      sql` and `,
    )} then (${hidden(given, sql`listed.id`)}) is null end`
  return { walked: 'all_assets', isMatchingRow }
}

const hidden = ({ organizationId }: Given<object>, id: RawBuilder<unknown>) => sql`
  select true from hidden_assets as hidden where hidden.organization_id = ${organizationId} and hidden.id = ${id}`

function estimateOf(relation: string, names: readonly ConditionName[]) {
  const isOther = allOf(
    names.filter((name) => name !== 'grams'),
    'find',
  )
  const isMatch = (given: Given<FilterValues>) => sql<boolean>`${isOther(given)} and ${hasFirstGram(given)}`
  return estimateStatement<FilterValues, Asset>({ relation, table: 'assets', isMatch })
}

/**
 * The exact count of assets that are not abandoned. It sums the counter shards and reads the index of abandoned assets,
 * so the cost does not depend on the number of assets.
 */
const countAll = statement(
  ({ organizationId }: Given<object>) => sql<{ count: number }>`
    select coalesce(sum(asset_count), 0)::bigint - (
      select count(*) from assets where organization_id = ${organizationId} and is_listed and ${isAbandoned}
    ) as count
    from asset_counts where organization_id = ${organizationId}`,
)

/** SQL of the ids of assets, in order, with rows in another table that its index finds. */
const idsByIndex: Record<string, (given: Given<FilterValues>) => RawBuilder<unknown>> = {
  'kept tag0': (given) => sql`
    select asset_id from asset_tags where organization_id = ${given.organizationId} and tag_key = ${given['tag0']}`,
  'kept subtitles': ({ organizationId }) => sql`
    select distinct asset_id from subtitle_tracks where organization_id = ${organizationId}`,
  'kept chapters': ({ organizationId }) => sql`
    select distinct asset_id from chapters where organization_id = ${organizationId}`,
}

/** Counts the matches by one index, for lists for which Postgres would read more. */
function countByIndex(names: readonly ConditionName[]) {
  const count = (matches: (given: Given<FilterValues>) => RawBuilder<unknown>) =>
    statement(
      (given: Given<FilterValues>) => sql<{ count: number }>`
        select count(*) as count from (${matches(given)} limit ${sql.lit(COUNT_MAX + 1)}) as counted`,
    )
  const name = names.join(' ')
  const ids = idsByIndex[name]
  // Reads two indexes in the same order, and no asset. The order makes Postgres stop at the limit.
  if (ids)
    return count(
      (given) => sql`
        select from (${ids(given)} order by asset_id) as part
        where not exists (${hidden(given, sql`part.asset_id`)})`,
    )
  if (name === 'subtree kept')
    return count(
      (given) => sql`
        select from (${subtree(given)}) as folder cross join lateral (
          select from assets as listed
          where organization_id = ${given.organizationId} and folder_uuid = folder.uuid and is_listed and ${isKept}
          limit ${sql.lit(COUNT_MAX + 1)}
        ) as asset`,
    )
  if (names.includes('subtree') || !indexed.id.includes(name)) return undefined
  // Without an order, Postgres reads the whole table instead of the index if it expects matches everywhere.
  const isMatch = allOf(names, 'find')
  return count(
    (given) => sql`
      select from assets as listed where organization_id = ${given.organizationId} and ${isMatch(given)}
      order by ${sql.raw(names.includes('root') ? 'folder_uuid, id' : 'id')}`,
  )
}

/** The conditions for which an index has the matches in order. */
const indexed: Record<ListOrder['by'], readonly string[]> = {
  id: [
    ...['kept', 'root kept', 'folder kept', 'subtree kept', 'kept tag0'],
    ...['status', 'error', 'root status', 'folder status', 'subtree status'],
  ],
  creation: ['kept created'],
  title: ['kept'],
  update: ['kept'],
  duration: ['kept', 'duration'],
  bytes: ['kept'],
}

/** Returns a statement that reads a page from an index with the matches in order; undefined without such an index. */
function readInOrder(shape: Shape): KeysetQuery<FilterValues, Asset> | undefined {
  const { names, order } = shape
  if (!indexed[order.by].includes(names.join(' '))) return undefined
  if (names.includes('subtree')) return readSubtree(shape)
  const read = readPage(shape)
  // Without its values, Postgres expects that a page is a tenth of the list, and sorts instead of using these indexes.
  return order.by === 'id' && !names.includes('tag0') ? read : customPlan(read)
}

/**
 * The inner limit is the largest page. It is part of the statement, so that the generic plan of Postgres expects few
 * rows: in an organization with most of ten million assets, it would otherwise sort all of them.
 */
function readPage({ names, order, isSlim }: Shape): KeysetQuery<FilterValues, Asset> {
  const rowColumns = columnsOf(isSlim)
  // Postgres does not infer from "folder_uuid is null" that the column is constant. Ordering by folder_uuid as well
  // lets Postgres read the index that starts with this column in order.
  const prefixColumns = names.includes('root') ? ['folder_uuid'] : []
  const isMatch = allOf(names, 'find')
  return keysetQuery(
    { ...sqlOrder(order), prefixColumns },
    (given: Given<FilterValues>, window) => sql<Asset>`
      select ${rowColumns} from (
        select * from (
          select * from assets as listed
          where organization_id = ${given.organizationId} and ${isMatch(given)} and ${window.afterPosition}
          ${window.order} limit ${sql.lit(PAGE_LIMIT_MAX + 1)}
        ) as listed
        ${window.order} limit ${window.limit}
      ) as assets
      ${window.order}`,
  )
}

/** Reads one page per folder from the index and merges the pages. */
function readSubtree(shape: Shape): KeysetQuery<FilterValues, Asset> {
  const { names, order } = shape
  const show = showIn(shape)
  const isMatch = allOf(
    names.filter((name) => name !== 'subtree'),
    'find',
  )
  const read = keysetQuery(sqlOrder(order), (given: Given<FilterValues>, window) => {
    const { afterPosition, order, limit } = window
    const keys = sql`
      select id from (${subtree(given)}) as folder cross join lateral (
        select id from assets as listed
        where organization_id = ${given.organizationId} and folder_uuid = folder.uuid
          and ${isMatch(given)} and ${afterPosition}
        ${order} limit ${limit}
      ) as asset
      ${order} limit ${limit}`
    return show(given, keys, window)
  })
  return dedicatedConnection(read)
}

function showIn({ isSlim }: Shape) {
  const rowColumns = columnsOf(isSlim)
  return (
    { organizationId }: Given<object>,
    keys: RawBuilder<unknown>,
    { order }: PageWindow,
  ): RawBuilder<Asset> => sql`
    select ${rowColumns} from assets
    where organization_id = ${organizationId} and id in (select id from (${keys}) as found)
    ${order}`
}

const columnsOf = (isSlim: boolean) => (isSlim ? slimRowColumns : allColumns)

/** The columns and expressions of the indexes. */
function sqlOrder({ by, direction, hasNulls }: ListOrder): Order {
  switch (by) {
    case 'id':
      return { columns: ['id'], direction }
    case 'creation':
      return { columns: ['created_at', 'id'], direction }
    case 'update':
      return { columns: ['updated_at', 'id'], direction }
    case 'title':
      return { columns: ['title collate natural_order', 'id'], fields: ['title', 'id'], direction }
    case 'duration': {
      // Without nulls, the index of the filter serves both directions.
      const last = LAST.duration[hasNulls ? direction : 'desc']
      const column = orLast('duration_seconds', last === 'Infinity' ? `'Infinity'` : last)
      return { columns: [column, 'id'], fields: ['duration_seconds', 'id'], direction }
    }
    case 'bytes':
      return { columns: [orLast('bytes', LAST.bytes[direction]), 'id'], fields: ['bytes', 'id'], direction }
  }
}
