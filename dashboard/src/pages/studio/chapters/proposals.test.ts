import { describe, expect, it } from 'vitest'
import { evenLengths, evenStarts, usualLength, withoutExisting } from './proposals.ts'

const video = (seconds: number) => ({ durationMs: seconds * 1000, rate: 25 })

describe('chapters of equal length', () => {
  it('start at frames, the first one at the beginning', () => {
    expect(evenStarts(video(8), 2)).toEqual([0, 2000, 4000, 6000])
    expect(evenStarts({ durationMs: 90_000, rate: 30_000 / 1001 }, 30)).toEqual([0, 29_997, 59_994])
  })

  it('are offered in useful lengths', () => {
    expect(evenLengths(video(8))).toEqual([2, 5])
    expect(evenLengths(video(3600))).toEqual([60, 120, 300, 600, 900, 1800])
    expect(usualLength(video(3600))).toBe(600)
    expect(usualLength(video(1))).toBeUndefined()
  })
})

it('what is a chapter already is not proposed', () => {
  const chapters = [{ key: 'a', title: 'A', startMs: 2010 }]
  expect(withoutExisting([{ startMs: 0 }, { startMs: 2000 }], chapters)).toEqual([{ startMs: 0 }])
})
