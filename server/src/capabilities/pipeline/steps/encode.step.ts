/** Makes the renditions, a stretch of the video at a time: whichever worker is free makes the next one. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import {
  isTooHeavy,
  type MadePart,
  type MadeSegment,
  type MadeTrack,
  makePart,
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
    // Storage may be away for an hour: the attempts, with their pauses, go on for longer.
    attemptsMax: 11,
    firstPauseSeconds: 5,
    // A run has limits of its own, below this: what it hits them with is told apart from a worker in trouble.
    attemptSecondsMax: PART_WALL_SECONDS_MAX + 3600,
  }),
  does: 'Encoding',
  awaits: 'The video waits to be encoded',
  parts: async (tx, asset) => portionsOf(await requirePlan(tx, asset)),
  run: async (context) => {
    const plan = await requirePlan(context.db, context.asset)
    const part = partOf(plan, context.part)
    // First: without keys there is no use in encoding.
    const seal = await sealerOf(context)
    await using scratch = await openScratch()
    const { tracks, cpuSeconds } = await make(context, plan, part, scratch.directory)
    context.logger.info({ part: context.part, cpuSeconds }, PART_MADE)
    const hashed = await Promise.all(tracks.map((track) => putTrack(context, part, track, seal)))
    const { prefix } = context.outputs
    return (tx, asset) => publishPart(tx, asset, { plan, part, prefix }, hashed)
  },
}

/** For whoever reckons what a video costs. */
const PART_MADE = 'a part has been made'

/** Failed so often in one go, a part is divided up: what is wrong with one rendition holds up no other. */
const ATTEMPTS_IN_ONE_GO = 2
/** A machine with too much to do fails for a while, a file always: it is blamed when one track failed this often. */
const ATTEMPTS_ALONE = 3

async function make(
  context: StepContext,
  plan: Plan,
  part: Part,
  directory: string,
): Promise<MadePart> {
  const { sandbox, file, signal, tell, number } = context
  const encryption = await encryptionOf(context, encode.job.attemptsMax)
  const options = { directory, signal, onProgress: tell, encryption }
  try {
    return await makePart(sandbox, file, plan, part, options)
  } catch (cause) {
    throw isTooHeavy(cause) ? meaningOf(cause, part, number) : cause
  }
}

/**
 * What follows from a part that could not be made: it is tried again, in pieces if it has been
 * often enough, or not any more.
 */
export function meaningOf(cause: Error, part: Part, attemptNumber: number): Error {
  if (part.tracks.length > 1) {
    return attemptNumber < ATTEMPTS_IN_ONE_GO ? cause : new ToBeDivided(tracksOf(part), { cause })
  }
  return attemptNumber < ATTEMPTS_ALONE ? cause : new UnusableFile(notEncoded(part), { cause })
}

const notEncoded = ({ tracks }: Part): Failure => ({
  code: 'encoding_failed',
  detail: `Part of the file could not be encoded (${tracks.map(({ name }) => name).join()}), though it was tried ${ATTEMPTS_ALONE} times.`,
})

/**
 * Puts a track's files into storage, protected as the video is to be, one after the other: the
 * tracks go side by side.
 */
async function putTrack(
  { outputs }: StepContext,
  part: Part,
  made: MadeTrack,
  seal: Seal,
): Promise<HashedTrack> {
  const { name, init } = made
  const type = name === 'audio' ? 'audio/mp4' : 'video/mp4'
  const first = part.tracks.find((track) => track.name === name)?.segments.start ?? 0
  const beginning = await readFile(init.path)
  await outputs.put(`${name}/init.mp4`, beginning, type)
  const segments: MadeSegment[] = []
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
