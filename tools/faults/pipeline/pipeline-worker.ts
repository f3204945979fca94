/** A worker for the fault tests: the service's own pipeline, with steps that follow each asset's plan. */

import { runWorker } from '@reelkeep/server/main/worker-process.ts'
import { assetHandlers } from '@reelkeep/server/modules/assets/assets.jobs.ts'
import { pipelineHandlers, pipelineSchedules } from '@reelkeep/server/modules/pipeline/pipeline.jobs.ts'
import { Objects } from '@reelkeep/testkit/objects'
import { encode, packaging, recordedProbe } from './planned-steps.ts'

await runWorker(({ config, database, uploads, media, pipelineDeps }) => {
  const objects = new Objects(config, config.STORAGE_MEDIA_BUCKET)
  const deps = pipelineDeps([[recordedProbe], [encode], [packaging(database, objects)]])
  return {
    handlers: [...assetHandlers({ uploads: uploads.bucket, media }), ...pipelineHandlers(deps)],
    schedules: pipelineSchedules(deps, database),
  }
})
