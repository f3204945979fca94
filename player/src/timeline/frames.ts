/** Frames of the video, which has a constant frame rate. */
import type { FrameRate } from '../about.ts'

/** Avoids that the error of a floating-point division counts as a frame. */
const EPSILON = 1e-6

/**
 * The middle of the frame that is some frames after the one shown at a time: a player that seeks to the start of a
 * frame may show the one before it. Never before the first frame or after the last one.
 */
export function middleOfFrame(
  { numerator, denominator }: FrameRate,
  seconds: number,
  { step, duration }: { readonly step: number; readonly duration: number },
): number {
  const shown = Math.floor((seconds * numerator) / denominator + EPSILON)
  const last = Math.max(0, Math.round((duration * numerator) / denominator) - 1)
  const frame = Math.max(0, Math.min(last, shown + Math.trunc(step)))
  return ((frame + 0.5) * denominator) / numerator
}
