/** Job that shows a version of an asset when it has been processed. */
import type { AssetId } from '../../../kernel/ids.ts'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import { enqueueJob } from '../../../platform/jobs/enqueue.ts'
import { defineJob } from '../../../platform/jobs/job.ts'
import type { Asset } from '../assets.rules.ts'

export const activateVersionJob = defineJob<{ readonly assetId: AssetId; readonly number: number }>({
  name: 'activate-version',
  queue: 'light',
  retry: { maxAttempts: 12, firstBackoffSeconds: 5, attemptTimeoutSeconds: 60 },
  about: ({ assetId }) => ({ asset_id: assetId }),
})

/** Deletes versions that an asset no longer keeps. Clips referred to one of them, and the last of these was purged. */
export const deleteOldVersionsJob = defineJob<{ readonly assetId: AssetId }>({
  name: 'delete-old-versions',
  queue: 'light',
  retry: { maxAttempts: 12, firstBackoffSeconds: 5, attemptTimeoutSeconds: 60 },
  about: ({ assetId }) => ({ asset_id: assetId }),
})

/**
 * Does nothing for a row that is not a version. A job does it because it locks the asset before the version, as the
 * deletion of an asset does, and the caller has locked the version.
 */
export async function enqueueActivation(tx: OrganizationDb, { versionOfId, version }: Asset): Promise<void> {
  if (versionOfId !== null) {
    await enqueueJob(tx, activateVersionJob, { input: { assetId: versionOfId, number: version } })
  }
}
