/**
 * Creates cover, thumbnails, storyboard and filmstrip from the encoded keyframes, and the waveform from the peaks of
 * the encoded audio, without reading the source file.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import {
  chooseThumbnails,
  openScratch,
  type Plan,
  planFilmstrip,
  planStoryboard,
  type RenditionFile,
  type Rung,
  renderFilmstrip,
  renderStoryboard,
  renderThumbnail,
  type Storyboard,
  singleKeyframe,
  storyboardVtt,
  THUMBNAIL_SCRATCH_BYTES,
  writeWaveform,
} from '@reelkeep/media'
import { saveImages } from '../../assets/assets.ts'
import { readPeaks, readStored, requirePlan, type StoredRendition } from '../../renditions/renditions.ts'
import { type ClearReader, clearReaderOf } from './protection.ts'
import { retryPolicies } from './retry-policies.ts'
import { type Step, type StepContext, stepJob } from './step.ts'
import { coverRung, keyframesOf, type PlacedKeyframe } from './thumbnails.rules.ts'

export const thumbnails: Step = {
  job: stepJob('pictures', 'extras', retryPolicies.thumbnails),
  runningLabel: 'Creating thumbnails',
  waitingLabel: 'The video is waiting for its thumbnails',
  isOptional: true,
  scratchBytes: async () => THUMBNAIL_SCRATCH_BYTES,
  run: async (context) => {
    const plan = await requirePlan(context.db, context.asset)
    await using scratch = await openScratch()
    const { directory } = scratch
    const { cover, keyframes, ...keys } = await storeStoryboard(context, plan, directory)
    const waveformKey = await storeWaveform(context, plan)
    const rendition = await openRendition(context, coverRung(plan.rungs))
    const store = (image: Omit<Image, 'directory'>) => storeImage(context, rendition, { ...image, directory })
    const coverKey = await store({
      keyframe: cover,
      name: 'cover.jpg',
      longSideMax: COVER_SIDE_MAX,
    })
    const thumbnailKeys: string[] = []
    for (const [index, keyframe] of keyframes.entries()) {
      const name = `thumbnail-${index + 1}.jpg`
      thumbnailKeys.push(await store({ keyframe, name, longSideMax: THUMBNAIL_SIDE_MAX }))
    }
    return (tx, asset) => saveImages(tx, asset, { coverKey, thumbnailKeys, waveformKey, ...keys })
  },
}

/** Maximum length of the longer side of a cover, in pixels. */
export const COVER_SIDE_MAX = 1280
const THUMBNAIL_SIDE_MAX = 640

const CONCURRENT_READS = 8

type Opened = StoredRendition & {
  readonly rung: Rung
  readonly clear: ClearReader
  readonly keyframes: readonly PlacedKeyframe[]
}

/** The dependencies for reading a rendition. */
export type RenditionContext = Pick<StepContext, 'db' | 'asset' | 'keyRing' | 'drm' | 'signal' | 'stored'>

export async function openRendition(context: RenditionContext, rung: Rung): Promise<Opened> {
  const stored = await readStored(context.db, context.asset, rung.name)
  const clear = await clearReaderOf(context)
  return { ...stored, rung, clear, keyframes: keyframesOf(stored.segments) }
}

/** Stores the storyboard. Returns the keyframes that represent the video. */
async function storeStoryboard(context: StepContext, plan: Plan, directory: string) {
  const { sandbox, signal } = context
  const [smallest] = plan.rungs
  if (!smallest) throw new Error('A plan has at least one rung')
  const rendition = await openRendition(context, smallest)
  const storyboard = planStoryboard(rendition.keyframes.length, smallest)
  const path = join(directory, 'keyframes.mp4')
  await writeFile(path, await fetchKeyframes(rendition, storyboard.shown))
  const file = { path, width: smallest.width, height: smallest.height }
  const { sheets, samples } = await renderStoryboard(sandbox, file, storyboard, {
    directory,
    signal,
  })
  const storyboardKey = await storeSheets(context, { storyboard, sheets, rendition, plan })
  const filmstripKey = await storeFilmstrip(context, { plan, rendition, file })
  const chosen = chooseThumbnails(samples)
  const keyframeOf = (tile: number) => storyboard.shown[tile] ?? 0
  return {
    ...{ storyboardKey, filmstripKey },
    cover: keyframeOf(chosen.cover),
    keyframes: chosen.thumbnails.map(keyframeOf),
  }
}

type NewSheets = {
  readonly storyboard: Storyboard
  /** Paths of the sheets, in order. */
  readonly sheets: readonly string[]
  readonly rendition: Opened
  readonly plan: Plan
}

/** Stores the sheets of a storyboard or filmstrip, and the file that lists them. Returns the key of that file. */
async function storeSheets(context: StepContext, { storyboard, sheets, rendition, plan }: NewSheets): Promise<string> {
  const { outputs } = context
  for (const sheet of sheets) await storeJpeg(context, sheet)
  const times = rendition.keyframes.map(({ startSeconds }) => startSeconds)
  const name = `${storyboard.name}.vtt`
  await outputs.put(name, storyboardVtt(storyboard, times, plan.durationSeconds), 'text/vtt')
  return `${outputs.prefix}${name}`
}

type FilmstripSource = Pick<NewSheets, 'plan' | 'rendition'> & { readonly file: RenditionFile }

/** Stores the filmstrip of a long video. The file of the storyboard is overwritten. */
async function storeFilmstrip(
  context: StepContext,
  { plan, rendition, file }: FilmstripSource,
): Promise<string | null> {
  const storyboard = planFilmstrip(rendition.keyframes.length, file)
  if (!storyboard) return null
  const { sandbox, signal } = context
  await writeFile(file.path, await fetchKeyframes(rendition, storyboard.shown))
  const sheets = await renderFilmstrip(sandbox, file, storyboard, { directory: dirname(file.path), signal })
  return storeSheets(context, { storyboard, sheets, rendition, plan })
}

const WAVEFORM = 'waveform.gz'

/** Null for a video without audio, and if a part was encoded by an older release. */
async function storeWaveform({ db, asset, outputs }: StepContext, plan: Plan): Promise<string | null> {
  const parts = await readPeaks(db, asset)
  const planned = plan.parts.filter(({ tracks }) => tracks.some(({ name }) => name === 'audio'))
  if (parts.length === 0 || parts.length < planned.length) return null
  await outputs.put(WAVEFORM, await writeWaveform(plan, parts), 'application/gzip')
  return `${outputs.prefix}${WAVEFORM}`
}

/** Builds a video that consists only of these keyframes. */
export async function fetchKeyframes(
  { initKey, segments, keyframes, clear }: Opened,
  numbers: readonly number[],
): Promise<Buffer> {
  const parts = [await clear.readInit(initKey)]
  const fetchOne = async (index: number) => {
    const keyframe = keyframes[index]
    const segment = keyframe && segments[keyframe.segment]
    if (!segment) throw new Error(`Keyframe ${index} does not exist`)
    const { segment: number, offset, bytes } = keyframe
    const range = { start: offset, end: offset + bytes }
    return singleKeyframe(await clear.readPart({ number, key: segment.key }, range))
  }
  for (let at = 0; at < numbers.length; at += CONCURRENT_READS) {
    parts.push(...(await Promise.all(numbers.slice(at, at + CONCURRENT_READS).map(fetchOne))))
  }
  return Buffer.concat(parts)
}

type Image = {
  readonly keyframe: number
  readonly name: string
  readonly longSideMax: number
  readonly directory: string
}

/** Stores one keyframe as an image. Returns its storage key. */
async function storeImage(
  context: StepContext,
  rendition: Opened,
  { keyframe, directory, ...image }: Image,
): Promise<string> {
  const { sandbox, signal } = context
  const { width, height } = rendition.rung
  const path = join(directory, 'keyframe.mp4')
  await writeFile(path, await fetchKeyframes(rendition, [keyframe]))
  const options = { directory, signal }
  const rendered = await renderThumbnail(sandbox, { path, width, height }, image, options)
  return storeJpeg(context, rendered)
}

async function storeJpeg({ outputs }: StepContext, path: string): Promise<string> {
  const name = basename(path)
  await outputs.put(name, await readFile(path), 'image/jpeg')
  return `${outputs.prefix}${name}`
}
