import type { AssetId } from '../../kernel/ids.ts'
import { defineJob } from '../../platform/jobs/job.ts'

/** Gives an asset media of its own, which it shows as a clip until then; the pipeline has its handler. */
export const renderPart = defineJob<{ readonly assetId: AssetId }>({
  name: 'render-part',
  queue: 'encode',
  // A part may have thousands of segments to copy.
  retry: { maxAttempts: 8, firstBackoffSeconds: 5, attemptTimeoutSeconds: 4 * 3600, maxRecoveries: 1000 },
  about: ({ assetId }) => ({ asset_id: assetId }),
})
