import { describe, expect, it } from 'vitest'
import { peakRate, targetSeconds } from './rates.ts'

const chunk = (seconds: number, bytes: number) => ({ seconds, bytes })

describe('peak bitrate', () => {
  it('is the bitrate of the largest segment', () => {
    expect(peakRate([chunk(4, 1000), chunk(4, 3000), chunk(4, 500)])).toBe(6000)
  })

  it('combines a very short last segment with the previous one', () => {
    expect(peakRate([chunk(4, 1000), chunk(0.04, 1000)])).toBe(Math.ceil(16_000 / 4.04))
  })

  it('takes a single segment into account if it lasts at least half the target duration', () => {
    expect(peakRate([chunk(4, 1000), chunk(2, 1000)])).toBe(4000)
    expect(peakRate([chunk(4, 1000), chunk(1.9, 1000)])).toBe(Math.ceil(16_000 / 5.9))
  })

  it('is the average bitrate for a video shorter than half a second, and at least 1 bit/s', () => {
    expect(peakRate([chunk(0.4, 100)])).toBe(2000)
    expect(peakRate([chunk(4, 0)])).toBe(1)
  })
})

it.each([
  [[4, 4.4], 4],
  [[4.5, 4], 5],
  [[0.2], 1],
])('the target duration is at least the rounded duration of every segment: %j', (lengths, target) => {
  expect(targetSeconds(lengths.map((seconds) => chunk(seconds, 1)))).toBe(target)
})
