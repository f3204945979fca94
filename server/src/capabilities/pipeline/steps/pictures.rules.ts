import type { Rung } from '@reelkeep/media'
import type { StoredSegment } from '../../renditions/renditions.ts'

export type PlacedKeyframe = {
  readonly startSeconds: number
  /** The segment it is in, and which keyframe of that it is. */
  readonly segment: number
  readonly index: number
}

/** All keyframes of a rendition, in order. */
export function keyframesOf(segments: readonly StoredSegment[]): PlacedKeyframe[] {
  const placed: PlacedKeyframe[] = []
  let segmentStart = 0
  for (const [segment, { seconds, keyframes }] of segments.entries()) {
    let startSeconds = segmentStart
    for (const [index, keyframe] of keyframes.entries()) {
      placed.push({ startSeconds, segment, index })
      startSeconds += keyframe.seconds
    }
    segmentStart += seconds
  }
  return placed
}

/** Larger than a page shows, a cover only loads slower. */
const COVER_SHORT_SIDE_MAX = 720

/** The largest that is no larger than needed; of those that all are, the smallest. */
export function coverRung(rungs: readonly Rung[]): Rung {
  const fitting = rungs.filter(
    ({ width, height }) => Math.min(width, height) <= COVER_SHORT_SIDE_MAX,
  )
  const rung = fitting.at(-1) ?? rungs[0]
  if (!rung) throw new Error('A plan has at least one rung')
  return rung
}
