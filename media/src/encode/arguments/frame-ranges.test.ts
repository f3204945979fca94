import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { planOf } from '../../../testing/plans.ts'
import { audioFrames, ticksOf, videoFrames } from './frame-ranges.ts'

const fraction = (numerator: number, denominator = 1) => ({ numerator, denominator })

it('videoFrames returns the frames of a range of segments; the last segment has the remaining frames', () => {
  const plan = planOf({ durationSeconds: 10 })
  expect(videoFrames(plan, { start: 0, end: 1 })).toEqual({ start: 0, end: 120 })
  expect(videoFrames(plan, { start: 1, end: 3 })).toEqual({ start: 120, end: 300 })
  expect(videoFrames(plan, { start: 2, end: 3 })).toEqual({ start: 240, end: 300 })
})

describe('audioFrames', () => {
  const audioFramesIn = (seconds: number, rate: { numerator: number; denominator: number }) => {
    const plan = planOf({ durationSeconds: seconds, frameRate: rate, audioStream: 1 })
    const { audio } = plan
    if (!audio) throw new Error('no audio')
    return { plan, of: (start: number, end: number) => audioFrames(plan, audio, { start, end }) }
  }

  it('starts with the first AAC frame that does not start before the segment', () => {
    const { of } = audioFramesIn(12, fraction(30))
    // 4 s are 187.5 AAC frames, 8 s are 375.
    expect([of(0, 1), of(1, 2), of(2, 3)]).toEqual([
      { start: 0, end: 188 },
      { start: 188, end: 375 },
      { start: 375, end: 563 },
    ])
  })

  it('returns at least one AAC frame, even for a very short last segment', () => {
    const { of } = audioFramesIn(8 + 1 / 60, fraction(60))
    // 8 s are 375 AAC frames, 8.0167 s are 375.8.
    expect(of(2, 3)).toEqual({ start: 375, end: 376 })
    const exact = audioFramesIn(4 + 1 / 60, fraction(60))
    // 4 s are 187.5 AAC frames, 4.0167 s are 188.3.
    expect(exact.of(1, 2)).toEqual({ start: 188, end: 189 })
  })

  it('leaves no gaps or overlaps between segments, at any frame rate and in a video of 24 hours', () => {
    const rates = fc.tuple(fc.integer({ min: 1000, max: 60_000 }), fc.integer({ min: 1000, max: 1001 }))
    fc.assert(
      fc.property(rates, fc.nat(20_000), ([numerator, denominator], segment) => {
        const { plan, of } = audioFramesIn(86_400, fraction(numerator, denominator))
        fc.pre(segment + 2 < plan.segments)
        const [one, other] = [of(segment, segment + 1), of(segment + 1, segment + 2)]
        expect(one.end).toBe(other.start)
        const start = (videoFrames(plan, { start: segment, end: segment + 1 }).start * denominator) / numerator
        expect((one.start * 1024) / 48_000).toBeGreaterThanOrEqual(start - 1e-6)
        expect(((one.start - 1) * 1024) / 48_000).toBeLessThan(start + 1e-6)
      }),
    )
  })
})

it.each([
  [fraction(30), { perSecond: 30_000, perFrame: 1000 }],
  [fraction(30_000, 1001), { perSecond: 30_000, perFrame: 1001 }],
  [fraction(15, 2), { perSecond: 15_000, perFrame: 2000 }],
])('a frame at %j is a whole number of ticks', (rate, ticks) => {
  expect(ticksOf(rate)).toEqual(ticks)
})
