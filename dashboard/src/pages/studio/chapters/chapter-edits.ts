/** Changes of a list of chapters. The lists are ordered by start, and no two chapters start at the same time. */
import { frameAt, frameStart, lastFrameStart, nearestFrameStart } from '../timeline/frames.ts'
import type { Video } from '../timeline/zoom.ts'

/** As in the API. */
export const CHAPTERS_MAX = 500
export const TITLE_LENGTH_MAX = 255

export type ChapterValues = {
  readonly title: string
  /** Start in whole milliseconds. */
  readonly startMs: number
}
/** `key` identifies the chapter in this editor, also after its start has changed. */
export type Chapter = ChapterValues & { readonly key: string }
export type Chapters = readonly Chapter[]

const byStart = (one: ChapterValues, other: ChapterValues) => one.startMs - other.startMs

export const sorted = <T extends ChapterValues>(chapters: readonly T[]): readonly T[] => chapters.toSorted(byStart)

export const isSameChapter = (one: ChapterValues, other: ChapterValues) =>
  one.title === other.title && one.startMs === other.startMs

/** Whether two lists have the same titles and starts. */
export const areSame = (some: readonly ChapterValues[], others: readonly ChapterValues[]) =>
  some.length === others.length &&
  some.every((chapter, index) => {
    const other = others[index]
    return other !== undefined && isSameChapter(chapter, other)
  })

const isTaken = (chapters: Chapters, startMs: number) => chapters.some((chapter) => chapter.startMs === startMs)

/** Adds chapters, except those at whose start another one is, and those for which there is no room. */
export function added(chapters: Chapters, additions: Chapters): Chapters {
  const list = [...chapters]
  for (const chapter of additions) if (list.length < CHAPTERS_MAX && !isTaken(list, chapter.startMs)) list.push(chapter)
  return sorted(list)
}

export const removed = (chapters: Chapters, key: string): Chapters => chapters.filter((chapter) => chapter.key !== key)

/** The title without line breaks and surrounding spaces. The old title stays if the new one is empty. */
export function renamed(chapters: Chapters, key: string, text: string): Chapters {
  const title = cleanTitle(text)
  return chapters.map((chapter) => (chapter.key === key && title !== '' ? { ...chapter, title } : chapter))
}

export const cleanTitle = (text: string) => text.replace(/\s+/g, ' ').trim().slice(0, TITLE_LENGTH_MAX).trim()

/** The times between which a chapter can be moved: a frame after the previous one and a frame before the next one. */
export function limitsOf(chapters: Chapters, key: string, { durationMs, rate }: Video) {
  const index = chapters.findIndex((chapter) => chapter.key === key)
  const [previous, next] = [chapters[index - 1], chapters[index + 1]]
  const last = lastFrameStart(rate, durationMs)
  const min = previous ? frameStart(rate, frameAt(rate, previous.startMs) + 1) : 0
  const max = next ? frameStart(rate, Math.ceil(((next.startMs - 1) * rate) / 1000) - 1) : last
  return { min: Math.min(min, last), max: Math.max(min, Math.min(max, last)) }
}

type Move = { readonly key: string; readonly startMs: number }

/** Moves a chapter to the nearest frame within its limits. */
export function moved(chapters: Chapters, { key, startMs }: Move, video: Video): Chapters {
  const { min, max } = limitsOf(chapters, key, video)
  const start = Math.min(max, Math.max(min, nearestFrameStart(video.rate, startMs)))
  return isTaken(removed(chapters, key), start)
    ? chapters
    : sorted(chapters.map((chapter) => (chapter.key === key ? { ...chapter, startMs: start } : chapter)))
}

/** Moves a chapter by a number of frames. */
export function nudged(chapters: Chapters, { key, frames }: { key: string; frames: number }, video: Video): Chapters {
  const chapter = chapters.find((one) => one.key === key)
  if (!chapter) return chapters
  const frame = Math.max(0, frameAt(video.rate, chapter.startMs) + frames)
  return moved(chapters, { key, startMs: frameStart(video.rate, frame) }, video)
}

/** The chapter in which a time is. Undefined before the first one. */
export const chapterAt = (chapters: Chapters, ms: number) => chapters.findLast(({ startMs }) => startMs <= ms)
