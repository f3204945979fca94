/**
 * Deletion of folders. A folder goes to the trash with everything in it, and is restored and purged with it. What was
 * deleted before stays in the trash by itself.
 */
import type { FolderUuid } from '../../../kernel/ids.ts'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import { assertNotLimitFolder, assertNotRoot, outsideFolder } from '../../../platform/db/limits.ts'
import { recordEvents } from '../../events/events.ts'
import { readTrashDays } from '../../organizations/organizations.ts'
import type { AssetsInFolders } from '../assets-in-folders.ts'
import { folderDeleted, folderPurged, folderRestored } from '../folders.events.ts'
import {
  assertDeletable,
  assertMayChangeAssets,
  countLimit,
  DEPTH_MAX,
  type DeletionOptions,
  type Folder,
  folderNotFound,
  isDeletable,
} from '../folders.rules.ts'
import { depthOf, findFolder, lockTree, lockTreeAndFindFolder, measure, selectPath } from '../folders.store.ts'
import * as store from './folder-deletion.store.ts'

/** Counts what a recursive deletion would remove. */
export async function previewDeletion(assets: AssetsInFolders, db: OrganizationDb, uuid: FolderUuid) {
  const folder = await findFolder(db, uuid)
  if (!folder) throw folderNotFound()
  const bounds = { folderUuid: uuid, foldersMax: PREVIEW_COUNT_MAX, atMost: PREVIEW_COUNT_MAX }
  const [{ count: folders }, [[found]]] = await Promise.all([
    measure(db, folder, PREVIEW_COUNT_MAX),
    db.run(assets.countInSubtree(bounds)),
  ])
  const scope = { folders, assets: found?.count ?? 0 }
  return { ...scope, isAllowed: isDeletable(scope) }
}

/** Number at which the preview of a deletion stops counting. */
const PREVIEW_COUNT_MAX = 100_000

/** Moves the folder to the trash. Purges it if the options say so, or if the organization has no trash. */
export async function deleteFolder(
  assets: AssetsInFolders,
  db: OrganizationDb,
  { uuid, ...options }: DeletionOptions & { readonly uuid: FolderUuid },
): Promise<void> {
  await db.transaction(async (tx) => {
    const folder = await lockTreeAndFindFolder(tx, uuid)
    if (!folder && options.isPermanent) return tx.withTrash(() => purgeFromTrash(assets, tx, { uuid, ...options }))
    if (!folder) throw folderNotFound()
    assertNotLimitFolder(tx, uuid)
    await withWholeSubtree(tx, (seesAll) => deleteSubtree(assets, tx, folder, { ...options, seesAll }))
  })
}

/**
 * A limited principal that sees a folder sees everything below it, except for assets that others created, if it is
 * limited to its own. So the limits are lifted to change the subtree. `seesAll` distinguishes the two cases.
 */
const withWholeSubtree = <Result>(tx: OrganizationDb, work: (seesAll: boolean) => Promise<Result>): Promise<Result> => {
  const seesAll = tx.limits?.createdBy === undefined
  return tx.withLimits(undefined, () => work(seesAll))
}

async function deleteSubtree(
  assets: AssetsInFolders,
  tx: OrganizationDb,
  { uuid, parentUuid }: Folder,
  { seesAll, ...options }: DeletionOptions & { readonly seesAll: boolean },
): Promise<void> {
  const limit = countLimit(options)
  const folderUuids = await store.lockSubtree(tx, uuid, limit.folders)
  const bounds = { folderUuid: uuid, foldersMax: limit.folders, atMost: limit.assets }
  const [[found]] = await tx.run(assets.countInSubtree(bounds))
  const scope = { folders: folderUuids.length, assets: found?.count ?? 0 }
  assertDeletable(scope, options)
  if (!seesAll && scope.assets > 0) throw outsideFolder()
  const trashDays = options.isPermanent ? 0 : await readTrashDays(tx)
  await tx.withTrash(async () => {
    const counts = { inAll: -folderUuids.length, atRoot: parentUuid === null ? -1 : 0 }
    if (trashDays > 0) return moveToTrash(assets, tx, { folderUuids, counts, trashDays, deletedWith: uuid })
    await assets.purgeIn(tx, folderUuids)
    const removed = await store.removeFolders(tx, folderUuids, counts)
    await recordEvents(tx, ...removed.map(folderDeleted))
  })
}

type TrashedSubtree = {
  /** Deepest first. */
  readonly folderUuids: readonly FolderUuid[]
  readonly counts: store.CountChange
  readonly trashDays: number
  readonly deletedWith: FolderUuid
}

async function moveToTrash(assets: AssetsInFolders, tx: OrganizationDb, subtree: TrashedSubtree): Promise<void> {
  const { folderUuids, counts, ...trash } = subtree
  await assets.moveToTrash(tx, folderUuids, trash)
  const deleted = await store.updateToTrashed(tx, folderUuids, trash)
  await store.changeCounts(tx, counts)
  await recordEvents(tx, ...deleted.map(folderDeleted))
}

/** Purges a folder that is in the trash, with everything that was deleted with it. */
async function purgeFromTrash(
  assets: AssetsInFolders,
  tx: OrganizationDb,
  { uuid, ...options }: DeletionOptions & { readonly uuid: FolderUuid },
): Promise<void> {
  if (!(await findFolder(tx, uuid))) throw folderNotFound()
  await withWholeSubtree(tx, async (seesAll) => {
    const folderUuids = await store.lockDeletedWith(tx, uuid)
    if (folderUuids.length === 0) throw folderNotFound()
    const scope = { folders: folderUuids.length, assets: await store.countAssetsDeletedWith(tx, uuid) }
    assertDeletable(scope, options)
    if (!seesAll && scope.assets > 0) throw outsideFolder()
    await purge(assets, tx, uuid, folderUuids)
  })
}

async function purge(
  assets: AssetsInFolders,
  tx: OrganizationDb,
  uuid: FolderUuid,
  folderUuids: readonly FolderUuid[],
): Promise<void> {
  await assets.purgeDeletedWith(tx, uuid, folderUuids)
  const removed = await store.removeFolders(tx, folderUuids, { inAll: 0, atRoot: 0 })
  await recordEvents(tx, ...removed.map(folderPurged))
}

/**
 * Restores the folder with everything that was deleted with it. It goes to the root if its parent was deleted or is now
 * too deep in the tree.
 */
export async function restoreFolder(
  assets: AssetsInFolders,
  db: OrganizationDb,
  { uuid, mayChangeAssets }: { readonly uuid: FolderUuid } & Pick<DeletionOptions, 'mayChangeAssets'>,
): Promise<void> {
  await db.transaction(async (tx) => {
    if (await lockTreeAndFindFolder(tx, uuid)) return
    await tx.withTrash(async () => {
      const folder = await findFolder(tx, uuid)
      const folderUuids = await store.lockDeletedWith(tx, uuid)
      if (!folder || folderUuids.length === 0) throw folderNotFound()
      const parentUuid = await parentToRestoreTo(tx, folder)
      assertNotRoot(tx, parentUuid)
      await withWholeSubtree(tx, async (seesAll) => {
        const assetCount = mayChangeAssets && seesAll ? 0 : await store.countAssetsDeletedWith(tx, uuid)
        if (!mayChangeAssets) assertMayChangeAssets(assetCount)
        if (!seesAll && assetCount > 0) throw outsideFolder()
        const restored = await store.updateToRestored(tx, uuid, parentUuid)
        await store.changeCounts(tx, { inAll: folderUuids.length, atRoot: Number(parentUuid === null) })
        await recordEvents(tx, ...restored.map(folderRestored))
        await assets.restoreDeletedWith(tx, uuid)
      })
    })
  })
}

async function parentToRestoreTo(
  tx: OrganizationDb,
  folder: NonNullable<Awaited<ReturnType<typeof findFolder>>>,
): Promise<FolderUuid | null> {
  if (folder.parentUuid === null) return null
  const parent = await findFolder(tx, folder.parentUuid)
  if (!parent || parent.purgeAt !== null) return null
  const path = await selectPath(tx, parent.uuid)
  const { height } = await measure(tx, folder, PREVIEW_COUNT_MAX)
  return (await depthOf(tx, parent.uuid, path)) + height <= DEPTH_MAX ? parent.uuid : null
}

/** Purges one folder whose time in the trash has ended. Returns false if none is due. */
export const purgeFoldersDue = (assets: AssetsInFolders, db: OrganizationDb): Promise<boolean> =>
  db.transaction(async (tx) => {
    await lockTree(tx)
    const uuid = await store.findDue(tx)
    if (uuid === undefined) return false
    await purge(assets, tx, uuid, await store.lockDeletedWith(tx, uuid))
    return true
  })
