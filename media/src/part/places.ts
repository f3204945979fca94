/**
 * The places of segments in time, in whole numbers: of pictures on the plan's grid of frames, of
 * sound on a grid of AAC frames, both counted from the beginning of the video. Whoever makes a part
 * puts it exactly there, so that parts fit without knowing of each other.
 */
import type { AudioPlan, Plan, SegmentRange } from '../plan/plan.ts'
import { type Rational, toNumber } from '../probe/rational.ts'

/** Half open. */
export type FrameRange = { readonly start: number; readonly end: number }

export const AAC_FRAME_SAMPLES = 1024

/** Of a segment's first picture; behind the last segment, the end of the video. */
const firstFrame = ({ frames, segmentFrames }: Plan, segment: number) =>
  Math.min(frames, segment * segmentFrames)

export const picturesOf = (plan: Plan, { start, end }: SegmentRange): FrameRange => ({
  start: firstFrame(plan, start),
  end: firstFrame(plan, end),
})

/**
 * AAC frames that begin in these segments. The last segment may be shorter than one of them, and
 * has one all the same.
 */
export function soundsOf(plan: Plan, audio: AudioPlan, range: SegmentRange): FrameRange {
  const start = firstSound(plan, audio, range.start)
  const end = firstSound(plan, audio, range.end)
  return { start, end: Math.max(end, firstSound(plan, audio, range.end - 1) + 1) }
}

/**
 * The first that does not begin before the segment does. Exact, which a fraction of a long video is
 * not in floating point.
 */
function firstSound(plan: Plan, { sampleRate }: AudioPlan, segment: number): number {
  const { numerator, denominator } = plan.frameRate
  const samples = BigInt(firstFrame(plan, segment)) * BigInt(denominator) * BigInt(sampleRate)
  const divisor = BigInt(numerator) * BigInt(AAC_FRAME_SAMPLES)
  return Number((samples + divisor - 1n) / divisor)
}

/** Finer than milliseconds, whatever the rate. */
const TICKS_PER_SECOND_MIN = 10_000
const FINER = 1000

/** Ticks of a video track: a frame is a whole number of them. */
export function ticksOf({ numerator, denominator }: Rational) {
  const factor = numerator < TICKS_PER_SECOND_MIN ? FINER : 1
  return { perSecond: numerator * factor, perFrame: denominator * factor }
}

export const secondsOf = (frames: number, rate: Rational) => frames / toNumber(rate)
