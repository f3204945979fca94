/** Makes the renditions, a stretch of the video at a time: whichever worker is free makes the next one. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import {
  isTooHeavy,
  type MadePart,
  type MadeTrack,
  makePart,
  openScratch,
  PART_WALL_SECONDS_MAX,
  type Part,
  type Plan,
  segmentName,
} from '@reelkeep/media'
import { type HashedTrack, publishPart, requirePlan } from '../../renditions/renditions.ts'
import { partOf, portionsOf, tracksOf } from './encode-parts.rules.ts'
import { type Step, type StepContext, stepJob, ToBeDivided } from './step.ts'

export const encode: Step = {
  job: stepJob('encode', {
    queue: 'encode',
    // Storage may be away for an hour: the attempts, with their pauses, go on for longer.
    attemptsMax: 10,
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
    await using scratch = await openScratch()
    const { tracks, cpuSeconds } = await make(context, plan, part, scratch.directory)
    context.logger.info({ part: context.part, cpuSeconds }, PART_MADE)
    const hashed = await Promise.all(tracks.map((track) => putTrack(context, part, track)))
    const { prefix } = context.outputs
    return (tx, asset) => publishPart(tx, asset, { plan, part, prefix }, hashed)
  },
}

/** For whoever reckons what a video costs. */
const PART_MADE = 'a part has been made'

/** Failed so often in one go, a part is divided up: what is wrong with one rendition holds up no other. */
const ATTEMPTS_IN_ONE_GO = 2

async function make(
  { sandbox, file, signal, tell, number }: StepContext,
  plan: Plan,
  part: Part,
  directory: string,
): Promise<MadePart> {
  try {
    return await makePart(sandbox, file, plan, part, { directory, signal, onProgress: tell })
  } catch (cause) {
    const isDivisible = part.tracks.length > 1 && number >= ATTEMPTS_IN_ONE_GO
    if (!isTooHeavy(cause) || !isDivisible) throw cause
    throw new ToBeDivided(tracksOf(part), { cause })
  }
}

/** Puts a track's files into storage, one after the other: the tracks go side by side. */
async function putTrack(
  { outputs }: StepContext,
  part: Part,
  made: MadeTrack,
): Promise<HashedTrack> {
  const { name, init, segments } = made
  const type = name === 'audio' ? 'audio/mp4' : 'video/mp4'
  const first = part.tracks.find((track) => track.name === name)?.segments.start ?? 0
  const beginning = await readFile(init.path)
  await outputs.put(`${name}/init.mp4`, beginning, type)
  for (const [index, { path }] of segments.entries()) {
    await outputs.put(`${name}/${segmentName(first + index)}`, await readFile(path), type)
  }
  return { made, initHash: createHash('sha256').update(beginning).digest('hex') }
}
