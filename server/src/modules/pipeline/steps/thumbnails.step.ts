/**
 * Creates cover, thumbnails, storyboard and filmstrip from the encoded keyframes, the waveform from the peaks of the
 * encoded audio, and proposes chapters from both, without reading the source file.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import {
  chooseThumbnails,
  joinPeaks,
  openScratch,
  type Plan,
  type Proposals,
  planFilmstrip,
  planStoryboard,
  proposalsOf,
  type RenditionFile,
  type Rung,
  renderStoryboard,
  renderThumbnail,
  type Sample,
  type Storyboard,
  singleKeyframe,
  storyboardVtt,
  THUMBNAIL_SCRATCH_BYTES,
  writeWaveform,
} from '@reelkeep/media'
import { saveImages } from '../../assets/assets.ts'
import { readPeaks, readStored, requirePlan } from '../../renditions/renditions.ts'
import { findScenes, type OpenedRendition } from '../proposals/find-scenes.ts'
import { clearReaderOf } from './protection.ts'
import { retryPolicies } from './retry-policies.ts'
import { type Step, type StepContext, stepJob } from './step.ts'
import { coverRung, keyframesOf } from './thumbnails.rules.ts'

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
    const { cover, keyframes, scenes, ...keys } = await storeStoryboard(context, plan, directory)
    const { waveformKey, peaks } = await storeWaveform(context, plan)
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
    const proposals: Proposals = proposalsOf(plan, { peaks, scenes })
    return (tx, asset) => saveImages(tx, asset, { coverKey, thumbnailKeys, waveformKey, proposals, ...keys })
  },
}

/** Maximum length of the longer side of a cover, in pixels. */
export const COVER_SIDE_MAX = 1280
const THUMBNAIL_SIDE_MAX = 640

const CONCURRENT_READS = 8

/** The dependencies for reading a rendition. */
export type RenditionContext = Pick<StepContext, 'db' | 'asset' | 'keyRing' | 'drm' | 'signal' | 'stored'>

export async function openRendition(context: RenditionContext, rung: Rung): Promise<OpenedRendition> {
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
  const filmstrip = await storeFilmstrip(context, { plan, rendition, file })
  const shown = filmstrip ?? { shown: storyboard.shown, samples }
  const scenes = await findScenes(context, { ...shown, rendition, plan, directory })
  const chosen = chooseThumbnails(samples)
  const keyframeOf = (tile: number) => storyboard.shown[tile] ?? 0
  return {
    ...{ storyboardKey, filmstripKey: filmstrip?.key ?? null, scenes },
    cover: keyframeOf(chosen.cover),
    keyframes: chosen.thumbnails.map(keyframeOf),
  }
}

type NewSheets = {
  readonly storyboard: Storyboard
  /** Paths of the sheets, in order. */
  readonly sheets: readonly string[]
  readonly rendition: OpenedRendition
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
): Promise<
  { readonly key: string; readonly shown: readonly number[]; readonly samples: readonly Sample[] } | undefined
> {
  const storyboard = planFilmstrip(rendition.keyframes.length, file)
  if (!storyboard) return undefined
  const { sandbox, signal } = context
  await writeFile(file.path, await fetchKeyframes(rendition, storyboard.shown))
  const { sheets, samples } = await renderStoryboard(sandbox, file, storyboard, {
    directory: dirname(file.path),
    signal,
  })
  const { shown } = storyboard
  return { key: await storeSheets(context, { storyboard, sheets, rendition, plan }), shown, samples }
}

const WAVEFORM = 'waveform.gz'

/** Null for a video without audio, and if a part was encoded by an older release. */
async function storeWaveform({ db, asset, outputs }: StepContext, plan: Plan) {
  const parts = await readPeaks(db, asset)
  const planned = plan.parts.filter(({ tracks }) => tracks.some(({ name }) => name === 'audio'))
  if (parts.length === 0 || parts.length < planned.length) return { waveformKey: null, peaks: null }
  await outputs.put(WAVEFORM, await writeWaveform(plan, parts), 'application/gzip')
  return { waveformKey: `${outputs.prefix}${WAVEFORM}`, peaks: joinPeaks(plan, parts) }
}

/** Builds a video that consists only of these keyframes. */
export async function fetchKeyframes(
  { initKey, segments, keyframes, clear }: OpenedRendition,
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
  rendition: OpenedRendition,
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
