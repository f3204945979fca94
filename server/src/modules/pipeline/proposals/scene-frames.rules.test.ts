import { expect, it } from 'vitest'
import { bytesOf, framesBetween } from './scene-frames.rules.ts'

const keyframes = [
  { startSeconds: 0, segment: 0, offset: 0, bytes: 10 },
  { startSeconds: 2.002, segment: 0, offset: 100, bytes: 10 },
  { startSeconds: 4.004, segment: 1, offset: 0, bytes: 10 },
  { startSeconds: 6.006, segment: 1, offset: 90, bytes: 10 },
]

it('a gap has the frames from its first keyframe to the one before the other', () => {
  const rate = { numerator: 30_000, denominator: 1001 }
  expect(framesBetween(keyframes, { before: 1, after: 2 }, rate)).toEqual({ first: 60, count: 60 })
  expect(framesBetween(keyframes, { before: 0, after: 3 }, rate)).toEqual({ first: 0, count: 180 })
})

it('a gap ends at the next keyframe, or at the end of the segment', () => {
  expect(bytesOf(keyframes, { before: 0, after: 1 })).toEqual([{ segment: 0, start: 0, end: 100 }])
  expect(bytesOf(keyframes, { before: 1, after: 2 })).toEqual([{ segment: 0, start: 100, end: undefined }])
  expect(bytesOf(keyframes, { before: 1, after: 3 })).toEqual([
    { segment: 0, start: 100, end: undefined },
    { segment: 1, start: 0, end: 90 },
  ])
})
