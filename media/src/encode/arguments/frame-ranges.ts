/**
 * Positions of segments in time, as integers: video frames on the plan's grid and audio frames on a
 * grid of AAC frames, both counted from the start of the video. Every worker encodes a part for
 * exactly these positions, so that parts fit together.
 */
import type { AudioPlan, Plan, SegmentRange } from '../../plan/plan.ts'
import { type Rational, toNumber } from '../../probe/facts/rational.ts'

/** A half-open range: `end` is exclusive. */
export type FrameRange = { readonly start: number; readonly end: number }

export const AAC_FRAME_SAMPLES = 1024

/** First frame of a segment. For the number after the last segment, the end of the video. */
const firstVideoFrame = ({ frames, segmentFrames }: Plan, segment: number) => Math.min(frames, segment * segmentFrames)

export const videoFrames = (plan: Plan, { start, end }: SegmentRange): FrameRange => ({
  start: firstVideoFrame(plan, start),
  end: firstVideoFrame(plan, end),
})

/**
 * AAC frames that start in these segments. The last segment has at least one, even if it is shorter than an AAC frame.
 */
export function audioFrames(plan: Plan, audio: AudioPlan, range: SegmentRange): FrameRange {
  const start = firstAudioFrame(plan, audio, range.start)
  const end = firstAudioFrame(plan, audio, range.end)
  return { start, end: Math.max(end, firstAudioFrame(plan, audio, range.end - 1) + 1) }
}

/** Integer arithmetic, because floating point is not exact for long videos. */
const firstAudioFrame = (plan: Plan, audio: AudioPlan, segment: number): number =>
  audioFrameAfter(plan, audio, firstVideoFrame(plan, segment))

/** The first AAC frame that does not start before a video frame. */
export function audioFrameAfter({ frameRate }: Plan, { sampleRate }: AudioPlan, frame: number): number {
  const samples = BigInt(frame) * BigInt(frameRate.denominator) * BigInt(sampleRate)
  const divisor = BigInt(frameRate.numerator) * BigInt(AAC_FRAME_SAMPLES)
  return Number((samples + divisor - 1n) / divisor)
}

/** Minimum timescale of a video track: ticks are shorter than a millisecond at any frame rate. */
const TICKS_PER_SECOND_MIN = 10_000
const FINE_FACTOR = 1000

/** Timescale of a video track: a frame is a whole number of ticks. */
export function ticksOf({ numerator, denominator }: Rational) {
  const factor = numerator < TICKS_PER_SECOND_MIN ? FINE_FACTOR : 1
  return { perSecond: numerator * factor, perFrame: denominator * factor }
}

export const secondsOf = (frames: number, rate: Rational) => frames / toNumber(rate)
