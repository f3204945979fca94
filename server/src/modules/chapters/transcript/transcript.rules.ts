/** A transcript as proposals of chapters are made from it. Pure. */
import type { Proposals } from '@reelkeep/media'

/** Something that is said, in about 10 to 30 seconds. */
export type SpokenPart = {
  readonly startMs: number
  readonly endMs: number
  readonly text: string
  /** Bits of the meaning of each sentence; null if they are not known yet. */
  readonly fingerprints: readonly string[] | null
}

export type ProposedChapter = {
  readonly startSeconds: number
  /** Null if none was found. */
  readonly title: string | null
}

/** A new chapter begins with a part. The first one begins with the video. */
export type ChapterStart = { readonly part: number; readonly title: string | null }

/** Pauses and scene changes this close to a start are where a chapter starts. */
const SNAP_SECONDS = 3

/**
 * The start of each chapter in seconds. A part begins with the last words of the one before, so what is new in it
 * begins where that one ends.
 */
export function startsOf(
  parts: readonly SpokenPart[],
  chapters: readonly ChapterStart[],
  found: Proposals | null,
): readonly ProposedChapter[] {
  const starts = new Map<number, ProposedChapter>()
  for (const { part, title } of chapters.toSorted((one, other) => one.part - other.part)) {
    const startMs = part === 0 ? 0 : Math.max(parts[part]?.startMs ?? 0, parts[part - 1]?.endMs ?? 0)
    const startSeconds = part === 0 ? 0 : snapped(startMs / 1000, found)
    if (!starts.has(startSeconds)) starts.set(startSeconds, { startSeconds, title })
  }
  return [...starts.values()]
}

function snapped(seconds: number, found: Proposals | null): number {
  const near = (found?.starts ?? [])
    .map(({ startSeconds }) => startSeconds)
    .filter((start) => Math.abs(start - seconds) <= SNAP_SECONDS)
  return near.toSorted((one, other) => Math.abs(one - seconds) - Math.abs(other - seconds))[0] ?? seconds
}

/** As many chapters as people make, for a duration. */
export const chapterCountMax = (durationSeconds: number) =>
  Math.max(2, Math.min(60, Math.round(Math.sqrt(durationSeconds / 60) * 2.5)))
