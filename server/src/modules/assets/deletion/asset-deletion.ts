/**
 * Deletion of assets. A deleted asset goes to the trash: its rows and files stay, but requests do not find it. It can
 * be restored until it is purged, which deletes its rows at once and its files by a job.
 */
import type { AssetId } from '../../../kernel/ids.ts'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import { recordEvents } from '../../events/events.ts'
import { type AssetsInFolders, shareLockTree } from '../../folders/folders.ts'
import { readTrashDays } from '../../organizations/organizations.ts'
import { assetDeleted, assetRestored } from '../assets.events.ts'
import { type Asset, assetNotFound } from '../assets.rules.ts'
import { findAsset } from '../assets.store.ts'
import { insertTimelineEntries } from '../bulk/asset-batches.store.ts'
import { tagKeyOf } from '../changes/asset-tags.rules.ts'
import * as store from './asset-deletion.store.ts'
import type { FormLifetime } from './asset-objects.ts'
import { PURGED_AT_ONCE, purge } from './asset-purge.ts'

export type { FormLifetime }

/** For a transaction that locks other rows before it deletes an asset: this lock must be the first. */
export const lockBeforeDeletion = shareLockTree

/** Moves the asset to the trash. Purges it if `isPermanent`, or if the organization has no trash. */
export async function deleteAsset(
  settings: FormLifetime,
  db: OrganizationDb,
  { id, isPermanent }: { readonly id: AssetId; readonly isPermanent: boolean },
): Promise<void> {
  await changeTrash(db, async (tx) => {
    const [asset] = await store.lockDeletable(tx, [id])
    if (!asset) throw assetNotFound()
    const trashDays = isPermanent ? 0 : await readTrashDays(tx)
    if (trashDays === 0) return purge(tx, [id], settings)
    if (asset.isInTrash) throw assetNotFound()
    await moveToTrash(tx, [id], { trashDays, deletedWith: null })
  })
}

/** Restores the asset into its folder, or to the root if the folder was deleted. */
export function restoreAsset(db: OrganizationDb, id: AssetId): Promise<Asset> {
  return changeTrash(db, async (tx) => {
    const [asset] = await store.lockDeletable(tx, [id])
    if (asset?.isInTrash) await restore(tx, [id])
    const restored = asset && (await findAsset(tx, id))
    if (!restored) throw assetNotFound()
    return restored
  })
}

/**
 * Locks the folder tree before any asset, in the same order as the deletion of a folder, to avoid deadlocks. Nobody can
 * set a legal hold on a folder above the asset until the transaction ends.
 */
export const changeTrash = <Result>(
  db: OrganizationDb,
  change: (tx: OrganizationDb) => Promise<Result>,
): Promise<Result> =>
  db.transaction(async (tx) => {
    await shareLockTree(tx)
    return tx.withTrash(change)
  })

/** Purges assets whose time in the trash has ended, and returns whether more are due. Those on hold stay. */
export const purgeAssetsDue = (settings: FormLifetime, db: OrganizationDb): Promise<boolean> =>
  changeTrash(db, async (tx) => {
    const due = await store.lockDue(tx, PURGED_AT_ONCE)
    await purge(tx, due, settings)
    return due.length === PURGED_AT_ONCE
  })

/** The operations on assets that folders need. */
export const assetsInFolders = (settings: FormLifetime): AssetsInFolders => ({
  countIn: store.countIn,
  countInSubtree: store.countInSubtree,
  moveToTrash: async (tx, folderUuids, trash) => moveToTrash(tx, await store.lockIn(tx, folderUuids), trash),
  restoreDeletedWith: async (tx, folderUuid) => restore(tx, await store.lockDeletedWith(tx, folderUuid)),
  purgeIn: async (tx, folderUuids) => {
    await purge(tx, await store.lockIn(tx, folderUuids), settings)
    await store.moveTrashedToRoot(tx, folderUuids)
  },
  purgeDeletedWith: async (tx, folderUuid, folderUuids) => {
    await purge(tx, await store.lockDeletedWith(tx, folderUuid), settings)
    await store.moveTrashedToRoot(tx, folderUuids)
  },
})

/** The caller has locked the assets, and sees the trash. */
export async function moveToTrash(tx: OrganizationDb, ids: readonly AssetId[], trash: store.Trash): Promise<void> {
  if (ids.length === 0) return
  const deleted = await store.updateToTrashed(tx, ids, trash)
  await insertTimelineEntries(tx, ids, { what: 'deleted', detail: 'Moved to the trash.' })
  await recordEvents(tx, ...deleted.map(assetDeleted))
}

/** The caller has locked the assets, and sees the trash. */
export async function restore(tx: OrganizationDb, ids: readonly AssetId[]): Promise<void> {
  if (ids.length === 0) return
  const restored = await store.updateToRestored(tx, ids)
  const tags = restored.flatMap((asset) => asset.tags.map((tag) => ({ id: asset.id, tagKey: tagKeyOf(tag) })))
  await store.insertTags(tx, tags)
  await insertTimelineEntries(tx, ids, { what: 'restored', detail: 'Restored from the trash.' })
  await recordEvents(tx, ...restored.map(assetRestored))
}
