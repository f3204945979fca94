import { expect, it } from 'vitest'
import { proposalsOf } from './proposals.ts'

const plan = { frameRate: { numerator: 30_000, denominator: 1001 }, durationSeconds: 20 }
const peaks = (...parts: readonly (readonly [seconds: number, value: number])[]) =>
  Uint8Array.from(parts.flatMap(([seconds, value]) => new Array<number>(seconds * 20).fill(value)))

it('starts are scenes and ends of pauses, at the start of a frame, in order', () => {
  const found = proposalsOf(plan, { peaks: peaks([6, 100], [2, 0], [12, 100]), scenes: [60, 300] })
  expect(found).toEqual({
    starts: [
      { startSeconds: 2.002, kind: 'scene', pauseSeconds: null },
      { startSeconds: 7.875, kind: 'pause', pauseSeconds: 2 },
      { startSeconds: 10.01, kind: 'scene', pauseSeconds: null },
    ],
    trim: null,
  })
})

it('silence at the beginning and end can be cut off; a pause at the end is no start', () => {
  const { starts, trim } = proposalsOf(plan, { peaks: peaks([3, 0], [13, 100], [4, 0]), scenes: [] })
  expect(starts.map(({ startSeconds }) => startSeconds)).toEqual([2.87])
  expect(trim).toEqual({ startSeconds: 2.87, endSeconds: 16.117 })
})

it('without audio there are only scenes', () => {
  expect(proposalsOf(plan, { peaks: null, scenes: [1] })).toEqual({
    starts: [{ startSeconds: 0.034, kind: 'scene', pauseSeconds: null }],
    trim: null,
  })
})
