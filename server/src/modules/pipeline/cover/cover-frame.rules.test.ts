import { describe, expect, it } from 'vitest'
import { keyframeBefore, segmentAt } from './cover-frame.rules.ts'

const segments = [
  { key: 'a', seconds: 4 },
  { key: 'b', seconds: 4 },
  { key: 'c', seconds: 1 },
]
const rate = { numerator: 10, denominator: 1 }

describe('segmentAt', () => {
  it.each([
    [0, 0, 0],
    [0.1, 0, 0.05],
    [0.19, 0, 0.05],
    [0.3, 0, 0.25],
    [3.99, 0, 3.85],
    [4, 1, 0],
    [8.95, 2, 0.85],
    [20, 2, 0.85],
  ])('finds the frame that is displayed at %d seconds', (atSeconds, number, offsetSeconds) => {
    const found = segmentAt(segments, atSeconds, rate)
    expect(found).toMatchObject({ number, key: segments[number]?.key })
    expect(found.offsetSeconds).toBeCloseTo(offsetSeconds, 9)
  })
})

it('keyframeBefore returns the last keyframe at or before the time', () => {
  const keyframes = [0, 2, 4].map((startSeconds) => ({ startSeconds, segment: 0, offset: 0, bytes: 1 }))
  expect([0, 1.9, 2, 99].map((at) => keyframeBefore(keyframes, at))).toEqual([0, 0, 1, 2])
})
