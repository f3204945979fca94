/** Chapters that the user can accept. None is added without being asked for. */
import { frameAt, frameStart } from '../timeline/frames.ts'
import type { Pause } from '../timeline/waveform.ts'
import type { Video } from '../timeline/zoom.ts'
import type { Chapters, ChapterValues } from './chapter-edits.ts'

/** A shorter silence is a breath. */
export const PAUSE_MS_MIN = 1000
/** Shorter pauses do not attract dragged chapters. */
export const MARK_PAUSE_MS_MIN = 400
/** A chapter starts this much before the sound starts again. */
const LEAD_MS = 120
const EVEN_MAX = 60

/** The frame in which a chapter after a pause starts. */
export const startAfter = ({ startMs, endMs }: Pause, rate: number) =>
  frameStart(rate, frameAt(rate, Math.max(startMs, endMs - LEAD_MS)))

const SECONDS = [2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600]

/** Lengths in seconds of chapters of equal length, of which the video has at least two and not too many. */
export const evenLengths = ({ durationMs }: Video): readonly number[] =>
  SECONDS.filter((seconds) => {
    const count = Math.ceil(durationMs / 1000 / seconds)
    return count >= 2 && count <= EVEN_MAX
  })

const COUNT_WANTED = 6

/** The length that gives about as many chapters as people make. */
export const usualLength = (video: Video): number | undefined =>
  evenLengths(video).toSorted((one, other) => distance(video, one) - distance(video, other))[0]

const distance = ({ durationMs }: Video, seconds: number) =>
  Math.abs(Math.log(durationMs / 1000 / seconds / COUNT_WANTED))

/** Starts in equal distances. */
export function evenStarts({ durationMs, rate }: Video, seconds: number): readonly number[] {
  const count = Math.min(EVEN_MAX, Math.ceil(durationMs / 1000 / seconds))
  return Array.from({ length: count }, (_, index) => frameStart(rate, frameAt(rate, index * seconds * 1000)))
}

/** A chapter this close makes a proposal useless. */
const CLOSE_MS = 500

/** Without those that are chapters already, or almost. */
export const withoutExisting = <T extends Pick<ChapterValues, 'startMs'>>(
  proposals: readonly T[],
  chapters: Chapters,
): readonly T[] =>
  proposals.filter(({ startMs }) => chapters.every((chapter) => Math.abs(chapter.startMs - startMs) >= CLOSE_MS))
