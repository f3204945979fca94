/**
 * Changes of a batch of assets in one transaction, by a fixed number of statements. They have the same rules, events
 * and timeline entries as the changes of single assets. An asset that cannot be changed is returned as an error.
 */
import type { AssetId } from '../../../kernel/ids.ts'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import { assertNotRoot } from '../../../platform/db/limits.ts'
import { recordEvents } from '../../events/events.ts'
import { type Folder, shareLockFolder, shareLockTree } from '../../folders/folders.ts'
import { readTrashDays } from '../../organizations/organizations.ts'
import { assetUpdated } from '../assets.events.ts'
import { assetNotFound, targetFolderNotFound } from '../assets.rules.ts'
import { changed, entriesOf } from '../changes/asset-changes.rules.ts'
import { changeTrash, type FormLifetime, moveToTrash, restore } from '../deletion/asset-deletion.ts'
import { purge } from '../deletion/asset-purge.ts'
import {
  type AssetEdit,
  assertDeletable,
  assertMovable,
  changeOf,
  type Holds,
  type ItemError,
  notFoundErrors,
  separateErrors,
  tagKeysOf,
} from './asset-batches.rules.ts'
import * as store from './asset-batches.store.ts'

export type { AssetEdit, ItemError }

type Errors = Promise<readonly ItemError[]>

/** Throws if the folder of a move does not exist. */
export async function changeAssets(tx: OrganizationDb, ids: readonly AssetId[], edit: AssetEdit): Errors {
  const folder = edit.kind === 'move' ? await lockTarget(tx, edit.folder) : undefined
  const assets = await store.lockAssets(tx, ids)
  const holds = folder === undefined ? noHolds : await holdsOf(tx, [...assets, { folderUuid: folder?.uuid ?? null }])
  const { changes, errors } = separateErrors(assets, (asset) => {
    const after = changed(asset, changeOf(edit, asset), folder)
    assertMovable(asset, after.folderUuid, holds)
    return { ...after, id: asset.id, entry: entriesOf(asset, after, folder ?? null)[0] }
  })
  const effective = changes.filter(({ entry }) => entry !== undefined)
  const [first] = effective
  if (first?.entry) {
    const changedIds = effective.map(({ id }) => id)
    const updated = await store.updateAssets(tx, effective)
    await store.updateTags(tx, changedIds, changedTags(edit))
    await store.insertTimelineEntries(tx, changedIds, first.entry)
    await recordEvents(tx, ...updated.map(assetUpdated))
  }
  return [...notFoundErrors(ids, assets), ...errors]
}

/**
 * Locks the folder tree, then the folder, in the same order as the deletion of a folder. No folder gets a legal hold
 * until the transaction ends, so the triggers of the database decide as `assertMovable` does.
 */
async function lockTarget(tx: OrganizationDb, uuid: string | null): Promise<Folder | null> {
  await shareLockTree(tx)
  if (uuid === null) return null
  const folder = await shareLockFolder(tx, uuid)
  if (!folder) throw targetFolderNotFound(uuid)
  return folder
}

function changedTags(edit: AssetEdit) {
  const added = edit.kind === 'add_tags' ? tagKeysOf(edit.tags) : []
  const removed = edit.kind === 'remove_tags' ? tagKeysOf(edit.tags) : []
  return { added, removed }
}

/** Moves listed assets to the trash, or purges them if the organization has no trash. */
export const deleteAssets = (settings: FormLifetime, db: OrganizationDb, ids: readonly AssetId[]): Errors =>
  changeTrash(db, async (tx) => {
    const { assets, changes, errors } = await lockUnlessHeld(tx, ids, (asset) => !asset.isInTrash)
    const trashDays = await readTrashDays(tx)
    if (trashDays === 0) await purge(tx, changes, settings)
    else await moveToTrash(tx, changes, { trashDays, deletedWith: null })
    return [...notFoundErrors(ids, assets), ...errors]
  })

/** Purges assets in the trash. */
export const purgeAssets = (settings: FormLifetime, db: OrganizationDb, ids: readonly AssetId[]): Errors =>
  changeTrash(db, async (tx) => {
    const { assets, changes, errors } = await lockUnlessHeld(tx, ids, (asset) => asset.isInTrash)
    await purge(tx, changes, settings)
    return [...notFoundErrors(ids, assets), ...errors]
  })

/** Restores assets from the trash. Assets that are not in the trash stay as they are. */
export const restoreAssets = (db: OrganizationDb, ids: readonly AssetId[]): Errors =>
  changeTrash(db, async (tx) => {
    const assets = await store.lockForDeletion(tx, ids)
    const trashed = assets.filter(({ isInTrash }) => isInTrash)
    const holds = await holdsOf(tx, trashed)
    const { changes, errors } = separateErrors(trashed, (asset) => {
      if (asset.isFolderDeleted) {
        assertNotRoot(tx, null)
        assertMovable(asset, null, holds)
      }
      return asset.id
    })
    await restore(tx, changes)
    return [...notFoundErrors(ids, assets), ...errors]
  })

type IsSelected = (asset: store.DeletableAsset) => boolean

/** Locks the assets, and returns those that can be deleted and errors for the others. */
async function lockUnlessHeld(tx: OrganizationDb, ids: readonly AssetId[], isSelected: IsSelected) {
  const assets = await store.lockForDeletion(tx, ids)
  const holds = await holdsOf(tx, assets)
  const { changes, errors } = separateErrors(assets, (asset) => {
    if (!isSelected(asset)) throw assetNotFound()
    assertDeletable(asset, holds)
    return asset.id
  })
  return { assets, changes, errors }
}

type InFolder = Pick<store.DeletableAsset, 'folderUuid'>

const noHolds: Holds = new Map()

function holdsOf(tx: OrganizationDb, assets: readonly InFolder[]): Promise<Holds> {
  const folders = assets.flatMap(({ folderUuid }) => folderUuid ?? [])
  return store.selectHolds(tx, [...new Set(folders)])
}
