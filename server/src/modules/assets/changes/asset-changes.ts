/** Changes of assets by clients. */
import type { AssetId } from '../../../kernel/ids.ts'
import { titleForSearch } from '../../../kernel/search-text.ts'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import { isUniqueViolation } from '../../../platform/db/errors/unique-violation.ts'
import { assertNotRoot } from '../../../platform/db/limits.ts'
import type { Precondition } from '../../../platform/http/responses/entity-tag.ts'
import { recordEvents } from '../../events/events.ts'
import { type Folder, shareLockFolder } from '../../folders/folders.ts'
import { assetUpdated } from '../assets.events.ts'
import { assetNotFound, drmNotConfigured, externalIdTaken, targetFolderNotFound } from '../assets.rules.ts'
import { type Asset, lockAsset, requireAsset } from '../assets.ts'
import { type AssetChange, changed, entriesOf, versionOf } from './asset-changes.rules.ts'
import * as store from './asset-changes.store.ts'
import { tagKeyOf } from './asset-tags.rules.ts'

type AssetUpdate = AssetChange & {
  /** Uuid of the new folder, null for the root; undefined to keep the folder. */
  readonly folder?: string | null | undefined
  /** Throws unless the asset may be changed in its current version. */
  readonly assertVersion?: Precondition
}

/** Whether the service can protect videos with DRM. */
export type Protection = { readonly hasDrm: boolean }

export async function updateAsset(
  { hasDrm }: Protection,
  db: OrganizationDb,
  id: AssetId,
  update: AssetUpdate,
): Promise<Asset> {
  if (update.contentProtection === 'drm' && !hasDrm) throw drmNotConfigured()
  try {
    return await db.transaction((tx) => apply(tx, id, update))
  } catch (error) {
    if (!isUniqueViolation(error, store.EXTERNAL_ID_INDEX)) throw error
    const externalId = String(update.externalId)
    throw externalIdTaken(externalId, await store.findByExternalId(db, externalId))
  }
}

/** Locks the folder before the asset, in the same order as the deletion of a folder, to avoid deadlocks. */
async function apply(tx: OrganizationDb, id: AssetId, update: AssetUpdate): Promise<Asset> {
  const { folder: target, assertVersion, ...change } = update
  if (target !== undefined) {
    await requireAsset(tx, id)
    assertNotRoot(tx, target, 'folder')
  }
  const folder = target == null ? target : await shareLockTarget(tx, target)
  const asset = await lockAsset(tx, id)
  assertVersion?.(versionOf(asset))
  const fields = changed(asset, change, folder)
  const entries = entriesOf(asset, fields, folder ?? null)
  if (entries.length === 0) return asset
  const columns = {
    ...fields,
    ...titleForSearch(tx.organizationId, fields.title),
    tagKeys: fields.tags.map(tagKeyOf),
    metadata: JSON.stringify(fields.metadata),
  }
  const updated = await store.updateEditable(tx, asset, columns, entries)
  if (!updated) throw assetNotFound()
  await recordEvents(tx, assetUpdated(updated))
  return updated
}

async function shareLockTarget(tx: OrganizationDb, text: string): Promise<Folder> {
  const folder = await shareLockFolder(tx, text)
  if (!folder) throw targetFolderNotFound(text)
  return folder
}
