import { describe, expect, it } from 'vitest'
import type { Waveform } from '../timeline/waveform.ts'
import { evenLengths, evenStarts, startsAfterPauses, usualLength, withoutExisting } from './proposals.ts'

const video = (seconds: number) => ({ durationMs: seconds * 1000, rate: 25 })

/** A waveform of loud and quiet parts with their seconds. */
const waveformOf = (...parts: readonly (readonly [number, number])[]): Waveform => ({
  levels: [Uint8Array.from(parts.flatMap(([value, seconds]) => Array.from({ length: seconds * 20 }, () => value)))],
})

describe('startsAfterPauses', () => {
  it('proposes the frame shortly before the sound starts again', () => {
    const waveform = waveformOf([0, 1], [120, 10], [1, 2], [120, 10], [1, 0.5], [120, 5])
    expect(startsAfterPauses(waveform, video(28.5))).toEqual([880, 12_880])
  })

  it('proposes nothing at the end, and the longest pauses in a long video', () => {
    expect(startsAfterPauses(waveformOf([120, 10], [0, 3]), video(13))).toEqual([])
    const parts = Array.from({ length: 100 }, (_, index) => [
      [120, 10],
      [0, index % 2 ? 2 : 1],
    ]).flat() as [number, number][]
    const starts = startsAfterPauses(waveformOf(...parts), video(1150))
    expect(starts).toHaveLength(40)
    expect(starts).toEqual(starts.toSorted((one, other) => one - other))
  })
})

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
