import { COUNT_MAX } from '@reelkeep/contract'
import { needleOf } from '../../../kernel/search-text.ts'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import { type PageRequest, type Position, type RowPage, toRowPage } from '../../../platform/db/paging/keyset.ts'
import { findFolder } from '../../folders/folders.ts'
import { type Asset, targetFolderNotFound } from '../assets.rules.ts'
import { type AssetFilter, type AssetFilterInput, type AssetLocation, filterOf } from './asset-filter.rules.ts'
import { selectAssets } from './asset-list.store.ts'
import { type AssetOrder, databaseKey, isSortKeyIn, listOrderOf, newestFirst, sortKeyIn } from './asset-order.ts'

/** The filter of a request. */
export type AssetQuery = AssetFilterInput & {
  /** A folder's uuid, or `root`; undefined for all assets. */
  readonly folder?: string | undefined
  readonly isRecursive?: boolean | undefined
  readonly text?: string | undefined
}

export type AssetListOptions = AssetQuery & {
  readonly order?: AssetOrder | undefined
  /** Whether data of other tables, such as renditions and subtitles, may be missing in the rows. */
  readonly isSlim?: boolean | undefined
}

/** Reads the page that `pageRequest` asks for; its function gets the test for keys in the cursor. */
export type PageRequestFor = (isSortKey: ReturnType<typeof isSortKeyIn>) => PageRequest

/** `count` is null if the matches are too many to count. */
export async function listAssets(
  db: OrganizationDb,
  input: AssetListOptions,
  pageRequest: PageRequestFor,
): Promise<RowPage<Asset> & { count: number | null }> {
  const fields = filterOf(input)
  const order = listOrderOf(input.order ?? newestFirst, fields)
  const request = pageRequest(isSortKeyIn(order))
  const filter = await assetFilterOf(db, input)
  const { position, limit } = request
  const inDatabase = { limit, position: position && { ...position, key: databaseKey(order, position.key) } }
  const { rows, count } = await selectAssets(db, filter, { order, isSlim: input.isSlim ?? false, request: inDatabase })
  const page = toRowPage(rows, request, sortKeyIn(order))
  // Later pages need not count again.
  const withCount = (next: Position | null) => next && { ...next, count: count ?? COUNT_MAX + 1 }
  return { ...page, next: withCount(page.next), previous: withCount(page.previous), count }
}

/** Validates the filter. Throws if its folder does not exist. */
export async function assetFilterOf(db: OrganizationDb, query: AssetQuery): Promise<AssetFilter> {
  const needle = query.text === undefined ? undefined : needleOf(db.organizationId, query.text)
  return { ...filterOf(query), location: await locationOf(db, query), needle, limits: db.limits }
}

async function locationOf(db: OrganizationDb, { folder: text, isRecursive }: AssetQuery): Promise<AssetLocation> {
  if (text === undefined || (text === 'root' && isRecursive)) return { kind: 'anywhere' }
  if (text === 'root') return { kind: 'root' }
  const folder = await findFolder(db, text)
  if (!folder) throw targetFolderNotFound(text)
  return { kind: isRecursive ? 'subtree' : 'folder', folder }
}
