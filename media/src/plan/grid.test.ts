import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { frameRangeOf, layGrid, secondsAt } from './grid.ts'

const rate = (numerator: number, denominator = 1) => ({ numerator, denominator })

describe('layGrid', () => {
  it.each([
    [10, rate(30), { frames: 300, gopFrames: 60, segmentFrames: 120, segments: 3 }],
    [8, rate(30), { frames: 240, segments: 2 }],
    [8.04, rate(25), { frames: 201, segments: 3 }],
    [10.01, rate(30_000, 1001), { frames: 300, gopFrames: 60, segments: 3 }],
    [60, rate(24_000, 1001), { frames: 1439, gopFrames: 48, segmentFrames: 96, segments: 15 }],
    [10, rate(25, 2), { frames: 125, gopFrames: 25, segmentFrames: 50, segments: 3 }],
    [0.5, rate(30), { frames: 15, segments: 1 }],
    [0.1, rate(1), { frames: 1, gopFrames: 2, segmentFrames: 4, segments: 1 }],
  ])('%d seconds at %j', (durationSeconds, frameRate, expected) => {
    expect(layGrid(durationSeconds, frameRate)).toMatchObject(expected)
  })
})

describe('frameRangeOf', () => {
  const grid = layGrid(10, rate(30))

  it('a segment has its frames, the last one what is left', () => {
    expect(frameRangeOf(grid, { start: 0, end: 1 })).toEqual({ startFrame: 0, frames: 120 })
    expect(frameRangeOf(grid, { start: 1, end: 3 })).toEqual({ startFrame: 120, frames: 180 })
    expect(frameRangeOf(grid, { start: 2, end: 3 })).toEqual({ startFrame: 240, frames: 60 })
  })

  it('no segment is empty, and together they are all frames', () => {
    const seconds = fc.double({ min: 0.1, max: 86_400, noNaN: true })
    const someRate = fc.constantFrom(rate(1), rate(25, 2), rate(24_000, 1001), rate(30), rate(60))
    fc.assert(
      fc.property(seconds, someRate, (durationSeconds, frameRate) => {
        const { segments, ...rest } = layGrid(durationSeconds, frameRate)
        const all = { segments, ...rest }
        const last = frameRangeOf(all, { start: segments - 1, end: segments })
        expect(last.frames).toBeGreaterThanOrEqual(1)
        expect(last.startFrame + last.frames).toBe(all.frames)
        expect(frameRangeOf(all, { start: 0, end: segments }).frames).toBe(all.frames)
      }),
    )
  })
})

describe('secondsAt', () => {
  it('is exact where fractions of a second are not', () => {
    const grid = layGrid(86_400, rate(30_000, 1001))
    expect(secondsAt(grid, 0)).toBe(0)
    expect(secondsAt(grid, 1)).toBe(4.004)
    expect(secondsAt(grid, 20_000)).toBe(80_080)
  })

  it('after the last segment is the end of the video', () => {
    const grid = layGrid(10, rate(30))
    expect(secondsAt(grid, 2)).toBe(8)
    expect(secondsAt(grid, 3)).toBe(10)
  })
})
