import { describe, expect, it } from 'vitest'
import { DomainError, type Violation } from '../../kernel/errors.ts'
import {
  added,
  applied,
  type ChapterSet,
  edited,
  type InputLocation,
  removed,
  replaced,
  type Video,
} from './chapters.rules.ts'

const video = (durationSeconds: number | null, more: Partial<Video> = {}): Video => ({
  durationSeconds,
  status: 'Completed',
  bytes: 1,
  errorDetail: null,
  ...more,
})

const location: InputLocation = {
  field: 'list',
  startAt: (index) => ({ field: `list[${index}]`, name: `list[${index}]` }),
}

const at = (...starts: number[]) => starts.map((startSeconds) => ({ title: 'x', startSeconds }))
const empty: ChapterSet = { lastId: 0, chapters: [] }
const setOf = (...starts: number[]) => applied(empty, added(video(600), empty, at(...starts), location))

function violationsOf(decide: () => unknown): readonly Violation[] {
  try {
    decide()
    return []
  } catch (error) {
    if (error instanceof DomainError) return error.violations
    throw error
  }
}

const codesOf = (decide: () => unknown) => violationsOf(decide).map(({ code }) => code)

describe('the start of a chapter', () => {
  it.each([
    [600, 0, true],
    [600, 599, true],
    [600, 600, false],
    [600.001, 600, true],
    [10.5, 10, true],
    [10.5, 11, false],
    [0.04, 0, true],
    [0.04, 1, false],
    [10.5, 10.499, true],
    [10.5, 10.5, false],
    [1_000_000, 359_999.999, true],
    [1_000_000, 360_000, false],
  ])('in a video of %d s at second %d is valid: %s', (durationSeconds, startSeconds, isWithin) => {
    const decide = () => added(video(durationSeconds), empty, at(startSeconds), location)
    expect(codesOf(decide)).toEqual(isWithin ? [] : ['chapter_outside_video'])
  })

  it.each([
    [{ status: 'Not Started', bytes: null }, /Upload the video file first/],
    [{ status: 'Error', bytes: null }, /new session/],
    [{ status: 'Queued' }, /Repeat the request/],
    [{ status: 'Processing' }, /Repeat the request/],
    [{ status: 'Cancelled' }, /retry\//],
    [{ status: 'Error', errorDetail: 'No picture.' }, /No picture\..*retry\//],
  ] as const)('is rejected for %j, with a hint about what to wait for', (more, detail) => {
    const decide = () => added(video(null, more), empty, at(0), location)
    expect(decide).toThrow(detail)
    expect(decide).toThrow(expect.objectContaining({ code: 'video_duration_unknown' }))
  })
})

describe('violations of a change to chapters', () => {
  it('are reported all at once, each with its field', () => {
    const violations = violationsOf(() => added(video(600), setOf(5), at(1, 5, 1, 600), location))
    expect(violations.map(({ field, code }) => [field, code])).toEqual([
      ['list[1]', 'chapter_start_taken'],
      ['list[2]', 'chapter_start_taken'],
      ['list[3]', 'chapter_outside_video'],
    ])
  })

  it.each([
    [4.6, 5, '00:00:05 is not before the end of the video (00:00:04.600). The latest possible start is 00:00:04.'],
    [
      4.6,
      4.6,
      '00:00:04.600 is not before the end of the video (00:00:04.600). The latest possible start is 00:00:04.599.',
    ],
    [600, 600, '00:10:00 is not before the end of the video (00:10:00). The latest possible start is 00:09:59.'],
  ])('state the exact end of a video of %d seconds', (durationSeconds, start, detail) => {
    const [violation] = violationsOf(() => added(video(durationSeconds), empty, at(start), location))
    expect(violation?.detail).toContain(detail)
  })

  it('are limited to 50 per request', () => {
    const starts = Array.from({ length: 100 }, (_, index) => 600 + index)
    expect(codesOf(() => added(video(600), empty, at(...starts), location))).toHaveLength(50)
  })

  it('are reported for the whole list if there would be too many chapters', () => {
    const full = setOf(...Array.from({ length: 500 }, (_, second) => second))
    expect(full.chapters).toHaveLength(500)
    const violations = violationsOf(() => added(video(600), full, at(599), location))
    expect(violations).toMatchObject([{ field: 'list', code: 'too_many_chapters' }])
  })
})

describe('ids of chapters', () => {
  it('are assigned in order of start within a request and are never reused', () => {
    const first = setOf(9, 3)
    expect(first.chapters.map(({ id, startSeconds }) => [id, startSeconds])).toEqual([
      [1, 3],
      [2, 9],
    ])
    const less = applied(first, removed(first, 2))
    expect(added(video(600), less, at(9), location).written).toMatchObject([{ id: 3 }])
  })

  it('are kept by an edit, and by a replacement that has a chapter with the same start', () => {
    const before = setOf(1, 2, 3)
    const after = applied(before, replaced(video(600), before, at(0, 2), location))
    expect(after.chapters.map(({ id, startSeconds }) => [id, startSeconds])).toEqual([
      [4, 0],
      [2, 2],
    ])
    const edit = edited(video(600), before, 1, { title: undefined, startSeconds: 7, isExact: true })
    expect(edit.written).toEqual([{ id: 1, title: 'x', startSeconds: 7 }])
  })
})
