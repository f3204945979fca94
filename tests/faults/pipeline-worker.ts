/** A worker for the fault tests: the service's own pipeline, with steps that follow each asset's plan. */
import { assetHandlers } from '@reelkeep/server/capabilities/assets/assets.jobs.ts'
import {
  pipelineHandlers,
  pipelineSchedules,
} from '@reelkeep/server/capabilities/pipeline/pipeline.jobs.ts'
import { runWorker } from '@reelkeep/server/main/worker-process.ts'
import { Objects } from '@reelkeep/testkit/objects'
import { encode, notedProbe, packaging } from './planned-steps.ts'

await runWorker(({ config, database, uploads, media, workbench }) => {
  const objects = new Objects(config, config.STORAGE_MEDIA_BUCKET)
  const bench = workbench([[notedProbe], [encode], [packaging(database, objects)]])
  return {
    handlers: [...assetHandlers([uploads.bucket, media]), ...pipelineHandlers(bench)],
    schedules: pipelineSchedules(bench, database),
  }
})
