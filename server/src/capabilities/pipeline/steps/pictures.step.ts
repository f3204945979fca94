/** Cover, thumbnails and storyboard, from what was encoded: no look at the file is needed any more. */
import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import {
  choosePictures,
  lookThrough,
  openScratch,
  type Plan,
  type Rung,
  storyboardVtt,
  takePicture,
} from '@reelkeep/media'
import { notePictures } from '../../assets/assets.ts'
import { readStored, requirePlan, type StoredRendition } from '../../renditions/renditions.ts'
import { coverRung, keyframesOf } from './pictures.rules.ts'
import { type Step, type StepContext, stepJob } from './step.ts'

export const pictures: Step = {
  job: stepJob('pictures', {
    queue: 'extras',
    attemptsMax: 8,
    firstPauseSeconds: 5,
    // Of a video of a day, the smallest rendition is read.
    attemptSecondsMax: 3600,
  }),
  does: 'Choosing pictures',
  awaits: 'The video waits for its pictures',
  isOptional: true,
  run: async (context) => {
    const plan = await requirePlan(context.db, context.asset)
    await using scratch = await openScratch()
    const { directory } = scratch
    const shown = await storyboard(context, plan, directory)
    const { cover, thumbnails } = shown.chosen
    const large = await openCover(context, plan)
    const coverKey = await shoot(
      context,
      large,
      cover,
      { name: 'cover.jpg', longSideMax: COVER_SIDE_MAX },
      directory,
    )
    const thumbnailKeys: string[] = []
    for (const [index, keyframe] of thumbnails.entries()) {
      const wish = { name: `thumbnail-${index + 1}.jpg`, longSideMax: THUMBNAIL_SIDE_MAX }
      thumbnailKeys.push(await shoot(context, large, keyframe, wish, directory))
    }
    const { storyboardKey } = shown
    return (tx, asset) => notePictures(tx, asset, { coverKey, thumbnailKeys, storyboardKey })
  },
}

const COVER_SIDE_MAX = 1280
const THUMBNAIL_SIDE_MAX = 640

/** Of one rendition: fetched at a time. */
const FETCHED_AT_ONCE = 8

/** Puts the storyboard into storage, and answers which keyframes stand for the video. */
async function storyboard(context: StepContext, plan: Plan, directory: string) {
  const { sandbox, asset, db, signal, outputs } = context
  const [smallest] = plan.rungs
  if (!smallest) throw new Error(`Asset ${asset.id} has no renditions`)
  const rendition = await readStored(db, asset, smallest.name)
  const keyframes = keyframesOf(rendition.segments)
  const path = join(directory, 'smallest.mp4')
  await fetchWhole(context, rendition, path)
  const file = { ...smallest, path, keyframes: keyframes.length }
  const looked = await lookThrough(sandbox, file, { directory, signal })
  for (const sheet of looked.sheets) await putPicture(context, sheet)
  const times = keyframes.map(({ startSeconds }) => startSeconds)
  const vtt = storyboardVtt(looked.storyboard, times, plan.durationSeconds)
  await outputs.put('storyboard.vtt', vtt, 'text/vtt')
  const { cover, thumbnails } = choosePictures(looked.samples)
  const { step } = looked.storyboard
  return {
    storyboardKey: `${outputs.prefix}storyboard.vtt`,
    chosen: { cover: cover * step, thumbnails: thumbnails.map((tile) => tile * step) },
  }
}

async function fetchWhole({ stored }: StepContext, rendition: StoredRendition, path: string) {
  await writeFile(path, await stored.read(rendition.initKey))
  for (let at = 0; at < rendition.segments.length; at += FETCHED_AT_ONCE) {
    const next = rendition.segments.slice(at, at + FETCHED_AT_ONCE)
    const fetched = await Promise.all(next.map(({ key }) => stored.read(key)))
    await appendFile(path, Buffer.concat(fetched))
  }
}

async function openCover({ db, asset }: StepContext, plan: Plan) {
  const rung = coverRung(plan.rungs)
  return { rung, rendition: await readStored(db, asset, rung.name) }
}

type Large = { readonly rung: Rung; readonly rendition: StoredRendition }

/** One keyframe of the video in storage, as a picture of its own. Answers its key. */
async function shoot(
  context: StepContext,
  { rung, rendition }: Large,
  keyframe: number,
  wish: { readonly name: string; readonly longSideMax: number },
  directory: string,
): Promise<string> {
  const { stored, sandbox, signal } = context
  const found = keyframesOf(rendition.segments)[keyframe]
  const segment = found && rendition.segments[found.segment]
  if (!segment) throw new Error(`${rung.name} has no keyframe ${keyframe}`)
  const path = join(directory, 'piece.mp4')
  await writeFile(
    path,
    Buffer.concat([await stored.read(rendition.initKey), await stored.read(segment.key)]),
  )
  const piece = { path, width: rung.width, height: rung.height }
  const taken = { ...wish, keyframe: found.index }
  return putPicture(context, await takePicture(sandbox, piece, taken, { directory, signal }))
}

async function putPicture({ outputs }: StepContext, path: string): Promise<string> {
  const name = basename(path)
  await outputs.put(name, await readFile(path), 'image/jpeg')
  return `${outputs.prefix}${name}`
}
