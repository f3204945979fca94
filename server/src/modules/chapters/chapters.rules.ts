/**
 * Rules for chapters. A change is checked against the whole set, which is small and locked meanwhile. All violations of
 * a change are reported at once.
 */
import { chapters as contract } from '@reelkeep/contract'
import { type DomainError, refused, refusedForViolations, type Violation } from '../../kernel/errors.ts'
import type { Asset } from '../assets/assets.ts'
import { START_SECONDS_MAX, toExactTimecode } from './timecodes.rules.ts'

const { CHAPTERS_PER_ASSET_MAX } = contract

/** `startSeconds` has at most three decimal places. */
export type NewChapter = { readonly title: string; readonly startSeconds: number }
export type Chapter = NewChapter & { readonly id: number }

/** A chapter as clients read it. */
export type ListedChapter = Chapter & {
  /** The chapter starts after the end of the video, because the asset shows a shorter version. */
  readonly isBeyondEnd: boolean
}

export const listed = (chapter: Chapter, { durationSeconds }: Pick<Video, 'durationSeconds'>): ListedChapter => ({
  ...chapter,
  isBeyondEnd: durationSeconds !== null && !isWithin(chapter.startSeconds, durationSeconds),
})

/**
 * The chapters of a part of a video, in the times of the part, to the millisecond. The one that is under way at its
 * start becomes the first.
 */
export function chaptersWithin(
  chapters: readonly NewChapter[],
  { startSeconds, durationSeconds }: { readonly startSeconds: number; readonly durationSeconds: number },
): NewChapter[] {
  const moved = chapters.map(({ title, startSeconds: start }) => ({
    title,
    startSeconds: Math.max(0, Math.round((start - startSeconds) * 1000) / 1000),
  }))
  const first = moved.findLastIndex((chapter) => chapter.startSeconds === 0)
  return moved.slice(Math.max(0, first)).filter((chapter) => chapter.startSeconds < durationSeconds)
}

/** The chapters of one asset, ordered by start. */
export type ChapterSet = {
  /** Highest id ever used in the set. */
  readonly lastId: number
  readonly chapters: readonly Chapter[]
}

/** A change to a set. Written chapters whose id is not in the set are new. */
export type Change = {
  readonly removedIds: readonly number[]
  readonly written: readonly Chapter[]
  readonly lastId: number
}

/** Where the chapters are in the request, for error messages. */
export type InputLocation = {
  readonly field: string
  /** For the chapter with this index: the field of its start, and the first words of an error message about it. */
  readonly startAt: (index: number) => { readonly field: string; readonly name: string }
}

/** The fields of an asset that decide whether a chapter is valid. */
export type Video = Pick<Asset, 'durationSeconds' | 'status' | 'bytes' | 'errorDetail'>

const byStart = (a: NewChapter, b: NewChapter) => a.startSeconds - b.startSeconds

export function added(
  video: Video,
  set: ChapterSet,
  additions: readonly NewChapter[],
  location: InputLocation,
): Change {
  assertFit(video, set.chapters, additions, location)
  const written = withIds(additions, set.lastId)
  return { removedIds: [], written, lastId: set.lastId + written.length }
}

/** A chapter with the same start as before keeps its id, whatever its title. */
export function replaced(
  video: Video,
  set: ChapterSet,
  replacement: readonly NewChapter[],
  location: InputLocation,
): Change {
  assertFit(video, [], replacement, location)
  const before = new Map(set.chapters.map((chapter) => [chapter.startSeconds, chapter.id]))
  const starts = new Set(replacement.map(({ startSeconds }) => startSeconds))
  const updates = replacement.flatMap((chapter) => {
    const id = before.get(chapter.startSeconds)
    return id === undefined ? [] : [{ ...chapter, id }]
  })
  const additions = replacement.filter(({ startSeconds }) => !before.has(startSeconds))
  return {
    removedIds: set.chapters.filter((chapter) => !starts.has(chapter.startSeconds)).map(({ id }) => id),
    written: [...updates, ...withIds(additions, set.lastId)],
    lastId: set.lastId + additions.length,
  }
}

/** An edit of a chapter. Undefined fields stay unchanged. */
export type Edit = {
  readonly title: string | undefined
  readonly startSeconds: number | undefined
  /** Whether `startSeconds` includes milliseconds. If not, the second of the chapter leaves its start unchanged. */
  readonly isExact: boolean
}

export function edited(video: Video, set: ChapterSet, id: number, edit: Edit): Change {
  const before = requireChapter(set, id)
  const isSameSecond = !edit.isExact && edit.startSeconds === Math.floor(before.startSeconds)
  const startSeconds = isSameSecond ? before.startSeconds : (edit.startSeconds ?? before.startSeconds)
  const chapter = { id, title: edit.title ?? before.title, startSeconds }
  if (startSeconds !== before.startSeconds) {
    const others = set.chapters.filter((other) => other.id !== id)
    assertFit(video, others, [chapter], inEdit)
  }
  return { removedIds: [], written: [chapter], lastId: set.lastId }
}

const inEdit: InputLocation = {
  field: 'start_time',
  startAt: () => ({ field: 'start_time', name: 'start_time' }),
}

export function removed(set: ChapterSet, id: number): Change {
  requireChapter(set, id)
  return { removedIds: [id], written: [], lastId: set.lastId }
}

/** Returns the set after the change. */
export function applied(set: ChapterSet, { removedIds, written, lastId }: Change): ChapterSet {
  const replacedIds = new Set([...removedIds, ...written.map(({ id }) => id)])
  const unchanged = set.chapters.filter(({ id }) => !replacedIds.has(id))
  return { lastId, chapters: [...unchanged, ...written].sort(byStart) }
}

/** Assigns new ids in order of start. */
const withIds = (chapters: readonly NewChapter[], lastId: number): Chapter[] =>
  chapters.toSorted(byStart).map((chapter, index) => ({ ...chapter, id: lastId + index + 1 }))

/** Throws unless the new chapters are valid together with those that stay. */
function assertFit(
  video: Video,
  staying: readonly Chapter[],
  incoming: readonly NewChapter[],
  location: InputLocation,
): void {
  if (incoming.length === 0) return
  const durationSeconds = requireDuration(video)
  const taken = new Map(staying.map((chapter) => [chapter.startSeconds, chapter]))
  const given = new Set<number>()
  const violations = incoming.flatMap(({ startSeconds }, index) => {
    const violation =
      outsideViolation(startSeconds, durationSeconds) ??
      takenViolation(startSeconds, taken.get(startSeconds), given.has(startSeconds))
    given.add(startSeconds)
    if (!violation) return []
    const { field, name } = location.startAt(index)
    return [{ code: violation.code, field, detail: `${name} ${violation.detail}` }]
  })
  const [first, ...others] = [...violations, ...countViolations(staying.length + incoming.length, location.field)]
  if (first) throw refusedForViolations([first, ...others])
}

/** Whether a chapter can start here: before the end of the video. */
export const isWithin = (startSeconds: number, durationSeconds: number) =>
  startSeconds < durationSeconds && startSeconds <= START_SECONDS_MAX

/** The latest start in whole seconds or in milliseconds, like the given one. */
function latestStart(startSeconds: number, durationSeconds: number): number {
  const unitsPerSecond = Number.isInteger(startSeconds) ? 1 : 1000
  const latest = Math.ceil(durationSeconds * unitsPerSecond) - 1
  return Math.min(latest, Math.floor(START_SECONDS_MAX * unitsPerSecond)) / unitsPerSecond
}

function outsideViolation(startSeconds: number, durationSeconds: number): Violation | undefined {
  if (isWithin(startSeconds, durationSeconds)) return undefined
  const detail =
    `${toExactTimecode(startSeconds)} is not before the end of the video (${toExactTimecode(durationSeconds)}). ` +
    `The latest possible start is ${toExactTimecode(latestStart(startSeconds, durationSeconds))}.`
  return { code: 'chapter_outside_video', detail }
}

function takenViolation(
  startSeconds: number,
  existing: Chapter | undefined,
  isRepeated: boolean,
): Violation | undefined {
  if (!existing && !isRepeated) return undefined
  const reason = existing ? `taken by chapter ${existing.id}, "${existing.title}"` : 'given twice'
  const detail = `${toExactTimecode(startSeconds)} is ${reason}. Two chapters cannot start at the same millisecond.`
  return { code: 'chapter_start_taken', detail }
}

function countViolations(count: number, field: string): Violation[] {
  if (count <= CHAPTERS_PER_ASSET_MAX) return []
  const detail =
    `A video can have at most ${CHAPTERS_PER_ASSET_MAX} chapters (this request would make it ${count}). ` +
    'Delete some or add fewer.'
  return [{ code: 'too_many_chapters', field, detail }]
}

function requireChapter({ chapters }: ChapterSet, id: number): Chapter {
  const chapter = chapters.find((chapter) => chapter.id === id)
  if (!chapter) throw chapterNotFound()
  return chapter
}

export const chapterNotFound = () => refused('chapter_not_found', 'The chapter does not exist in this asset.')

function requireDuration(video: Video): number {
  if (video.durationSeconds === null) throw durationUnknown(video)
  return video.durationSeconds
}

export function durationUnknown(video: Video): DomainError {
  return refused('video_duration_unknown', `The duration of the video is not known yet. ${durationHint(video)}`)
}

function durationHint({ status, bytes, errorDetail }: Video): string {
  const isOver = status === 'Error' || status === 'Cancelled'
  if (bytes === null) {
    return isOver
      ? 'The video file was not uploaded in time. Upload it with a new session.'
      : 'Upload the video file first; its duration is known a few seconds later.'
  }
  if (!isOver) {
    return 'Repeat the request when `video.duration` of the asset is not null, which takes seconds.'
  }
  const why = errorDetail === null ? '' : ` (${errorDetail})`
  return `Processing has ended${why}. Upload another file if this one is broken; otherwise process the asset again with retry/.`
}
