/** A worker to measure fairness. Its pipeline has two short steps, on the queues of the real probe and encode steps. */
import { setTimeout as sleep } from 'node:timers/promises'
import { runWorker } from '@reelkeep/server/main/worker-process.ts'
import { pipelineHandlers, pipelineSchedules } from '@reelkeep/server/modules/pipeline/pipeline.jobs.ts'
import { probe } from '@reelkeep/server/modules/pipeline/steps/probe.step.ts'
import type { Step } from '@reelkeep/server/modules/pipeline/steps/step.ts'
import { encode } from './planned-steps.ts'

const STEP_MILLISECONDS = 300

const shortly = (step: Step): Step => ({
  ...step,
  run: async ({ outputs, signal }) => {
    await sleep(STEP_MILLISECONDS, undefined, { signal })
    await outputs.put('short.json', '{}', 'application/json')
    return async () => {}
  },
})

const stages = [[shortly(probe)], [shortly(encode)]]

await runWorker(({ database, pipelineDeps }) => ({
  handlers: pipelineHandlers(pipelineDeps(stages)),
  schedules: pipelineSchedules(pipelineDeps(stages), database),
}))
