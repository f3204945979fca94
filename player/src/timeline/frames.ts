/** Frames of the video, which has a constant frame rate. */
import type { FrameRate } from '../about.ts'

/** Avoids that the error of a floating-point division counts as a frame. */
const EPSILON = 1e-6

/**
 * Times that name a frame, such as starts of chapters, are rounded to milliseconds, up or down: a frame that starts
 * up to a millisecond later is the one that is meant.
 */
const ROUNDED_SECONDS = 0.001

/**
 * The middle of the frame that is some frames after the one shown at a time: a player that seeks to the start of a
 * frame may show the one before it. Never before the first frame or after the last one.
 */
export function middleOfFrame(
  rate: FrameRate,
  seconds: number,
  { step, duration }: { readonly step: number; readonly duration: number },
): number {
  return middle(rate, frameAt(rate, seconds) + Math.trunc(step), duration)
}

/** A time at which a player certainly shows the frame that starts at a rounded time. The start of the video is 0. */
export function timeOfStart(rate: FrameRate | null | undefined, seconds: number, duration: number): number {
  if (!rate) return seconds
  const frame = frameAt(rate, seconds + ROUNDED_SECONDS)
  return frame <= 0 ? 0 : middle(rate, frame, duration)
}

const frameAt = ({ numerator, denominator }: FrameRate, seconds: number) =>
  Math.floor((seconds * numerator) / denominator + EPSILON)

function middle({ numerator, denominator }: FrameRate, frame: number, duration: number): number {
  const last = Math.max(0, Math.round((duration * numerator) / denominator) - 1)
  return ((Math.max(0, Math.min(last, frame)) + 0.5) * denominator) / numerator
}
