/** The segments of a video, one per chapter. */
import type { Chapter } from '../about.ts'

export type Segment = {
  readonly start: number
  readonly end: number
  /** Title of the chapter; null for a video without chapters. */
  readonly title: string | null
}

/** The segments cover the whole duration; the first one starts at 0. */
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

/** After this time in a chapter, "previous" restarts it; before, it seeks to the previous chapter. */
const RESTART_SECONDS = 3

/** Position to which "previous" or "next" seeks; undefined if there is no next chapter. */
export function adjacentStart(segments: readonly Segment[], seconds: number, step: -1 | 1): number | undefined {
  const index = indexAt(segments, seconds)
  if (step === 1) return segments[index + 1]?.start
  const current = segments[index]?.start ?? 0
  return seconds - current > RESTART_SECONDS ? current : (segments[index - 1]?.start ?? current)
}
