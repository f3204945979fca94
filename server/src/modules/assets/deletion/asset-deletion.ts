/**
 * Deletion of assets. Rows are deleted at once. A job enqueued in the same transaction deletes the objects in
 * storage, and a second one does so again after the last upload form has expired: storage accepts forms that were
 * signed before the deletion.
 */
import type { AssetId } from '../../../kernel/ids.ts'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import { enqueueJob } from '../../../platform/jobs/enqueue.ts'
import { defineJob } from '../../../platform/jobs/job.ts'
import { recordEvents } from '../../events/events.ts'
import type { AssetsInFolders } from '../../folders/folders.ts'
import { type AssetSummary, assetDeleted } from '../assets.events.ts'
import { assetNotFound, storagePrefix } from '../assets.rules.ts'
import * as store from './asset-deletion.store.ts'

/** Maximum number of assets per job: small, so that a retry after a failure repeats little work. */
const ASSETS_PER_JOB_MAX = 100

/** A failed job is retried for about two and a half hours. The second job of a deletion starts hours later. */
export const deleteAssetObjects = defineJob<{ readonly assetIds: readonly AssetId[] }>({
  name: 'free-assets',
  queue: 'light',
  retry: { maxAttempts: 12, firstBackoffSeconds: 5, attemptTimeoutSeconds: 300 },
  about: ({ assetIds: [assetId, ...others] }) =>
    assetId === undefined || others.length > 0 ? {} : { asset_id: assetId },
})

/** How long a signed form can deliver a file: its lifetime plus the longest transfer. */
export type FormLifetime = { readonly formSecondsMax: number }

export async function deleteAsset({ formSecondsMax }: FormLifetime, db: OrganizationDb, id: AssetId): Promise<void> {
  await db.transaction(async (tx) => {
    const removed = await store.deleteOne(tx, id)
    if (!removed) throw assetNotFound()
    await recordDeletion(tx, [removed], formSecondsMax)
  })
}

/** The operations on assets that folders need. */
export const assetsInFolders = ({ formSecondsMax }: FormLifetime): AssetsInFolders => ({
  countIn: store.countIn,
  countInSubtree: store.countInSubtree,
  removeInSubtree: async (tx, folder) => {
    const removed = await store.deleteInSubtree(tx, folder.uuid)
    await recordDeletion(tx, removed, formSecondsMax)
  },
})

async function recordDeletion(
  tx: OrganizationDb,
  removed: readonly AssetSummary[],
  formSecondsMax: number,
): Promise<void> {
  await recordEvents(tx, ...removed.map(assetDeleted))
  await enqueueStorageDeletion(
    tx,
    removed.map(({ id }) => id),
    formSecondsMax,
  )
}

async function enqueueStorageDeletion(
  tx: OrganizationDb,
  assetIds: readonly AssetId[],
  formSecondsMax: number,
): Promise<void> {
  for (let start = 0; start < assetIds.length; start += ASSETS_PER_JOB_MAX) {
    const input = { assetIds: assetIds.slice(start, start + ASSETS_PER_JOB_MAX) }
    await enqueueJob(tx, deleteAssetObjects, { input })
    await enqueueJob(tx, deleteAssetObjects, { input, delaySeconds: formSecondsMax })
  }
}

/** A bucket with objects of assets. `deleteAll` returns whether nothing is left under the prefix. */
export type AssetBucket = { deleteAll(prefix: string): Promise<boolean> }

/** Deletes all objects of the assets. Idempotent. */
export async function deleteObjects(
  buckets: readonly AssetBucket[],
  { organizationId }: OrganizationDb,
  assetIds: readonly AssetId[],
  signal: AbortSignal,
): Promise<void> {
  for (const id of assetIds) {
    for (const bucket of buckets) {
      do signal.throwIfAborted()
      while (!(await bucket.deleteAll(storagePrefix(organizationId, id))))
    }
  }
}
