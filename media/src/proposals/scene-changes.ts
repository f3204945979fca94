/**
 * Finds scene changes in two passes. Neighboring keyframes that differ are candidates: their small copies were made for
 * the storyboard. Only the frames between these keyframes are then decoded to find the exact cut. Pure.
 */
import { difference, type Sample } from '../thumbnails/frame-score.ts'

/** Two keyframes between which the scene may change, by their positions in the list of samples. */
export type Candidate = { readonly before: number; readonly difference: number }

/** Keyframes of one scene differ less, unless much of the picture moves. */
const CANDIDATE_DIFFERENCE_MIN = 0.1
/** The frames before and after a cut differ at least this much, */
const CUT_DIFFERENCE_MIN = 0.07
/** and this many times more than other neighbors, which are alike in a scene with motion, too. */
const CUT_RATIO_MIN = 4

/** The most different neighbors, in order. */
export function candidatesOf(samples: readonly Sample[], countMax: number): readonly Candidate[] {
  const candidates = samples.slice(1).flatMap((sample, before) => {
    const previous = samples[before]
    const found = previous ? difference(previous, sample) : 0
    return found >= CANDIDATE_DIFFERENCE_MIN ? [{ before, difference: found }] : []
  })
  const strongest = candidates.toSorted((one, other) => other.difference - one.difference).slice(0, countMax)
  return strongest.toSorted((one, other) => one.before - other.before)
}

/**
 * The index of the first frame after a cut. Undefined if the change is gradual, such as a dissolve or a moving camera.
 */
export function cutIn(frames: readonly Sample[]): number | undefined {
  const steps = frames.slice(1).map((frame, before) => difference(frames[before] ?? frame, frame))
  const largest = Math.max(...steps)
  const others = steps.toSorted((one, other) => one - other).slice(0, -1)
  const usual = others[Math.floor(others.length / 2)] ?? 0
  if (largest < CUT_DIFFERENCE_MIN || largest < usual * CUT_RATIO_MIN) return undefined
  return steps.indexOf(largest) + 1
}
