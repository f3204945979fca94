/** Cover, thumbnails and storyboard, from the keyframes of what was encoded: no look at the file is needed any more. */
import { readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import {
  choosePictures,
  keyframeAlone,
  lookThrough,
  openScratch,
  type Plan,
  planStoryboard,
  type Rung,
  storyboardVtt,
  takePicture,
} from '@reelkeep/media'
import { notePictures } from '../../assets/assets.ts'
import { readStored, requirePlan, type StoredRendition } from '../../renditions/renditions.ts'
import { coverRung, keyframesOf, type PlacedKeyframe } from './pictures.rules.ts'
import { type ClearReader, clearReaderOf } from './protection.ts'
import { type Step, type StepContext, stepJob } from './step.ts'

export const pictures: Step = {
  job: stepJob('pictures', {
    queue: 'extras',
    // Storage may be away for an hour: the attempts, with their pauses, go on for longer.
    attemptsMax: 11,
    firstPauseSeconds: 5,
    // Five hundred reads of storage, and a few runs of a program.
    attemptSecondsMax: 1800,
  }),
  does: 'Choosing pictures',
  awaits: 'The video waits for its pictures',
  isOptional: true,
  run: async (context) => {
    const plan = await requirePlan(context.db, context.asset)
    await using scratch = await openScratch()
    const { directory } = scratch
    const { storyboardKey, cover, thumbnails } = await makeStoryboard(context, plan, directory)
    const large = await openRendition(context, coverRung(plan.rungs))
    const shoot = (keyframe: number, name: string, longSideMax: number) =>
      shootKeyframe(context, large, keyframe, { name, longSideMax }, directory)
    const coverKey = await shoot(cover, 'cover.jpg', COVER_SIDE_MAX)
    const thumbnailKeys: string[] = []
    for (const [index, keyframe] of thumbnails.entries()) {
      thumbnailKeys.push(await shoot(keyframe, `thumbnail-${index + 1}.jpg`, THUMBNAIL_SIDE_MAX))
    }
    return (tx, asset) => notePictures(tx, asset, { coverKey, thumbnailKeys, storyboardKey })
  },
}

const COVER_SIDE_MAX = 1280
const THUMBNAIL_SIDE_MAX = 640

/** Fetched at a time. */
const FETCHED_AT_ONCE = 8

type Opened = StoredRendition & {
  readonly rung: Rung
  readonly clear: ClearReader
  readonly keyframes: readonly PlacedKeyframe[]
}

async function openRendition(context: StepContext, rung: Rung): Promise<Opened> {
  const stored = await readStored(context.db, context.asset, rung.name)
  const clear = await clearReaderOf(context)
  return { ...stored, rung, clear, keyframes: keyframesOf(stored.segments) }
}

/** Puts the storyboard into storage, and answers which keyframes stand for the video. */
async function makeStoryboard(context: StepContext, plan: Plan, directory: string) {
  const { sandbox, signal, outputs } = context
  const [smallest] = plan.rungs
  if (!smallest) throw new Error('A plan has at least one rung')
  const rendition = await openRendition(context, smallest)
  const storyboard = planStoryboard(rendition.keyframes.length, smallest)
  const path = join(directory, 'keyframes.mp4')
  await writeFile(path, await fetchKeyframes(rendition, storyboard.shown))
  const file = { path, width: smallest.width, height: smallest.height }
  const { sheets, samples } = await lookThrough(sandbox, file, storyboard, { directory, signal })
  for (const sheet of sheets) await putPicture(context, sheet)
  const times = rendition.keyframes.map(({ startSeconds }) => startSeconds)
  const vtt = storyboardVtt(storyboard, times, plan.durationSeconds)
  await outputs.put('storyboard.vtt', vtt, 'text/vtt')
  const chosen = choosePictures(samples)
  const keyframeOf = (tile: number) => storyboard.shown[tile] ?? 0
  return {
    storyboardKey: `${outputs.prefix}storyboard.vtt`,
    cover: keyframeOf(chosen.cover),
    thumbnails: chosen.thumbnails.map(keyframeOf),
  }
}

/** A video of these keyframes and nothing else. */
async function fetchKeyframes(
  { initKey, segments, keyframes, clear }: Opened,
  numbers: readonly number[],
): Promise<Buffer> {
  const pieces = [await clear.readInit(initKey)]
  const fetchOne = async (number: number) => {
    const keyframe = keyframes[number]
    const segment = keyframe && segments[keyframe.segment]
    if (!segment) throw new Error(`There is no keyframe ${number}`)
    const { segment: place, offset, bytes } = keyframe
    const range = { start: offset, end: offset + bytes }
    return keyframeAlone(await clear.readPart({ number: place, key: segment.key }, range))
  }
  for (let at = 0; at < numbers.length; at += FETCHED_AT_ONCE) {
    pieces.push(...(await Promise.all(numbers.slice(at, at + FETCHED_AT_ONCE).map(fetchOne))))
  }
  return Buffer.concat(pieces)
}

/** One keyframe of the video, as a picture of its own. Answers its key. */
async function shootKeyframe(
  context: StepContext,
  rendition: Opened,
  keyframe: number,
  wish: { readonly name: string; readonly longSideMax: number },
  directory: string,
): Promise<string> {
  const { sandbox, signal } = context
  const { width, height } = rendition.rung
  const path = join(directory, 'keyframe.mp4')
  await writeFile(path, await fetchKeyframes(rendition, [keyframe]))
  const taken = await takePicture(sandbox, { path, width, height }, wish, { directory, signal })
  return putPicture(context, taken)
}

async function putPicture({ outputs }: StepContext, path: string): Promise<string> {
  const name = basename(path)
  await outputs.put(name, await readFile(path), 'image/jpeg')
  return `${outputs.prefix}${name}`
}
