/** A worker as an operator runs it, of a pipeline whose steps do nothing. */
import {
  pipelineHandlers,
  pipelineSchedules,
} from '@reelkeep/server/capabilities/pipeline/pipeline.jobs.ts'
import { runWorker } from '@reelkeep/server/main/worker-process.ts'
import { trivialSteps as steps } from './trivial-steps.ts'

await runWorker(({ database, uploads, media, sandbox }) => ({
  handlers: pipelineHandlers({ uploads: uploads.bucket, media, sandbox, steps }),
  schedules: pipelineSchedules({ steps }, database),
}))
