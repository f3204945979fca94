/** A test worker that encodes videos in parts, in parallel with an optional step. */
import { once } from 'node:events'
import type { PartTrack } from '@reelkeep/media'
import { runWorker } from '@reelkeep/server/main/worker-process.ts'
import { markPlayable } from '@reelkeep/server/modules/assets/assets.ts'
import { pipelineHandlers, pipelineSchedules } from '@reelkeep/server/modules/pipeline/pipeline.jobs.ts'
import { partOf } from '@reelkeep/server/modules/pipeline/steps/encode-parts.rules.ts'
import { probe } from '@reelkeep/server/modules/pipeline/steps/probe.step.ts'
import { SplitStep, type Step, stepJob, UnusableFile } from '@reelkeep/server/modules/pipeline/steps/step.ts'
import { type HashedTrack, publishPart, requirePlan } from '@reelkeep/server/modules/renditions/renditions.ts'
import { passGate, recorded } from '../../../tools/faults/pipeline/planned-steps.ts'

const retry = { maxAttempts: 2, firstBackoffSeconds: 1, attemptTimeoutSeconds: 60 }

const claimed = new Map<string, { parts: Set<string>; both: PromiseWithResolvers<void> }>()

/** Resolves when the first and the third part are both claimed, so that they are published at the same time. */
async function bothClaimed(assetId: string, part: string, signal: AbortSignal): Promise<void> {
  const own = claimed.get(assetId) ?? { parts: new Set(), both: Promise.withResolvers<void>() }
  claimed.set(assetId, own)
  if (own.parts.add(part).size === 2) own.both.resolve()
  await Promise.race([own.both.promise, once(signal, 'abort')])
}

/** A step in three parts. The second one is split further; each of the others makes the video playable. */
const parts: Step = {
  job: stepJob('parts', 'light', retry),
  runningLabel: 'Encoding parts',
  waitingLabel: 'The parts are waiting to be encoded',
  parts: async () => [{ part: '1' }, { part: '2' }, { part: '3' }],
  run: async ({ asset, part, signal }) => {
    if (part === '1' || part === '3') await bothClaimed(asset.id, part, signal)
    if (part !== '2') return markPlayable
    throw new SplitStep([{ part: '2-a' }, { part: '2-b' }], { cause: new Error('too much') })
  },
}

const extra: Step = {
  job: stepJob('extra', 'light', retry),
  runningLabel: 'Making something extra',
  waitingLabel: 'Something extra is waiting to be made',
  isOptional: true,
  run: async () => {
    throw new UnusableFile({ code: 'no_video_stream', detail: 'This step has nothing to do for the file.' })
  },
}

/** A step without parts, which has nothing to do for any asset. */
const nothing: Step = {
  ...extra,
  job: stepJob('nothing', 'light', retry),
  parts: async () => [],
}

const end: Step = {
  job: stepJob('end', 'light', retry),
  runningLabel: 'Making the end',
  waitingLabel: 'The end is waiting',
  run: async (context) => {
    await passGate(context)
    const {
      asset,
      db,
      outputs: { prefix },
    } = context
    const plan = await requirePlan(db, asset)
    const part = partOf(plan, '0')
    const tracks = part.tracks.map(fakeTrack)
    return (tx, locked) => publishPart(tx, locked, { plan, part, prefix, tracks })
  },
}

/** A fake track; the hash of its header is the same for all tracks of this encoder. */
const fakeTrack = ({ name, segments: { start, end } }: PartTrack): HashedTrack => {
  const file = { path: '/nowhere', bytes: 1 }
  const segments = Array.from({ length: end - start }, () => ({
    ...file,
    seconds: 1,
    keyframes: [],
  }))
  return { track: { name, codecs: 'fake', init: file, segments }, initHash: '1'.repeat(64) }
}

/** A step in another queue, which only workers that are configured for it claim. */
const afterwards: Step = { ...extra, job: stepJob('afterwards', 'extras', retry) }

await runWorker(({ database, pipelineDeps }) => {
  const deps = pipelineDeps([[recorded(probe)], [recorded(parts), extra], [nothing], [recorded(end)], [afterwards]])
  return { handlers: pipelineHandlers(deps), schedules: pipelineSchedules(deps, database) }
})
