/** Encodes the renditions, one time range of the video at a time, on whichever worker is free. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import {
  type EncodedPart,
  type EncodedSegment,
  type EncodedTrack,
  encodePart,
  isTooHeavy,
  openScratch,
  PART_WALL_SECONDS_MAX,
  type Part,
  type Plan,
  segmentName,
} from '@reelkeep/media'
import type { Failure } from '../../assets/assets.ts'
import { type HashedTrack, publishPart, requirePlan } from '../../renditions/renditions.ts'
import { encryptionOf } from './drm-keys.ts'
import { partOf, portionsOf, tracksOf } from './encode-parts.rules.ts'
import { type Seal, sealerOf } from './protection.ts'
import { type Step, type StepContext, stepJob, ToBeDivided, UnusableFile } from './step.ts'

export const encode: Step = {
  job: stepJob('encode', {
    queue: 'encode',
    // Enough attempts, with their pauses, to outlast an hour without storage.
    attemptsMax: 11,
    firstPauseSeconds: 5,
    // ffmpeg has lower limits of its own, so that exceeding them can be distinguished from a slow worker.
    attemptSecondsMax: PART_WALL_SECONDS_MAX + 3600,
  }),
  does: 'Encoding',
  awaits: 'The video is waiting to be encoded',
  parts: async (tx, asset) => portionsOf(await requirePlan(tx, asset)),
  run: async (context) => {
    const plan = await requirePlan(context.db, context.asset)
    const part = partOf(plan, context.part)
    // First: without keys, encoding would be in vain.
    const seal = await sealerOf(context)
    await using scratch = await openScratch()
    const { tracks, cpuSeconds } = await make(context, plan, part, scratch.directory)
    context.logger.info({ part: context.part, cpuSeconds }, PART_MADE)
    const hashed = await Promise.all(tracks.map((track) => putTrack(context, part, track, seal)))
    const { prefix } = context.outputs
    return (tx, asset) => publishPart(tx, asset, { plan, part, prefix }, hashed)
  },
}

/** Logged with its CPU time, for cost calculations. */
const PART_MADE = 'part encoded'

/** After this many failures as a whole, a part is split, so that one bad rendition does not block the others. */
const ATTEMPTS_IN_ONE_GO = 2
/**
 * An overloaded machine fails temporarily, a bad file always: after this many failures of one track, the file is
 * blamed.
 */
const ATTEMPTS_ALONE = 3

async function make(
  context: StepContext,
  plan: Plan,
  part: Part,
  directory: string,
): Promise<EncodedPart> {
  const { sandbox, file, signal, tell, number } = context
  const encryption = await encryptionOf(context, encode.job.attemptsMax)
  const options = { directory, signal, onProgress: tell, encryption }
  try {
    return await encodePart(sandbox, file, plan, part, options)
  } catch (cause) {
    throw isTooHeavy(cause) ? meaningOf(cause, part, number) : cause
  }
}

/** Decides about a part that could not be encoded: retry it, split it, or fail. */
export function meaningOf(cause: Error, part: Part, attemptNumber: number): Error {
  if (part.tracks.length > 1) {
    return attemptNumber < ATTEMPTS_IN_ONE_GO ? cause : new ToBeDivided(tracksOf(part), { cause })
  }
  return attemptNumber < ATTEMPTS_ALONE ? cause : new UnusableFile(notEncoded(part), { cause })
}

const notEncoded = ({ tracks }: Part): Failure => ({
  code: 'encoding_failed',
  detail: `Part of the file could not be encoded (${tracks.map(({ name }) => name).join()}) after ${ATTEMPTS_ALONE} attempts.`,
})

/**
 * Stores a track's files, encrypted if the video is protected. Files are stored sequentially; the tracks run
 * concurrently.
 */
async function putTrack(
  { outputs }: StepContext,
  part: Part,
  made: EncodedTrack,
  seal: Seal,
): Promise<HashedTrack> {
  const { name, init } = made
  const type = name === 'audio' ? 'audio/mp4' : 'video/mp4'
  const first = part.tracks.find((track) => track.name === name)?.segments.start ?? 0
  const beginning = await readFile(init.path)
  await outputs.put(`${name}/init.mp4`, beginning, type)
  const segments: EncodedSegment[] = []
  for (const [index, segment] of made.segments.entries()) {
    const number = first + index
    const file = `${name}/${segmentName(number)}`
    const sealed = seal({ number, key: `${outputs.prefix}${file}` }, await readFile(segment.path))
    await outputs.put(file, sealed, type)
    segments.push({ ...segment, bytes: sealed.length })
  }
  return {
    made: { ...made, segments },
    initHash: createHash('sha256').update(beginning).digest('hex'),
  }
}
