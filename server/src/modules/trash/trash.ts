/** The trash of an organization: its list, and the purge of what has been in it for long enough. */
import type { AssetId } from '../../kernel/ids.ts'
import type { Timestamp } from '../../kernel/time.ts'
import type { Database, OrganizationDb } from '../../platform/db/database.ts'
import { type PageRequest, type RowPage, type SortKey, toRowPage } from '../../platform/db/paging/keyset.ts'
import { type Asset, type FormLifetime, findAssets, purgeAssetsDue } from '../assets/assets.ts'
import { type AssetsInFolders, purgeFoldersDue } from '../folders/folders.ts'
import { isTrashKey } from './trash.rules.ts'
import * as store from './trash.store.ts'

export type TrashItem = {
  readonly deletedAt: Timestamp
  readonly purgeAt: Timestamp
  /** One of both is set. */
  readonly asset: Asset | null
  readonly folder: store.TrashedFolder | null
}

export { isTrashKey }

/** `count` is null if the items are too many to count. */
export const listTrash = (
  db: OrganizationDb,
  request: PageRequest,
): Promise<RowPage<TrashItem> & { count: number | null }> =>
  db.withTrash(async (all) => {
    const { rows, count } = await store.selectTrash(all, request)
    const page = toRowPage(rows, request, ({ deletedAt, id }): SortKey => [deletedAt, id])
    const assets = await findAssets(
      all,
      page.rows.flatMap((row) => (row.isFolder ? [] : [row.id as AssetId])),
    )
    const folders = await store.selectTrashedFolders(
      all,
      page.rows.flatMap((row) => (row.isFolder ? [row.id] : [])),
    )
    const assetsById = new Map<string, Asset>(assets.map((asset) => [asset.id, asset]))
    const foldersById = new Map<string, store.TrashedFolder>(folders.map((folder) => [folder.uuid, folder]))
    const items = page.rows.map(({ id, deletedAt, purgeAt }) => ({
      deletedAt,
      purgeAt,
      asset: assetsById.get(id) ?? null,
      folder: foldersById.get(id) ?? null,
    }))
    return { ...page, rows: items, count }
  })

type Purge = {
  readonly settings: FormLifetime
  readonly assets: AssetsInFolders
  readonly signal: AbortSignal
  readonly onFailure: (error: unknown, organizationId: string) => void
}

/** Purges what is due in all organizations. An error in one organization does not stop the others. */
export async function purgeTrash(database: Database, purge: Purge): Promise<void> {
  for (const organizationId of await store.selectOrganizationsWithDueTrash(database)) {
    if (purge.signal.aborted) return
    await purgeIn(database.forOrganization(organizationId), purge).catch((error: unknown) =>
      purge.onFailure(error, organizationId),
    )
  }
}

async function purgeIn(db: OrganizationDb, { settings, assets, signal }: Purge): Promise<void> {
  while (!signal.aborted && (await purgeAssetsDue(settings, db)));
  while (!signal.aborted && (await purgeFoldersDue(assets, db)));
}
