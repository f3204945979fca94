import { firstStep } from '@reelkeep/server/modules/pipeline/steps/stages.ts'
import { type Stage, type Step, stepJob } from '@reelkeep/server/modules/pipeline/steps/step.ts'

const doNothing: Step['run'] = async () => async () => {}

const { queue, retry } = firstStep.job

const trivial = (name: string): Step => ({
  ...firstStep,
  job: stepJob(name, queue, retry),
  run: doNothing,
})

/**
 * A pipeline whose steps do nothing, to measure the pipeline itself. The first step has the name of the real first
 * step.
 */
export const trivialStages: readonly Stage[] = [
  [{ ...firstStep, run: doNothing }],
  [trivial('second')],
  [trivial('third')],
]
