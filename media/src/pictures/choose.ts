/** Which pictures stand for a video: one for all of it, and a few that show how it goes on. */
import { difference, liveliness, type Sample } from './liveliness.ts'

/** Beside the cover. */
const THUMBNAILS_MAX = 5

/** Two that differ by less are the same to who looks at them. */
const SAME_BELOW = 0.03

/** The first part of a video is the likelier to be known from its cover, and tells less of its end. */
const COVER_SHARE = 0.6

export type Chosen = {
  /** Numbers of samples. */
  readonly cover: number
  /** In the order of the video, without two that look the same; the cover may be among them. */
  readonly thumbnails: readonly number[]
}

/** @param samples Small copies of the keyframes, in order; at least one. */
export function choosePictures(samples: readonly Sample[]): Chosen {
  const scores = samples.map(liveliness)
  const early = scores.slice(0, Math.max(1, Math.ceil(scores.length * COVER_SHARE)))
  return { cover: best(early, 0), thumbnails: distinct(samples, bestOfEachStretch(scores)) }
}

/** The first of the best, of those that stand from `offset` on. */
const best = (scores: readonly number[], offset: number) =>
  offset + scores.indexOf(Math.max(...scores))

function bestOfEachStretch(scores: readonly number[]): number[] {
  const stretches = Math.min(THUMBNAILS_MAX, scores.length)
  return Array.from({ length: stretches }, (_, index) => {
    const start = Math.floor((index * scores.length) / stretches)
    const end = Math.floor(((index + 1) * scores.length) / stretches)
    return best(scores.slice(start, end), start)
  })
}

function distinct(samples: readonly Sample[], numbers: readonly number[]): number[] {
  const kept: number[] = []
  for (const number of numbers) {
    const isNew = kept.every((one) => !looksTheSame(samples[one], samples[number]))
    if (isNew) kept.push(number)
  }
  return kept
}

const looksTheSame = (one: Sample | undefined, other: Sample | undefined) =>
  one !== undefined && other !== undefined && difference(one, other) < SAME_BELOW
