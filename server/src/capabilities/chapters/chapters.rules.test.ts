import { describe, expect, it } from 'vitest'
import { DomainError, type Fault } from '../../kernel/errors.ts'
import {
  added,
  applied,
  type ChapterSet,
  edited,
  type Origin,
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

const origin: Origin = {
  field: 'list',
  startAt: (index) => ({ field: `list[${index}]`, name: `list[${index}]` }),
}

const at = (...starts: number[]) => starts.map((startSeconds) => ({ title: 'x', startSeconds }))
const empty: ChapterSet = { lastId: 0, chapters: [] }
const setOf = (...starts: number[]) =>
  applied(empty, added(video(600), empty, at(...starts), origin))

function faultsOf(decide: () => unknown): readonly Fault[] {
  try {
    decide()
    return []
  } catch (error) {
    if (error instanceof DomainError) return error.faults
    throw error
  }
}

const codesOf = (decide: () => unknown) => faultsOf(decide).map(({ code }) => code)

describe('within the video', () => {
  it.each([
    [600, 0, true],
    [600, 599, true],
    [600, 600, false],
    [600.001, 600, true],
    [10.5, 10, true],
    [10.5, 11, false],
    [0.04, 0, true],
    [0.04, 1, false],
    [1_000_000, 359_999, true],
    [1_000_000, 360_000, false],
  ])('of %d s, a start at %d: %s', (durationSeconds, startSeconds, isWithin) => {
    const decide = () => added(video(durationSeconds), empty, at(startSeconds), origin)
    expect(codesOf(decide)).toEqual(isWithin ? [] : ['chapter_outside_video'])
  })

  it.each([
    [{ status: 'Not Started', bytes: null }, /Upload its file first/],
    [{ status: 'Error', bytes: null }, /new session/],
    [{ status: 'Queued' }, /waits to be looked into/],
    [{ status: 'Processing' }, /waits to be looked into/],
    [{ status: 'Cancelled' }, /retry\//],
    [{ status: 'Error', errorDetail: 'No picture.' }, /No picture\..*retry\//],
  ] as const)('nobody knows of %j, and it is said what to wait for', (more, detail) => {
    const decide = () => added(video(null, more), empty, at(0), origin)
    expect(decide).toThrow(detail)
    expect(decide).toThrow(expect.objectContaining({ code: 'video_duration_unknown' }))
  })
})

describe('faults', () => {
  it('are told all at once, each with its place', () => {
    const faults = faultsOf(() => added(video(600), setOf(5), at(1, 5, 1, 600), origin))
    expect(faults.map(({ field, code }) => [field, code])).toEqual([
      ['list[1]', 'chapter_start_taken'],
      ['list[2]', 'chapter_start_taken'],
      ['list[3]', 'chapter_outside_video'],
    ])
  })

  it('are not more than anybody mends', () => {
    const starts = Array.from({ length: 100 }, (_, index) => 600 + index)
    expect(codesOf(() => added(video(600), empty, at(...starts), origin))).toHaveLength(50)
  })

  it('name the list when there would be too many', () => {
    const full = setOf(...Array.from({ length: 500 }, (_, second) => second))
    expect(full.chapters).toHaveLength(500)
    const faults = faultsOf(() => added(video(600), full, at(599), origin))
    expect(faults).toMatchObject([{ field: 'list', code: 'too_many_chapters' }])
  })
})

describe('numbers', () => {
  it('follow the starts of one request and are not given again', () => {
    const first = setOf(9, 3)
    expect(first.chapters.map(({ id, startSeconds }) => [id, startSeconds])).toEqual([
      [1, 3],
      [2, 9],
    ])
    const less = applied(first, removed(first, 2))
    expect(added(video(600), less, at(9), origin).written).toMatchObject([{ id: 3 }])
  })

  it('stay with the start when all are replaced, and with the chapter when it is edited', () => {
    const before = setOf(1, 2, 3)
    const after = applied(before, replaced(video(600), before, at(0, 2), origin))
    expect(after.chapters.map(({ id, startSeconds }) => [id, startSeconds])).toEqual([
      [4, 0],
      [2, 2],
    ])
    const edit = edited(video(600), before, 1, { title: undefined, startSeconds: 7 })
    expect(edit.written).toEqual([{ id: 1, title: 'x', startSeconds: 7 }])
  })
})
