/** A worker for videos that are made in parts, side by side with something they can do without. */
import { setTimeout as sleep } from 'node:timers/promises'
import {
  pipelineHandlers,
  pipelineSchedules,
} from '@reelkeep/server/capabilities/pipeline/pipeline.jobs.ts'
import { probe } from '@reelkeep/server/capabilities/pipeline/steps/probe.step.ts'
import {
  type Step,
  stepJob,
  ToBeDivided,
  UnusableFile,
} from '@reelkeep/server/capabilities/pipeline/steps/step.ts'
import { runWorker } from '@reelkeep/server/main/worker-process.ts'
import { planOf } from '../faults/asset-plan.ts'
import { noted } from '../faults/planned-steps.ts'

const limits = { attemptsMax: 2, firstPauseSeconds: 1, attemptSecondsMax: 60 } as const

/** The second part does not work in one go. */
const parts: Step = {
  job: stepJob('parts', { queue: 'light', ...limits }),
  does: 'Making parts',
  awaits: 'The parts wait to be made',
  parts: async () => [{ part: '1' }, { part: '2' }, { part: '3' }],
  run: async ({ part }) => {
    if (part !== '2') return async () => {}
    throw new ToBeDivided([{ part: '2-a' }, { part: '2-b' }], { cause: new Error('too much') })
  },
}

const extra: Step = {
  job: stepJob('extra', { queue: 'light', ...limits }),
  does: 'Making something extra',
  awaits: 'Something extra waits to be made',
  isOptional: true,
  run: async () => {
    throw new UnusableFile({ code: 'no_video_stream', detail: 'There is nothing extra in it.' })
  },
}

/** There is nothing to do for any asset. */
const nothing: Step = {
  ...extra,
  job: stepJob('nothing', { queue: 'light', ...limits }),
  parts: async () => [],
}

const end: Step = {
  job: stepJob('end', { queue: 'light', ...limits }),
  does: 'Making an end',
  awaits: 'The end waits',
  run: async ({ asset, signal }) => {
    await sleep(planOf(asset).packageMilliseconds, undefined, { signal })
    return async () => {}
  },
}

/** Nobody takes it up who is not told to. */
const afterwards: Step = { ...extra, job: stepJob('afterwards', { queue: 'extras', ...limits }) }

await runWorker(({ database, workbench }) => {
  const bench = workbench([
    [noted(probe)],
    [noted(parts), extra],
    [nothing],
    [noted(end)],
    [afterwards],
  ])
  return { handlers: pipelineHandlers(bench), schedules: pipelineSchedules(bench, database) }
})
