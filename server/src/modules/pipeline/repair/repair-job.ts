import type { AssetId } from '../../../kernel/ids.ts'
import { defineJob } from '../../../platform/jobs/job.ts'
import { retryPolicies } from '../steps/retry-policies.ts'

export type RepairInput = { readonly assetId: AssetId; readonly prefix: string; readonly repairId: string }

/** Limit of the job. Each repair has the limit of its own step. */
const ATTEMPT_SECONDS_MAX = Math.max(
  ...Object.values(retryPolicies).map(({ attemptTimeoutSeconds }) => attemptTimeoutSeconds),
)

/** Longer than the job waits and runs. After this time, it counts as lost, and another one is enqueued. */
export const REPAIR_SECONDS_MAX = 7 * 86_400

/** Runs the step again that created damaged files. */
export const repairFiles = defineJob<RepairInput>({
  name: 'repair-files',
  queue: 'encode',
  retry: { maxAttempts: 8, firstBackoffSeconds: 10, attemptTimeoutSeconds: ATTEMPT_SECONDS_MAX + 60 },
  about: ({ assetId, prefix }) => ({ asset_id: assetId, prefix }),
})
