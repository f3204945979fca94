import type { Plan } from '@reelkeep/media'
import type { StoredSegment } from '../../renditions/renditions.ts'
import type { PlacedKeyframe } from '../steps/thumbnails.rules.ts'

type SegmentPosition = { readonly number: number; readonly key: string; readonly offsetSeconds: number }

/**
 * The segment that contains this time, and the time in it from which the next frame is the one that is displayed: half
 * a frame earlier, because times are rounded. A time after the last frame means the last frame.
 */
export function segmentAt(
  segments: readonly Pick<StoredSegment, 'key' | 'seconds'>[],
  atSeconds: number,
  { numerator, denominator }: Plan['frameRate'],
): SegmentPosition {
  const frameSeconds = denominator / numerator
  let start = 0
  for (const [number, { key, seconds }] of segments.entries()) {
    const isLast = number === segments.length - 1
    if (atSeconds < start + seconds || isLast) {
      const frame = Math.floor((atSeconds - start) / frameSeconds + ROUNDING)
      const lastFrame = Math.round(seconds / frameSeconds) - 1
      const wanted = Math.max(0, Math.min(frame, lastFrame))
      return { number, key, offsetSeconds: Math.max(0, (wanted - 0.5) * frameSeconds) }
    }
    start += seconds
  }
  throw new Error('The rendition has no segments')
}

/** Times of frames are not exact numbers; this part of a frame is too short to matter. */
const ROUNDING = 1e-6

/** Index of the last keyframe at or before this time. */
export function keyframeBefore(keyframes: readonly PlacedKeyframe[], atSeconds: number): number {
  const index = keyframes.findLastIndex(({ startSeconds }) => startSeconds <= atSeconds)
  return Math.max(0, index)
}
