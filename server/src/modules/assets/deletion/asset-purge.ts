/**
 * Purge of assets. Media to which clips refer is retained without its asset, and deleted with the last of them, so
 * storage has exactly what can be played (docs/decisions/0049).
 */
import type { AssetId } from '../../../kernel/ids.ts'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import { enqueueJob } from '../../../platform/jobs/enqueue.ts'
import { recordEvents } from '../../events/events.ts'
import { assetDeleted, assetPurged } from '../assets.events.ts'
import { deleteOldVersionsJob } from '../changes/version-activation.ts'
import { deleteAddedObjects, enqueueStorageDeletion, type FormLifetime } from './asset-objects.ts'
import * as store from './asset-purge.store.ts'

/**
 * Assets per transaction of `purgeAssetsDue`, and per statement. A purge deletes hundreds of rows for each asset, and
 * counts their bytes in the same row, which takes longer with every row: 500 assets took seven seconds.
 */
export const PURGED_AT_ONCE = 100

/** The caller has locked the assets, and sees the trash. */
export async function purge(tx: OrganizationDb, ids: readonly AssetId[], settings: FormLifetime): Promise<void> {
  for (let start = 0; start < ids.length; start += PURGED_AT_ONCE) {
    await purgeSome(tx, ids.slice(start, start + PURGED_AT_ONCE), settings)
  }
}

async function purgeSome(tx: OrganizationDb, ids: readonly AssetId[], settings: FormLifetime): Promise<void> {
  // The media of a clip may be outside the limits of the principal who purges the clip.
  const { retained, removed, left } = await tx.withLimits(undefined, (all) => planPurge(all, ids))
  const purged = await tx.withLimits(undefined, (all) => store.writePurge(all, { ids, retained, removed }))
  await recordEvents(tx, ...purged.map((asset) => (asset.purgeAt === null ? assetDeleted(asset) : assetPurged(asset))))
  await enqueueStorageDeletion(tx, removed, settings)
  for (const assetId of retained) {
    await enqueueJob(tx, deleteAddedObjects, { input: { assetId } })
    await enqueueJob(tx, deleteAddedObjects, { input: { assetId }, delaySeconds: settings.formSecondsMax })
  }
  // An old version that was kept for a clip is deleted, unless it is one of those that the asset keeps.
  for (const assetId of left) await enqueueJob(tx, deleteOldVersionsJob, { input: { assetId } })
}

/** Locks media, and returns those to which clips refer. The caller has locked the asset, and sees the trash. */
export const lockClipped = (tx: OrganizationDb, ids: readonly AssetId[]): Promise<ReadonlySet<AssetId>> =>
  tx.withLimits(undefined, async (all) => {
    await store.lockRows(all, ids)
    return store.selectInUse(all, ids)
  })

/** Decides which rows are retained and deleted. `left`: assets to which no more clips of these refer. */
async function planPurge(tx: OrganizationDb, ids: readonly AssetId[]) {
  const media = await store.lockMediaOf(tx, ids)
  const all = [...new Set([...ids, ...media.map(({ id }) => id)])]
  const inUse = await store.selectInUse(tx, all, ids)
  const isPurged = ({ id, versionOfId }: store.Media) =>
    ids.includes(id) || (versionOfId !== null && ids.includes(versionOfId))
  const freed = media.filter((row) => row.isRetained || isPurged(row))
  const gone = [...new Set([...ids, ...freed.map(({ id }) => id)])]
  const left = media.filter((row) => !row.isRetained && !isPurged(row) && !inUse.has(row.id))
  return {
    retained: gone.filter((id) => inUse.has(id) && !media.some((row) => row.id === id && row.isRetained)),
    removed: gone.filter((id) => !inUse.has(id)),
    left: [...new Set(left.map(({ id, versionOfId }) => versionOfId ?? id))],
  }
}
