/**
 * The rules of a video's table of contents. A change is decided on the whole of it, which is small, while
 * nobody else changes it; every fault of a change is told at once.
 */
import { chapters as contract } from '@reelkeep/contract'
import { type DomainError, type Fault, refused, refusedForAll } from '../../kernel/errors.ts'
import type { Asset } from '../assets/assets.ts'
import { TIMECODE_SECONDS_MAX, toTimecode } from './timecodes.rules.ts'

const { CHAPTERS_PER_ASSET_MAX } = contract

export type NewChapter = { readonly title: string; readonly startSeconds: number }
export type Chapter = NewChapter & { readonly id: number }

/** The chapters of one asset, ordered by start. */
export type ChapterSet = {
  /** The highest number ever given in it. */
  readonly lastId: number
  readonly chapters: readonly Chapter[]
}

/** What a change makes of a set. Numbers that are not in it yet are new chapters. */
export type Change = {
  readonly removedIds: readonly number[]
  readonly written: readonly Chapter[]
  readonly lastId: number
}

/** Where in the request the chapters stand. */
export type Origin = {
  readonly field: string
  /** Of the start of the chapter with this index, and how a sentence about it begins. */
  readonly startAt: (index: number) => { readonly field: string; readonly name: string }
}

/** What must be known of an asset to say whether a chapter fits. */
export type Video = Pick<Asset, 'durationSeconds' | 'status' | 'bytes' | 'errorDetail'>

const byStart = (a: NewChapter, b: NewChapter) => a.startSeconds - b.startSeconds

export function added(
  video: Video,
  set: ChapterSet,
  additions: readonly NewChapter[],
  origin: Origin,
): Change {
  assertFit(video, set.chapters, additions, origin)
  const written = numbered(additions, set.lastId)
  return { removedIds: [], written, lastId: set.lastId + written.length }
}

/** A chapter that starts where one started before is the same one, whatever its title is now. */
export function replaced(
  video: Video,
  set: ChapterSet,
  wanted: readonly NewChapter[],
  origin: Origin,
): Change {
  assertFit(video, [], wanted, origin)
  const before = new Map(set.chapters.map((chapter) => [chapter.startSeconds, chapter.id]))
  const starts = new Set(wanted.map(({ startSeconds }) => startSeconds))
  const kept = wanted.flatMap((chapter) => {
    const id = before.get(chapter.startSeconds)
    return id === undefined ? [] : [{ ...chapter, id }]
  })
  const fresh = wanted.filter(({ startSeconds }) => !before.has(startSeconds))
  return {
    removedIds: set.chapters.filter((one) => !starts.has(one.startSeconds)).map(({ id }) => id),
    written: [...kept, ...numbered(fresh, set.lastId)],
    lastId: set.lastId + fresh.length,
  }
}

/** What is undefined stays as it is. */
export type Edit = {
  readonly title: string | undefined
  readonly startSeconds: number | undefined
}

export function edited(video: Video, set: ChapterSet, id: number, edit: Edit): Change {
  const before = requireChapter(set, id)
  const startSeconds = edit.startSeconds ?? before.startSeconds
  const chapter = { id, title: edit.title ?? before.title, startSeconds }
  if (startSeconds !== before.startSeconds) {
    const others = set.chapters.filter((other) => other.id !== id)
    assertFit(video, others, [chapter], ofOneChapter)
  }
  return { removedIds: [], written: [chapter], lastId: set.lastId }
}

const ofOneChapter: Origin = {
  field: 'start_time',
  startAt: () => ({ field: 'start_time', name: 'start_time' }),
}

export function removed(set: ChapterSet, id: number): Change {
  requireChapter(set, id)
  return { removedIds: [id], written: [], lastId: set.lastId }
}

/** The set as it is after the change. */
export function applied(set: ChapterSet, { removedIds, written, lastId }: Change): ChapterSet {
  const gone = new Set([...removedIds, ...written.map(({ id }) => id)])
  const kept = set.chapters.filter(({ id }) => !gone.has(id))
  return { lastId, chapters: [...kept, ...written].sort(byStart) }
}

/** New numbers, in the order in which the chapters are shown. */
const numbered = (chapters: readonly NewChapter[], lastId: number): Chapter[] =>
  chapters.toSorted(byStart).map((chapter, index) => ({ ...chapter, id: lastId + index + 1 }))

/** Throws unless the chapters can stand beside those that stay. */
function assertFit(
  video: Video,
  staying: readonly Chapter[],
  incoming: readonly NewChapter[],
  origin: Origin,
): void {
  if (incoming.length === 0) return
  const durationSeconds = requireDuration(video)
  const taken = new Map(staying.map((chapter) => [chapter.startSeconds, chapter]))
  const given = new Set<number>()
  const faults = incoming.flatMap(({ startSeconds }, index) => {
    const fault =
      outsideFault(startSeconds, durationSeconds) ??
      takenFault(startSeconds, taken.get(startSeconds), given.has(startSeconds))
    given.add(startSeconds)
    if (!fault) return []
    const { field, name } = origin.startAt(index)
    return [{ code: fault.code, field, detail: `${name} ${fault.detail}` }]
  })
  const [first, ...others] = [
    ...faults,
    ...countFaults(staying.length + incoming.length, origin.field),
  ]
  if (first) throw refusedForAll([first, ...others])
}

/** The last second on which a chapter can start: before the end, which may lie within a second. */
export const latestStart = (durationSeconds: number) =>
  Math.min(Math.ceil(durationSeconds) - 1, TIMECODE_SECONDS_MAX)

function outsideFault(startSeconds: number, durationSeconds: number): Fault | undefined {
  const latest = latestStart(durationSeconds)
  if (startSeconds <= latest) return undefined
  const detail = `${toTimecode(startSeconds)} is outside the video, which ends at ${toTimecode(durationSeconds)}: a chapter starts at ${toTimecode(latest)} at the latest.`
  return { code: 'chapter_outside_video', detail }
}

function takenFault(
  startSeconds: number,
  holder: Chapter | undefined,
  isRepeated: boolean,
): Fault | undefined {
  if (!holder && !isRepeated) return undefined
  const reason = holder ? `taken by chapter ${holder.id}, "${holder.title}"` : 'given twice'
  const detail = `${toTimecode(startSeconds)} is ${reason}. Two chapters cannot start at the same second.`
  return { code: 'chapter_start_taken', detail }
}

function countFaults(count: number, field: string): Fault[] {
  if (count <= CHAPTERS_PER_ASSET_MAX) return []
  const detail = `A video has at most ${CHAPTERS_PER_ASSET_MAX} chapters; this would make ${count}.`
  return [{ code: 'too_many_chapters', field, detail }]
}

function requireChapter({ chapters }: ChapterSet, id: number): Chapter {
  const chapter = chapters.find((chapter) => chapter.id === id)
  if (!chapter) throw chapterNotFound()
  return chapter
}

const chapterNotFound = () => refused('chapter_not_found', 'This video has no such chapter.')

function requireDuration(video: Video): number {
  if (video.durationSeconds === null) throw durationUnknown(video)
  return video.durationSeconds
}

export function durationUnknown(video: Video): DomainError {
  return refused(
    'video_duration_unknown',
    `How long the video is, is not known. ${whatToWaitFor(video)}`,
  )
}

function whatToWaitFor({ status, bytes, errorDetail }: Video): string {
  const isOver = status === 'Error' || status === 'Cancelled'
  if (bytes === null) {
    return isOver
      ? 'Its file did not arrive and is not awaited any more: upload it with a new session.'
      : 'Upload its file first; seconds later its duration is known.'
  }
  if (!isOver) {
    return 'Its file waits to be looked into, which takes seconds: repeat the request when `video.duration` of the asset is not null.'
  }
  const why = errorDetail === null ? '' : ` (${errorDetail})`
  return `Its processing has ended${why}, so it will not be known: if the file is at fault, upload another one, otherwise process the asset again with retry/.`
}
