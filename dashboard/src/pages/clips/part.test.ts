import { expect, it } from 'vitest'
import {
  betweenTimes,
  edgeMs,
  endingWith,
  frameCount,
  moved,
  secondsOf,
  shownAt,
  startingWith,
  wholeOf,
  withTyped,
} from './part.ts'

/** 400 frames. */
const video = { durationMs: 16_000, rate: 25 }
const part = { startFrame: 100, endFrame: 200 }

it.each([
  [24_000 / 1001, 16_016, 384],
  [25, 16_000, 400],
  [30_000 / 1001, 16_016, 480],
  [30, 11_700, 351],
  [50, 16_020, 801],
  [60, 16_016, 961],
])('counts the frames of a video at %d fps', (rate, durationMs, frames) => {
  expect(frameCount({ rate, durationMs })).toBe(frames)
  const whole = wholeOf({ rate, durationMs })
  expect(edgeMs(whole, 'endFrame', { rate, durationMs })).toBe(durationMs)
  expect(secondsOf(whole, { rate, durationMs }).end_seconds).toBeCloseTo(frames / rate, 9)
})

it('moves an edge at most to the other one and to the ends of the video', () => {
  const to = (frame: number) => ({ frame, video })
  expect(moved(part, 'startFrame', to(-5))).toEqual({ startFrame: 0, endFrame: 200 })
  expect(moved(part, 'startFrame', to(300))).toEqual({ startFrame: 199, endFrame: 200 })
  expect(moved(part, 'endFrame', to(20))).toEqual({ startFrame: 100, endFrame: 101 })
  expect(moved(part, 'endFrame', to(999))).toEqual({ startFrame: 100, endFrame: 400 })
})

it('is between two times, the end exclusive', () => {
  expect(betweenTimes({ startMs: 4000, endMs: 8000 }, video)).toEqual(part)
  expect(betweenTimes({ startMs: 0, endMs: 16_000 }, video)).toEqual(wholeOf(video))
  expect(betweenTimes({ startMs: 0, endMs: 17_000 }, video)).toBeUndefined()
})

it('starts and ends with the frame that is shown', () => {
  expect(startingWith(part, 150, video)).toEqual({ startFrame: 150, endFrame: 200 })
  expect(startingWith(part, 250, video)).toEqual({ startFrame: 250, endFrame: 400 })
  expect(endingWith(part, 150)).toEqual({ startFrame: 100, endFrame: 151 })
  expect(endingWith(part, 50)).toEqual({ startFrame: 0, endFrame: 51 })
  expect([shownAt(part, 'startFrame'), shownAt(part, 'endFrame')]).toEqual([100, 199])
})

it.each([
  ['startFrame', '0:05', { part: { startFrame: 125, endFrame: 200 } }],
  ['startFrame', '7,97', { part: { startFrame: 199, endFrame: 200 } }],
  ['endFrame', '0:16.000', { part: { startFrame: 100, endFrame: 400 } }],
  ['endFrame', '16.2', { problem: 'after-end' }],
  ['endFrame', '4', { problem: 'order' }],
  ['startFrame', '8', { problem: 'order' }],
  ['startFrame', 'soon', { problem: 'no-time' }],
] as const)('reads a typed time for the %s: %s', (edge, text, expected) => {
  expect(withTyped(part, edge, { text, video })).toEqual(expected)
})
