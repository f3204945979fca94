import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { planGrid } from './grid.ts'

const rate = (numerator: number, denominator = 1) => ({ numerator, denominator })

describe('planGrid', () => {
  it.each([
    [10, rate(30), { frames: 300, gopFrames: 60, segmentFrames: 120, segments: 3 }],
    [8, rate(30), { frames: 240, segments: 2 }],
    [8.04, rate(25), { frames: 201, segments: 3 }],
    [10.01, rate(30_000, 1001), { frames: 300, gopFrames: 60, segments: 3 }],
    [60, rate(24_000, 1001), { frames: 1439, gopFrames: 48, segmentFrames: 96, segments: 15 }],
    [10, rate(25, 2), { frames: 125, gopFrames: 25, segmentFrames: 50, segments: 3 }],
    [0.5, rate(30), { frames: 15, segments: 1 }],
    [0.1, rate(1), { frames: 1, gopFrames: 2, segmentFrames: 4, segments: 1 }],
  ])('plans %d seconds at %j as %j', (durationSeconds, frameRate, expected) => {
    expect(planGrid(durationSeconds, frameRate)).toMatchObject(expected)
  })

  it('returns segments that together contain all frames, none of which is empty', () => {
    const seconds = fc.double({ min: 0.1, max: 86_400, noNaN: true })
    const someRate = fc.constantFrom(rate(1), rate(25, 2), rate(24_000, 1001), rate(30), rate(60))
    fc.assert(
      fc.property(seconds, someRate, (durationSeconds, frameRate) => {
        const { frames, segments, segmentFrames } = planGrid(durationSeconds, frameRate)
        expect(frames).toBeGreaterThan((segments - 1) * segmentFrames)
        expect(frames).toBeLessThanOrEqual(segments * segmentFrames)
      }),
    )
  })
})
