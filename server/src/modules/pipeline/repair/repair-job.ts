import type { AssetId } from '../../../kernel/ids.ts'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import { enqueueJob } from '../../../platform/jobs/enqueue.ts'
import { defineJob } from '../../../platform/jobs/job.ts'

export type RepairInput = { readonly assetId: AssetId; readonly prefix: string }

export const repairFiles = defineJob<RepairInput>({
  name: 'repair-files',
  queue: 'encode',
  retry: { maxAttempts: 8, firstBackoffSeconds: 10, attemptTimeoutSeconds: 2 * 3600 },
  about: ({ assetId, prefix }) => ({ asset_id: assetId, prefix }),
})

/** Enqueues the repair of the damaged files under a prefix. */
export const repairPublished = (tx: OrganizationDb, input: RepairInput): Promise<void> =>
  enqueueJob(tx, repairFiles, { input })
