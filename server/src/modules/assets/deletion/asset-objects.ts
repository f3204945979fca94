/**
 * Deletion of the objects of assets in storage. A job enqueued in the transaction that deletes the rows deletes the
 * objects, and a second one does so again after the last upload form has expired: storage accepts forms that were
 * signed before the deletion.
 */
import type { AssetId } from '../../../kernel/ids.ts'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import { enqueueJob } from '../../../platform/jobs/enqueue.ts'
import { defineJob } from '../../../platform/jobs/job.ts'
import { storagePrefix } from '../assets.rules.ts'

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

/** Deletes what clients added to an asset of which only the media is left. */
export const deleteAddedObjects = defineJob<{ readonly assetId: AssetId }>({
  name: 'free-added-files',
  queue: 'light',
  retry: { maxAttempts: 12, firstBackoffSeconds: 5, attemptTimeoutSeconds: 300 },
  about: ({ assetId }) => ({ asset_id: assetId }),
})

/** Folders of the files that clients add to an asset. */
const addedFolders = ['covers/', 'cover-uploads/', 'subtitles/']

/** Deletes the files that clients added. Idempotent. */
export async function deleteAdded(
  buckets: readonly AssetBucket[],
  { organizationId }: OrganizationDb,
  assetId: AssetId,
  signal: AbortSignal,
): Promise<void> {
  for (const bucket of buckets) {
    for (const folder of addedFolders) {
      do signal.throwIfAborted()
      while (!(await bucket.deleteAll(storagePrefix(organizationId, assetId) + folder)))
    }
  }
}

/** How long a signed form can deliver a file: its lifetime plus the longest transfer. */
export type FormLifetime = { readonly formSecondsMax: number }

export async function enqueueStorageDeletion(
  tx: OrganizationDb,
  assetIds: readonly AssetId[],
  { formSecondsMax }: FormLifetime,
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
