/** A worker for videos that are made in parts, in parallel with an optional step. */
import { once } from 'node:events'
import type { PartTrack } from '@reelkeep/media'
import { runWorker } from '@reelkeep/server/main/worker-process.ts'
import { markPlayable } from '@reelkeep/server/modules/assets/assets.ts'
import {
  pipelineHandlers,
  pipelineSchedules,
} from '@reelkeep/server/modules/pipeline/pipeline.jobs.ts'
import { partOf } from '@reelkeep/server/modules/pipeline/steps/encode-parts.rules.ts'
import { probe } from '@reelkeep/server/modules/pipeline/steps/probe.step.ts'
import {
  type Step,
  stepJob,
  ToBeDivided,
  UnusableFile,
} from '@reelkeep/server/modules/pipeline/steps/step.ts'
import {
  type HashedTrack,
  publishPart,
  requirePlan,
} from '@reelkeep/server/modules/renditions/renditions.ts'
import { noted, passGate } from '../../../tools/faults/pipeline/planned-steps.ts'

const limits = { attemptsMax: 2, firstPauseSeconds: 1, attemptSecondsMax: 60 } as const

const begun = new Map<string, { parts: Set<string>; together: PromiseWithResolvers<void> }>()

/** Resolves when the first and the third part are both claimed, so neither finds the result of the other. */
async function bothTaken(assetId: string, part: string, signal: AbortSignal): Promise<void> {
  const of = begun.get(assetId) ?? { parts: new Set(), together: Promise.withResolvers<void>() }
  begun.set(assetId, of)
  if (of.parts.add(part).size === 2) of.together.resolve()
  await Promise.race([of.together.promise, once(signal, 'abort')])
}

/** The second part needs two attempts; each of the others would make the video playable. */
const parts: Step = {
  job: stepJob('parts', { queue: 'light', ...limits }),
  does: 'Making parts',
  awaits: 'The parts wait to be made',
  parts: async () => [{ part: '1' }, { part: '2' }, { part: '3' }],
  run: async ({ asset, part, signal }) => {
    if (part === '1' || part === '3') await bothTaken(asset.id, part, signal)
    if (part !== '2') return markPlayable
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

/** Has nothing to do for any asset. */
const nothing: Step = {
  ...extra,
  job: stepJob('nothing', { queue: 'light', ...limits }),
  parts: async () => [],
}

const end: Step = {
  job: stepJob('end', { queue: 'light', ...limits }),
  does: 'Making an end',
  awaits: 'The end waits',
  run: async (context) => {
    await passGate(context)
    const {
      asset,
      db,
      outputs: { prefix },
    } = context
    const plan = await requirePlan(db, asset)
    const part = partOf(plan, '0')
    return (tx, held) => publishPart(tx, held, { plan, part, prefix }, part.tracks.map(madeUp))
  },
}

/** A track header, equal for all tracks of this encoder. */
const madeUp = ({ name, segments: { start, end } }: PartTrack): HashedTrack => {
  const file = { path: '/nowhere', bytes: 1 }
  const segments = Array.from({ length: end - start }, () => ({
    ...file,
    seconds: 1,
    keyframes: [],
  }))
  return { made: { name, codecs: 'made.up', init: file, segments }, initHash: '1'.repeat(64) }
}

/** Claimed only by workers that are configured for its queue. */
const afterwards: Step = { ...extra, job: stepJob('afterwards', { queue: 'extras', ...limits }) }

await runWorker(({ database, pipelineDeps }) => {
  const bench = pipelineDeps([
    [noted(probe)],
    [noted(parts), extra],
    [nothing],
    [noted(end)],
    [afterwards],
  ])
  return { handlers: pipelineHandlers(bench), schedules: pipelineSchedules(bench, database) }
})
