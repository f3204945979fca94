/** Finds the first frames of scenes: from the keyframes of the storyboard, and the frames between those that differ. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  candidatesOf,
  cutIn,
  type Plan,
  type Rung,
  readSamples,
  SAMPLED_FRAMES_MAX,
  type Sample,
} from '@reelkeep/media'
import type { StoredRendition } from '../../renditions/renditions.ts'
import type { ClearReader } from '../steps/protection.ts'
import type { StepContext } from '../steps/step.ts'
import type { PlacedKeyframe } from '../steps/thumbnails.rules.ts'
import { bytesOf, framesBetween, type Gap } from './scene-frames.rules.ts'

/** More are of no use for chapters. The strongest are kept. */
const SCENES_MAX = 60

export type OpenedRendition = StoredRendition & {
  readonly rung: Rung
  readonly clear: ClearReader
  readonly keyframes: readonly PlacedKeyframe[]
}

type Given = {
  readonly plan: Plan
  readonly rendition: OpenedRendition
  /** Numbers of the keyframes that were decoded, and their small copies. */
  readonly shown: readonly number[]
  readonly samples: readonly Sample[]
  readonly directory: string
}

/** Numbers of frames, in order. */
export async function findScenes({ sandbox, signal }: StepContext, given: Given): Promise<readonly number[]> {
  const { plan, rendition, shown, samples, directory } = given
  const [first = 0, second = 1] = shown
  const frames = framesBetween(rendition.keyframes, { before: first, after: second }, plan.frameRate)
  const countMax = Math.min(SCENES_MAX, Math.floor(SAMPLED_FRAMES_MAX / Math.max(1, frames.count)))
  const gaps = candidatesOf(samples, countMax).flatMap(({ before }) => {
    const [keyframe, next, sample] = [shown[before], shown[before + 1], samples[before + 1]]
    if (keyframe === undefined || next === undefined || !sample) return []
    const gap = { before: keyframe, after: next }
    return [{ ...gap, ...framesBetween(rendition.keyframes, gap, plan.frameRate), sample }]
  })
  // Only keyframes are decrypted of videos under Common Encryption.
  if (gaps.length === 0 || !rendition.clear.readSegment) return gaps.map(({ first, count }) => first + count)
  const path = join(directory, 'scenes.mp4')
  await writeFile(path, await fetchGaps(rendition, gaps))
  const total = gaps.reduce((sum, { count }) => sum + count, 0)
  const { width, height } = rendition.rung
  const decoded = await readSamples(sandbox, { path, width, height }, total, { directory, signal })
  let at = 0
  return gaps.flatMap(({ first, count, sample }) => {
    const cut = cutIn([...decoded.slice(at, at + count), sample])
    at += count
    return cut === undefined ? [] : [first + cut]
  })
}

/** A video of the frames from keyframe to keyframe. */
async function fetchGaps({ initKey, segments, keyframes, clear }: OpenedRendition, gaps: readonly Gap[]) {
  const parts = [await clear.readInit(initKey)]
  for (const gap of gaps) {
    for (const { segment: number, start, end } of bytesOf(keyframes, gap)) {
      const segment = await clear.readSegment?.({ number, key: segments[number]?.key ?? '' })
      if (segment) parts.push(segment.subarray(start, end))
    }
  }
  return Buffer.concat(parts)
}
