import type { Plan } from '@reelkeep/media'
import type { PlacedKeyframe } from '../steps/thumbnails.rules.ts'

/** The frames from one keyframe to the one before another. */
export type Gap = { readonly before: number; readonly after: number }

/** The number of the first frame of a gap, and how many frames it has. */
export function framesBetween(
  keyframes: readonly PlacedKeyframe[],
  { before, after }: Gap,
  { numerator, denominator }: Plan['frameRate'],
): { readonly first: number; readonly count: number } {
  const frameOf = (keyframe: number) => Math.round(((keyframes[keyframe]?.startSeconds ?? 0) * numerator) / denominator)
  const first = frameOf(before)
  return { first, count: frameOf(after) - first }
}

type Range = { readonly segment: number; readonly start: number; readonly end: number | undefined }

/** The parts of segments that contain the frames of a gap. Without an end, the rest of the segment. */
export function bytesOf(keyframes: readonly PlacedKeyframe[], { before, after }: Gap): Range[] {
  const ranges = new Map<number, Range>()
  for (const { segment, offset } of keyframes.slice(before, after)) {
    const start = ranges.get(segment)?.start ?? offset
    const next = keyframes[after]
    ranges.set(segment, { segment, start, end: next?.segment === segment ? next.offset : undefined })
  }
  return [...ranges.values()]
}
