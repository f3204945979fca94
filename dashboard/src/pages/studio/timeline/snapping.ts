/** Snapping of a dragged chapter. It always starts at a frame; marks near the pointer attract it. */
import { nearestFrameStart } from './frames.ts'

/** Distance at which a mark attracts. */
const SNAP_PIXELS = 9

type Options = {
  readonly rate: number
  readonly pixelsPerSecond: number
  /** Times that attract; none if snapping is off. */
  readonly marks: readonly number[]
}

type Snapped = { readonly ms: number; readonly isSnapped: boolean }

export function snapped(ms: number, { rate, pixelsPerSecond, marks }: Options): Snapped {
  const reach = (SNAP_PIXELS / pixelsPerSecond) * 1000
  const distance = (mark: number) => Math.abs(mark - ms)
  const nearest = marks.reduce<number | undefined>(
    (best, mark) => (best === undefined || distance(mark) < distance(best) ? mark : best),
    undefined,
  )
  const isSnapped = nearest !== undefined && distance(nearest) <= reach
  return { ms: nearestFrameStart(rate, isSnapped ? nearest : ms), isSnapped }
}
