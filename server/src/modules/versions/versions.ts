/**
 * Versions of assets: further files under the same id. Each one is processed in a row of its own, which requests do not
 * see; the asset that clients see shows the media of one of them (docs/decisions/0034-versions.md).
 */
import { type AssetId, newAssetId, type TokenId } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { enqueueJob } from '../../platform/jobs/enqueue.ts'
import {
  type Asset,
  enqueueStorageDeletion,
  type FormLifetime,
  lockAsset,
  lockAssetQuery,
  lockBeforeDeletion,
  lockClipped,
  recordTimeline,
  requireAsset,
  statusReached,
  versionActivated,
  versionDeleted,
} from '../assets/assets.ts'
import { recordEvents } from '../events/events.ts'
import { cancelProcessing, cleanUpOutputs } from '../pipeline/pipeline.ts'
import { producedTracks, showProduced } from '../subtitles/subtitles.ts'
import { deleteVersionFile, enqueueFileDeletion } from './version-files.ts'
import {
  activated,
  assertPlayable,
  assertReplaceable,
  failedVersions,
  isNext,
  onHold,
  onlyVersion,
  type Version,
  versionNotFound,
  versionsToDelete,
  wouldDelete,
} from './versions.rules.ts'
import * as store from './versions.store.ts'

export { deleteVersionFile, type Version }

/** All versions of an asset, newest first. */
export async function listVersions(db: OrganizationDb, id: AssetId): Promise<Version[]> {
  const asset = await requireAsset(db, id)
  return versionsOf(db, asset)
}

async function versionsOf(db: OrganizationDb, asset: Asset): Promise<Version[]> {
  const versions = await db.withTrash((all) => store.selectVersions(all, asset.id))
  return versions.length === 0 ? [onlyVersion(asset)] : versions
}

/**
 * Adds a version whose file will be uploaded. The caller has called `lockBeforeDeletion` in the same transaction, and
 * its handle sees the trash.
 */
export async function addVersion(
  tx: OrganizationDb,
  id: AssetId,
  { createdBy, settings }: { readonly createdBy: TokenId; readonly settings: FormLifetime },
): Promise<Version> {
  const asset = await lockAsset(tx, id)
  const versions = await versionsOf(tx, asset)
  const { kept, isOnHold } = await store.findRetention(tx, id)
  const deleted = isOnHold ? [] : failedVersions(versions)
  assertReplaceable(
    asset,
    versions.filter((version) => !deleted.includes(version)),
  )
  if (isOnHold && wouldDelete(versions, kept)) throw onHold()
  for (const failed of deleted) await deleteVersion(settings, tx, asset, failed)
  const mediaId = newAssetId()
  const number = await store.insertVersion(tx, id, { mediaId, createdBy })
  const created = (await store.selectVersions(tx, id)).find((version) => version.number === number)
  if (!created) throw new Error(`Version ${number} is missing after its insert`)
  await recordEvents(tx, ...statusReached({ ...asset, ...created, versionOfId: id, version: number }))
  return created
}

/** Shows another version of the asset. Does nothing if it is shown already. */
export function activateVersion(
  settings: FormLifetime,
  db: OrganizationDb,
  id: AssetId,
  number: number,
): Promise<Asset> {
  return db.transaction(async (tx) => {
    await lockBeforeDeletion(tx)
    // With the handle that does not see the trash: the asset may be moved there until it is locked.
    const asset = await lockAsset(tx, id)
    return tx.withTrash(async (all) => {
      const versions = await versionsOf(all, asset)
      const version = versions.find((candidate) => candidate.number === number)
      if (!version) throw versionNotFound()
      if (version.isActive) return asset
      assertPlayable(version)
      return show(settings, all, asset, version)
    })
  })
}

/**
 * Called when a version has been processed: shows it, unless a newer one has been shown since. If it is shown already,
 * because it was processed again, its columns are copied again.
 */
export function activateCompleted(
  settings: FormLifetime,
  db: OrganizationDb,
  { assetId, number }: { readonly assetId: AssetId; readonly number: number },
): Promise<void> {
  return db.transaction(async (tx) => {
    await lockBeforeDeletion(tx)
    const versions = await store.selectVersions(tx, assetId)
    if (versions.length === 0) return
    const asset = await lockAsset(tx, assetId)
    const current = await store.selectVersions(tx, assetId)
    const version = current.find((candidate) => candidate.number === number)
    if (!version) return
    if (version.isActive) return copyMedia(tx, asset, version)
    if (isNext(version, current)) await show(settings, tx, asset, version)
    else await deleteOldVersions(settings, tx, asset)
  })
}

/** The caller has locked the asset, and sees the trash. */
async function show(settings: FormLifetime, tx: OrganizationDb, asset: Asset, version: Version): Promise<Asset> {
  const { id } = asset
  // The first version is being processed again; the one that is shown now replaces it.
  const isBusy = asset.status === 'Queued' || asset.status === 'Processing'
  const before = isBusy ? await cancelProcessing(tx, id) : asset
  if (before.shownMediaId === null) await store.saveFirst(tx, id, await producedTracks(tx, id))
  await copyMedia(tx, before, version)
  await recordTimeline(tx, before, activated(version.number))
  await recordEvents(tx, versionActivated(id, { ...version, version: version.number }))
  await deleteOldVersions(settings, tx, asset)
  return lockAsset(tx, id)
}

async function copyMedia(tx: OrganizationDb, asset: Asset, version: Version): Promise<void> {
  const isFirst = version.number === 1
  // A repair changes the keys that are copied.
  if (!isFirst) await tx.run(lockAssetQuery({ id: version.mediaId }))
  const tracks = isFirst ? await store.findSavedTracks(tx, asset.id) : await producedTracks(tx, version.mediaId)
  await store.showVersion(tx, asset.id, version)
  await showProduced(tx, asset, tracks)
}

async function deleteOldVersions(settings: FormLifetime, tx: OrganizationDb, asset: Asset): Promise<void> {
  const { kept, isOnHold } = await store.findRetention(tx, asset.id)
  if (isOnHold) return
  const old = versionsToDelete(await store.selectVersions(tx, asset.id), kept)
  if (old.length === 0) return
  const clipped = await lockClipped(
    tx,
    old.map(({ mediaId }) => mediaId),
  )
  for (const version of old) if (!clipped.has(version.mediaId)) await deleteVersion(settings, tx, asset, version)
}

/** Deletes versions beyond those that the asset keeps, after the last clip of one of them was purged. */
export const deleteUnclippedVersions = (settings: FormLifetime, db: OrganizationDb, assetId: AssetId): Promise<void> =>
  db.transaction(async (tx) => {
    await lockBeforeDeletion(tx)
    const versions = await store.selectVersions(tx, assetId)
    if (versions.length > 0) await deleteOldVersions(settings, tx, await lockAsset(tx, assetId))
  })

/** Deletes a version that is not shown, with its files. Triggers refuse it under a legal hold. */
async function deleteVersion(
  settings: FormLifetime,
  tx: OrganizationDb,
  asset: Asset,
  version: Version,
): Promise<void> {
  const { number, mediaId } = version
  if (number === 1) {
    const key = await store.deleteFirstVersion(tx, asset)
    await enqueueJob(tx, cleanUpOutputs, { input: { assetId: asset.id } })
    if (key !== undefined) await enqueueFileDeletion(tx, key, settings)
  } else {
    await store.deleteVersion(tx, mediaId)
    await enqueueStorageDeletion(tx, [mediaId], settings)
  }
  await recordEvents(tx, versionDeleted(asset.id, { ...version, version: number }))
}

/** Deletes a version whose file never arrived. The caller has called `lockBeforeDeletion` in the same transaction. */
export async function deleteAbandonedVersion(
  settings: FormLifetime,
  tx: OrganizationDb,
  { assetId, mediaId }: { readonly assetId: AssetId; readonly mediaId: AssetId },
): Promise<void> {
  const asset = await lockAsset(tx, assetId)
  const versions = await store.selectVersions(tx, assetId)
  const version = versions.find((candidate) => candidate.mediaId === mediaId)
  if (version && version.bytes === null && !version.isActive) await deleteVersion(settings, tx, asset, version)
}
