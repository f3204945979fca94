/** A video as its chapters part it. */
import type { Chapter } from './about.ts'

export type Segment = {
  readonly start: number
  readonly end: number
  /** Null of a video without chapters. */
  readonly title: string | null
}

/** They fill the whole time: what comes before the first chapter belongs to it. */
export function segmentsOf(chapters: readonly Chapter[], duration: number): Segment[] {
  const inside = chapters.filter(({ start }) => start < duration)
  if (inside.length === 0) return [{ start: 0, end: duration, title: null }]
  return inside.map(({ title, start }, index) => ({
    title,
    start: index === 0 ? 0 : start,
    end: inside[index + 1]?.start ?? duration,
  }))
}

export const indexAt = (segments: readonly Segment[], seconds: number) =>
  Math.max(
    0,
    segments.findLastIndex(({ start }) => start <= seconds),
  )

/** Within this of its beginning, "previous" means the chapter before. */
const RESTART_SECONDS = 3

/** Where "previous" and "next" lead; undefined where there is no next one. */
export function neighbour(
  segments: readonly Segment[],
  seconds: number,
  step: -1 | 1,
): number | undefined {
  const index = indexAt(segments, seconds)
  if (step === 1) return segments[index + 1]?.start
  const own = segments[index]?.start ?? 0
  return seconds - own > RESTART_SECONDS ? own : (segments[index - 1]?.start ?? own)
}
