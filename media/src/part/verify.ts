/**
 * Whether what was made is what the plan says, without decoding any of it: the number of frames,
 * when each fragment begins, how long it is and when its first frame is shown, and keyframes on the
 * grid.
 */
import type { Plan } from '../plan/plan.ts'
import type { FragmentMade } from './fragments-made.ts'
import { AAC_FRAME_SAMPLES, type FrameRange, ticksOf } from './places.ts'

/** What is known of the segments of a track, in their order. */
export type TrackMade = {
  readonly timescale: number | undefined
  /** How much earlier than its fragments say a track is shown, by its header. */
  readonly skippedTicks: number
  readonly segments: readonly (readonly FragmentMade[])[]
}

/** Undefined if all is well, else what is not. */
export function faultOfRung(plan: Plan, frames: FrameRange, made: TrackMade): string | undefined {
  const { perSecond, perFrame } = ticksOf(plan.frameRate)
  if (made.timescale !== perSecond)
    return `a timescale of ${made.timescale} instead of ${perSecond}`
  let frame = frames.start
  for (const fragments of made.segments) {
    if (frame % plan.segmentFrames !== 0) return `a segment at frame ${frame}, off the grid`
    for (const fragment of fragments) {
      const samples = Math.min(plan.gopFrames, frames.end - frame)
      const fault = faultOf(fragment, { start: frame, samples, perFrame, made })
      if (fault) return fault
      if (fragment.keys.join() !== '0')
        return `keyframes ${fragment.keys.join()} after frame ${frame}`
      frame += samples
    }
  }
  return frame === frames.end ? undefined : `frames up to ${frame} instead of ${frames.end}`
}

export function faultOfSound(
  rate: number,
  frames: FrameRange,
  made: TrackMade,
): string | undefined {
  if (made.timescale !== rate) return `a timescale of ${made.timescale} instead of ${rate}`
  let frame = frames.start
  for (const fragment of made.segments.flat()) {
    const { samples } = fragment
    const fault = faultOf(fragment, { start: frame, samples, perFrame: AAC_FRAME_SAMPLES, made })
    if (fault) return fault
    frame += samples
  }
  return frame === frames.end ? undefined : `frames up to ${frame} instead of ${frames.end}`
}

type Expected = {
  readonly start: number
  readonly samples: number
  readonly perFrame: number
  readonly made: TrackMade
}

function faultOf(
  fragment: FragmentMade,
  { start, samples, perFrame, made }: Expected,
): string | undefined {
  if (fragment.samples !== samples)
    return `${fragment.samples} frames instead of ${samples} from ${start} on`
  if (fragment.startTicks !== start * perFrame)
    return `a fragment at ${fragment.startTicks} instead of ${start * perFrame}`
  if (fragment.firstOffsetTicks !== made.skippedTicks)
    return `frame ${start} is shown ${fragment.firstOffsetTicks - made.skippedTicks} ticks late`
  if (fragment.lengthTicks !== samples * perFrame)
    return `${fragment.lengthTicks} ticks from frame ${start} on`
  return undefined
}
