/**
 * Verifies that the output matches the plan, without decoding it: number of frames, start and
 * duration of each fragment, presentation time of its first frame, and keyframes on the grid.
 */
import type { Plan } from '../../plan/plan.ts'
import { AAC_FRAME_SAMPLES, type FrameRange, ticksOf } from '../arguments/frame-ranges.ts'
import type { FragmentInfo } from './fragment-index.ts'

/** The fragments of a track, by segment. */
export type TrackFragments = {
  readonly timescale: number | undefined
  /** Media time skipped by the edit list in the header. */
  readonly skippedTicks: number
  readonly segments: readonly (readonly FragmentInfo[])[]
}

/** Returns undefined if the rung matches the plan, else the first difference. */
export function findRungError(plan: Plan, frames: FrameRange, made: TrackFragments): string | undefined {
  const { perSecond, perFrame } = ticksOf(plan.frameRate)
  if (made.timescale !== perSecond) return `the timescale is ${made.timescale} instead of ${perSecond}`
  let frame = frames.start
  for (const fragments of made.segments) {
    // Only a segment that is cut starts off the grid.
    if (frame !== frames.start && frame % plan.segmentFrames !== 0)
      return `a segment starts at frame ${frame}, off the grid`
    for (const fragment of fragments) {
      const border = (Math.floor(frame / plan.segmentFrames) + 1) * plan.segmentFrames
      const samples = Math.min(plan.gopFrames, border - frame, frames.end - frame)
      const error = findFragmentError(fragment, { start: frame, samples, perFrame, made })
      if (error) return error
      if (fragment.keys.join() !== '0') return `the keyframes after frame ${frame} are ${fragment.keys.join()}`
      frame += samples
    }
  }
  return frame === frames.end ? undefined : `the track ends at frame ${frame} instead of ${frames.end}`
}

export function findAudioError(rate: number, frames: FrameRange, made: TrackFragments): string | undefined {
  if (made.timescale !== rate) return `the timescale is ${made.timescale} instead of ${rate}`
  let frame = frames.start
  for (const fragment of made.segments.flat()) {
    const { samples } = fragment
    const error = findFragmentError(fragment, {
      start: frame,
      samples,
      perFrame: AAC_FRAME_SAMPLES,
      made,
    })
    if (error) return error
    frame += samples
  }
  return frame === frames.end ? undefined : `the track ends at frame ${frame} instead of ${frames.end}`
}

type Expected = {
  readonly start: number
  readonly samples: number
  readonly perFrame: number
  readonly made: TrackFragments
}

function findFragmentError(fragment: FragmentInfo, { start, samples, perFrame, made }: Expected): string | undefined {
  if (fragment.samples !== samples)
    return `the fragment at frame ${start} has ${fragment.samples} frames instead of ${samples}`
  if (fragment.startTicks !== start * perFrame)
    return `the fragment at frame ${start} starts at tick ${fragment.startTicks} instead of ${start * perFrame}`
  if (fragment.firstOffsetTicks !== made.skippedTicks)
    return `frame ${start} is displayed ${fragment.firstOffsetTicks - made.skippedTicks} ticks late`
  if (fragment.lengthTicks !== samples * perFrame)
    return `the fragment at frame ${start} has ${fragment.lengthTicks} ticks`
  return undefined
}
