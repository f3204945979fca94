import { expect, it } from 'vitest'
import { pausesOf } from './pauses.ts'

const points = (...parts: readonly (readonly [seconds: number, value: number])[]) =>
  Uint8Array.from(parts.flatMap(([seconds, value]) => new Array<number>(seconds * 20).fill(value)))

it('a pause is as long as the audio is quiet', () => {
  expect(pausesOf(points([4, 100], [1.5, 3], [2, 100], [0.5, 1], [1, 90], [1, 0]), 1)).toEqual([
    { startSeconds: 4, endSeconds: 5.5 },
    { startSeconds: 9, endSeconds: 10 },
  ])
})

it('quiet speech has no pauses, and noise in a loud recording is one', () => {
  expect(pausesOf(points([4, 30], [2, 10], [4, 30]), 1)).toEqual([])
  expect(pausesOf(points([4, 250], [2, 15], [4, 250]), 1)).toEqual([{ startSeconds: 4, endSeconds: 6 }])
})

it('a video without sound has no pauses', () => {
  expect(pausesOf(points([10, 1]), 1)).toEqual([])
  expect(pausesOf(new Uint8Array(), 1)).toEqual([])
})
