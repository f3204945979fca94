/** The scale of the timeline, from the whole video to single frames. */
import { frameStart } from './frames.ts'

/** Width of a frame at the highest zoom. */
const FRAME_PIXELS_MAX = 72
/** Browsers limit the width of an element, Firefox to less than 18 million pixels. */
const WIDTH_PIXELS_MAX = 16_000_000
/** Smallest distance of labels on the ruler. */
const LABEL_PIXELS_MIN = 84
const MINOR_PIXELS_MIN = 7

export type Video = { readonly durationMs: number; readonly rate: number }

/** Pixels per second of the lowest and the highest zoom, for a viewport. */
export function zoomLimits({ durationMs, rate }: Video, viewportPixels: number) {
  const seconds = Math.max(durationMs, 1) / 1000
  const min = Math.max(1, viewportPixels - 2 * SPACE_PIXELS) / seconds
  return { min, max: Math.max(min, Math.min(FRAME_PIXELS_MAX * rate, WIDTH_PIXELS_MAX / seconds)) }
}

export const clampZoom = (pixels: number, { min, max }: { readonly min: number; readonly max: number }) =>
  Math.min(max, Math.max(min, pixels))

/** Space before the start and after the end, so that handles there are whole. The style sheet has the same. */
const SPACE_PIXELS = 14

/** The distance of a time from the left edge of everything that scrolls. */
export const placeOf = (ms: number, pixelsPerSecond: number) => SPACE_PIXELS + (ms / 1000) * pixelsPerSecond

/** The time at a distance from the left edge. */
export const timeAt = (pixels: number, pixelsPerSecond: number) => ((pixels - SPACE_PIXELS) / pixelsPerSecond) * 1000

const WHOLE_SECONDS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 18_000]
const FRAME_STEPS = [1, 2, 5, 10]

export type Ruler = {
  /** Times with a label. Those of less than a second are starts of frames. */
  readonly labels: readonly number[]
  readonly minor: readonly number[]
  readonly isInFrames: boolean
}

type Range = { readonly fromMs: number; readonly toMs: number; readonly pixelsPerSecond: number }

function stepSeconds(rate: number, pixelsPerSecond: number) {
  const fits = (seconds: number) => seconds * pixelsPerSecond >= LABEL_PIXELS_MIN
  const frames = FRAME_STEPS.find((count) => count < rate && fits(count / rate))
  if (frames !== undefined) return { frames, seconds: frames / rate }
  return { frames: undefined, seconds: WHOLE_SECONDS.find(fits) ?? 36_000 }
}

/** Where the ruler has labels and lines in a range. */
export function rulerOf({ durationMs, rate }: Video, { fromMs, toMs, pixelsPerSecond }: Range): Ruler {
  const { frames, seconds } = stepSeconds(rate, pixelsPerSecond)
  const last = Math.min(toMs, durationMs)
  const timesOf = (step: number, msOf: (index: number) => number) => {
    const times: number[] = []
    for (let index = Math.max(0, Math.floor(fromMs / step)); msOf(index) <= last; index++) times.push(msOf(index))
    return times
  }
  const inFrames = (count: number) => timesOf((count * 1000) / rate, (index) => frameStart(rate, index * count))
  if (frames !== undefined) {
    const isDense = pixelsPerSecond / rate < MINOR_PIXELS_MIN
    return { labels: inFrames(frames), minor: isDense ? [] : inFrames(1), isInFrames: true }
  }
  const parts = [10, 5, 2].find((count) => (seconds / count) * pixelsPerSecond >= MINOR_PIXELS_MIN) ?? 1
  const inSeconds = (step: number) => timesOf(step * 1000, (index) => index * step * 1000)
  return { labels: inSeconds(seconds), minor: inSeconds(seconds / parts), isInFrames: false }
}
