/** A worker as an operator runs it, with a pipeline whose steps do nothing. */
import {
  pipelineHandlers,
  pipelineSchedules,
} from '@reelkeep/server/capabilities/pipeline/pipeline.jobs.ts'
import { runWorker } from '@reelkeep/server/main/worker-process.ts'
import { trivialStages as stages } from './trivial-steps.ts'

await runWorker(({ database, workbench }) => ({
  handlers: pipelineHandlers(workbench(stages)),
  schedules: pipelineSchedules(workbench(stages), database),
}))
