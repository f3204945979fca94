import type { AssetId } from '../../kernel/ids.ts'
import { defineJob } from '../../platform/jobs/job.ts'

export type RenderInput = {
  readonly assetId: AssetId
  /** 0, or the number of the retry. Attempts of an earlier run can neither publish nor fail the asset. */
  readonly run: number
}

/** Gives an asset media of its own, which it shows as a clip until then; the pipeline has its handler. */
export const renderPart = defineJob<RenderInput>({
  name: 'render-part',
  queue: 'encode',
  // A part may have thousands of segments to copy.
  retry: { maxAttempts: 8, firstBackoffSeconds: 5, attemptTimeoutSeconds: 4 * 3600, maxRecoveries: 1000 },
  about: ({ assetId }) => ({ asset_id: assetId }),
})
