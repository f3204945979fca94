import { describe, expect, it } from 'vitest'
import { peakRate, targetSeconds } from './rates.ts'

const piece = (seconds: number, bytes: number) => ({ seconds, bytes })

describe('the peak', () => {
  it('is that of the largest segment', () => {
    expect(peakRate([piece(4, 1000), piece(4, 3000), piece(4, 500)])).toBe(6000)
  })

  it('is not that of a last moment alone, but counts it together with its neighbour', () => {
    expect(peakRate([piece(4, 1000), piece(0.04, 1000)])).toBe(Math.ceil(16_000 / 4.04))
  })

  it('counts a segment of half the target', () => {
    expect(peakRate([piece(4, 1000), piece(2, 1000)])).toBe(4000)
    expect(peakRate([piece(4, 1000), piece(1.9, 1000)])).toBe(Math.ceil(16_000 / 5.9))
  })

  it('of less than half a second is its average, and never nothing', () => {
    expect(peakRate([piece(0.4, 100)])).toBe(2000)
    expect(peakRate([piece(4, 0)])).toBe(1)
  })
})

it.each([
  [[4, 4.4], 4],
  [[4.5, 4], 5],
  [[0.2], 1],
])('no segment, rounded, is longer than the target: %j', (lengths, target) => {
  expect(targetSeconds(lengths.map((seconds) => piece(seconds, 1)))).toBe(target)
})
