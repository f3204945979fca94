import type { Rung } from '@reelkeep/media'
import type { StoredSegment } from '../../renditions/renditions.ts'

export type PlacedKeyframe = {
  readonly startSeconds: number
  /** Index of the segment that contains the keyframe, and the offset in that segment, in bytes. */
  readonly segment: number
  readonly offset: number
  readonly bytes: number
}

/** All keyframes of a rendition, in order. */
export function keyframesOf(segments: readonly StoredSegment[]): PlacedKeyframe[] {
  const placed: PlacedKeyframe[] = []
  let segmentStart = 0
  for (const [segment, { seconds, keyframes }] of segments.entries()) {
    let startSeconds = segmentStart
    for (const { offset, bytes, seconds: lasts } of keyframes) {
      placed.push({ startSeconds, segment, offset, bytes })
      startSeconds += lasts
    }
    segmentStart += seconds
  }
  return placed
}

/** Maximum length of the short side of a cover, in pixels: a larger cover would only load more slowly. */
const COVER_SHORT_SIDE_MAX = 720

/** The rung for the cover: the largest within `COVER_SHORT_SIDE_MAX`, or the smallest if all are larger. */
export function coverRung(rungs: readonly Rung[]): Rung {
  const fitting = rungs.filter(({ width, height }) => Math.min(width, height) <= COVER_SHORT_SIDE_MAX)
  const rung = fitting.at(-1) ?? rungs[0]
  if (!rung) throw new Error('A plan has at least one rung')
  return rung
}
