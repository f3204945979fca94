/** Chooses the thumbnails of a video: a cover, and a few frames across its duration. */
import { difference, frameScore, type Sample } from './frame-score.ts'

/** Maximum number of thumbnails besides the cover. */
const THUMBNAILS_MAX = 5

/** Two frames with a smaller difference count as similar. */
const SIMILAR_BELOW = 0.03

/** The cover is chosen from this first share of the video, so that it does not reveal the end. */
const COVER_SHARE = 0.6

export type ChosenFrames = {
  /** Index of the sample chosen as the cover. */
  readonly cover: number
  /** Indexes in the order of the video, without similar frames; may include the cover. */
  readonly thumbnails: readonly number[]
}

/** @param samples Small copies of the keyframes, in order; at least one. */
export function chooseThumbnails(samples: readonly Sample[]): ChosenFrames {
  const scores = samples.map(frameScore)
  const early = scores.slice(0, Math.max(1, Math.ceil(scores.length * COVER_SHARE)))
  return { cover: best(early, 0), thumbnails: distinct(samples, bestOfEachRange(scores)) }
}

/** Returns the index of the highest score, or the first of several equal ones, plus `offset`. */
const best = (scores: readonly number[], offset: number) => offset + scores.indexOf(Math.max(...scores))

function bestOfEachRange(scores: readonly number[]): number[] {
  const ranges = Math.min(THUMBNAILS_MAX, scores.length)
  return Array.from({ length: ranges }, (_, index) => {
    const start = Math.floor((index * scores.length) / ranges)
    const end = Math.floor(((index + 1) * scores.length) / ranges)
    return best(scores.slice(start, end), start)
  })
}

function distinct(samples: readonly Sample[], numbers: readonly number[]): number[] {
  const kept: number[] = []
  for (const number of numbers) {
    const isNew = kept.every((index) => !looksTheSame(samples[index], samples[number]))
    if (isNew) kept.push(number)
  }
  return kept
}

const looksTheSame = (one: Sample | undefined, other: Sample | undefined) =>
  one !== undefined && other !== undefined && difference(one, other) < SIMILAR_BELOW
