import { describe, expect, it } from 'vitest'
import { added, CHAPTERS_MAX, type Chapter, cleanTitle, limitsOf, moved, nudged, renamed } from './chapter-edits.ts'

const video = { durationMs: 60_000, rate: 25 }
const chapter = (key: string, startMs: number): Chapter => ({ key, title: key.toUpperCase(), startMs })
const list = [chapter('a', 0), chapter('b', 10_000), chapter('c', 20_000)]
const startsOf = (chapters: readonly Chapter[]) => chapters.map(({ startMs }) => startMs)

describe('moved', () => {
  it('snaps to frames', () => {
    expect(startsOf(moved(list, { key: 'b', startMs: 12_345 }, video))).toEqual([0, 12_360, 20_000])
  })

  it('stops a frame beside the neighbors', () => {
    expect(startsOf(moved(list, { key: 'b', startMs: 45_000 }, video))).toEqual([0, 19_960, 20_000])
    expect(startsOf(moved(list, { key: 'b', startMs: -1 }, video))).toEqual([0, 40, 20_000])
  })

  it('stops at the last frame', () => {
    expect(startsOf(moved(list, { key: 'c', startMs: 90_000 }, video))).toEqual([0, 10_000, 59_960])
  })

  it('keeps starts apart in a list that is not on frames', () => {
    const close = [chapter('a', 0), chapter('b', 1), chapter('c', 2)]
    expect(new Set(startsOf(moved(close, { key: 'b', startMs: 5000 }, video))).size).toBe(3)
  })

  it('brings a chapter from after the end back into the video', () => {
    const beyond = [chapter('a', 0), chapter('b', 90_000)]
    expect(limitsOf(beyond, 'b', video)).toEqual({ min: 40, max: 59_960 })
    expect(startsOf(nudged(beyond, { key: 'b', frames: -1 }, video))).toEqual([0, 59_960])
  })
})

it.each([24_000 / 1001, 25, 30_000 / 1001, 60])('a chapter is nudged by exact frames, at %d fps', (rate) => {
  let chapters: readonly Chapter[] = [chapter('a', 0)]
  for (let step = 1; step <= 1000; step++) {
    chapters = nudged(chapters, { key: 'a', frames: 1 }, { durationMs: 600_000, rate })
    expect(startsOf(chapters)).toEqual([Math.ceil((step * 1000) / rate - 1e-6)])
  }
  for (let step = 0; step < 1000; step++)
    chapters = nudged(chapters, { key: 'a', frames: -1 }, { durationMs: 600_000, rate })
  expect(startsOf(chapters)).toEqual([0])
})

describe('added', () => {
  it('leaves out taken starts', () => {
    expect(startsOf(added(list, [chapter('d', 10_000), chapter('e', 5000)]))).toEqual([0, 5000, 10_000, 20_000])
  })

  it('adds at most as many as the API permits', () => {
    const many = Array.from({ length: 600 }, (_, index) => chapter(`n${index}`, index * 80))
    expect(added(list, many)).toHaveLength(CHAPTERS_MAX)
  })
})

it('titles have one line and the length that the API permits', () => {
  expect(cleanTitle('  two\n lines ')).toBe('two lines')
  expect(cleanTitle('x'.repeat(300))).toHaveLength(255)
  expect(renamed(list, 'a', '  ')).toEqual(list)
  expect(renamed(list, 'a', 'New')[0]?.title).toBe('New')
})
