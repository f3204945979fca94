/** A worker as an operator runs it, with a pipeline whose steps do nothing. */

import { runWorker } from '@reelkeep/server/main/worker-process.ts'
import { pipelineHandlers, pipelineSchedules } from '@reelkeep/server/modules/pipeline/pipeline.jobs.ts'
import { trivialStages as stages } from './trivial-steps.ts'

await runWorker(({ database, pipelineDeps }) => ({
  handlers: pipelineHandlers(pipelineDeps(stages)),
  schedules: pipelineSchedules(pipelineDeps(stages), database),
}))
