/**
 * Frames and times. Times are whole milliseconds, as the API stores them. The time of a frame is rounded up here; other
 * clients may round down, so a time up to a millisecond before a frame means this frame, as in the player.
 */

/** Used if the frame rate could not be read. */
export const FRAME_RATE_DEFAULT = 25

/** Avoids that the error of a floating-point division counts as a frame. */
const EPSILON = 1e-6

const ROUNDED_MS = 1

/** The number of the frame that a time means. The first one is 0. */
export const frameAt = (rate: number, ms: number) => shownFrame(rate, ms + ROUNDED_MS)

/** The number of the frame that is shown at a time of the player, which is not rounded. */
export const shownFrame = (rate: number, ms: number) => Math.floor((ms * rate) / 1000 + EPSILON)

/** The time at which a frame starts. */
export const frameStart = (rate: number, frame: number) => Math.max(0, Math.ceil((frame * 1000) / rate - EPSILON))

/** The start of the frame that starts closest to a time. */
export const nearestFrameStart = (rate: number, ms: number) =>
  frameStart(rate, Math.max(0, Math.round((ms * rate) / 1000)))

/** A time at which a player certainly shows the frame: its middle. */
export const frameMiddle = (rate: number, frame: number) => ((frame + 0.5) * 1000) / rate

/** The start of the last frame that starts before a time, such as the end of the video. */
export function lastFrameStart(rate: number, ms: number): number {
  const frame = frameAt(rate, ms)
  return frameStart(rate, Math.max(0, frameStart(rate, frame) < ms ? frame : frame - 1))
}
