/** Encodes the renditions, one time range of the video at a time, on whichever worker is free. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import {
  type EncodedPart,
  type EncodedSegment,
  type EncodedTrack,
  encodePart,
  encodeScratchBytes,
  isTooHeavy,
  openScratch,
  type Part,
  type Plan,
  segmentName,
} from '@reelkeep/media'
import type { Failure } from '../../assets/assets.ts'
import { findPlan, type HashedTrack, publishPart, requirePlan, updatePart } from '../../renditions/renditions.ts'
import { partOf, splitByTrack, stepPartsOf } from './encode-parts.rules.ts'
import { encryptionOf, type Seal, sealerOf } from './protection.ts'
import { retryPolicies } from './retry-policies.ts'
import { isFileSuspected, SplitStep, type Step, type StepContext, stepJob, UnusableFile } from './step.ts'

export const encode: Step = {
  job: stepJob('encode', 'encode', retryPolicies.encode),
  runningLabel: 'Encoding',
  waitingLabel: 'The video is waiting to be encoded',
  parts: async (tx, asset) => stepPartsOf(await requirePlan(tx, asset)),
  scratchBytes: async (db, { assetId, part = '' }) => {
    const plan = await findPlan(db, { id: assetId })
    return plan ? encodeScratchBytes(plan, partOf(plan, part)) : 0
  },
  isRepublished: true,
  run: async (context) => {
    const plan = await requirePlan(context.db, context.asset)
    const part = partOf(plan, context.part)
    // Get the keys first: if that fails, no time is spent on encoding.
    const seal = await sealerOf(context)
    await using scratch = await openScratch()
    const encoded = await encodeTracks(context, { plan, part, directory: scratch.directory })
    // The CPU time is logged for cost calculations.
    context.logger.info({ part: context.part, cpuSeconds: encoded.cpuSeconds }, 'part encoded')
    const tracks = await Promise.all(encoded.tracks.map((track) => storeTrack(context, { part, track, seal })))
    const { prefix } = context.outputs
    if (context.isRepair) return (tx, asset) => updatePart(tx, asset, { part, tracks })
    return (tx, asset) => publishPart(tx, asset, { plan, part, prefix, tracks })
  },
}

type Encoding = { readonly plan: Plan; readonly part: Part; readonly directory: string }

async function encodeTracks(context: StepContext, { plan, part, directory }: Encoding): Promise<EncodedPart> {
  const { sandbox, file, signal, reportProgress } = context
  const encryption = await encryptionOf(context, context.isLast)
  const options = { directory, signal, onProgress: reportProgress, encryption }
  try {
    return await encodePart(sandbox, file, plan, part, options)
  } catch (cause) {
    throw isTooHeavy(cause) ? stepError(cause, part, context) : cause
  }
}

/** Decides about a part that could not be encoded: retry it, split it, or fail. */
export function stepError(
  cause: Error,
  part: Part,
  { number, hasFailedElsewhere }: Pick<StepContext, 'number' | 'hasFailedElsewhere'>,
): Error {
  const { maxFailuresBeforeSplit, maxFileFailures } = retryPolicies.encode
  if (part.tracks.length > 1) {
    return number < maxFailuresBeforeSplit ? cause : new SplitStep(splitByTrack(part), { cause })
  }
  const isBlamed = isFileSuspected(cause) && hasFailedElsewhere && number >= maxFileFailures
  return isBlamed ? new UnusableFile(notEncoded(part), { cause }) : cause
}

const notEncoded = ({ tracks }: Part): Failure => ({
  code: 'encoding_failed',
  detail: `Part of the file could not be encoded (${tracks.map(({ name }) => name).join()}) after ${retryPolicies.encode.maxFileFailures} attempts.`,
})

/**
 * Stores a track's files, encrypted if the video is protected. Files are stored sequentially; the tracks run
 * concurrently.
 */
async function storeTrack(
  { outputs }: StepContext,
  { part, track, seal }: { readonly part: Part; readonly track: EncodedTrack; readonly seal: Seal },
): Promise<HashedTrack> {
  const { name, init } = track
  const type = name === 'audio' ? 'audio/mp4' : 'video/mp4'
  const first = part.tracks.find((planned) => planned.name === name)?.segments.start ?? 0
  const initSegment = await readFile(init.path)
  await outputs.put(`${name}/init.mp4`, initSegment, type)
  const segments: EncodedSegment[] = []
  for (const [index, segment] of track.segments.entries()) {
    const number = first + index
    const file = `${name}/${segmentName(number)}`
    const sealed = seal({ number, key: `${outputs.prefix}${file}` }, await readFile(segment.path))
    await outputs.put(file, sealed, type)
    segments.push({ ...segment, bytes: sealed.length })
  }
  const initHash = createHash('sha256').update(initSegment).digest('hex')
  return { track: { ...track, segments }, initHash }
}
