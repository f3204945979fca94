import { expect, it } from 'vitest'
import { framesAround } from './renditions.rules.ts'

const ntsc = { frameRate: { numerator: 30_000, denominator: 1001 }, frames: 216_000, gopFrames: 60 }

it('framesAround returns the frames within a distance, with their exact times and keyframes', () => {
  const found = framesAround(ntsc, 3600, 2)
  expect(found.map(({ number }) => number)).toEqual(Array.from({ length: 120 }, (_, index) => 107_833 + index))
  for (const { number, seconds, isKeyframe } of found) {
    expect(seconds).toBe((number * 1001) / 30_000)
    expect(Math.abs(seconds - 3600)).toBeLessThanOrEqual(2)
    expect(isKeyframe).toBe(number % 60 === 0)
  }
})

it('framesAround includes a frame at the distance', () => {
  const found = framesAround({ ...ntsc, frameRate: { numerator: 25, denominator: 1 } }, 4, 2)
  expect([found[0]?.seconds, found.at(-1)?.seconds]).toEqual([2, 6])
})

it('framesAround returns the first frames at the start, and the last ones at and after the end', () => {
  const grid = { frameRate: { numerator: 60, denominator: 1 }, frames: 600, gopFrames: 120 }
  const numbersAt = (at: number) => framesAround(grid, at, 2).map(({ number }) => number)
  expect(numbersAt(0)).toEqual(Array.from({ length: 121 }, (_, number) => number))
  expect(numbersAt(5)).toHaveLength(241)
  for (const at of [599 / 60, 10, 1e9]) expect(numbersAt(at)).toEqual(Array.from({ length: 121 }, (_, n) => 479 + n))
})

it('framesAround returns the only frame of a video of one frame', () => {
  const only = framesAround({ ...ntsc, frames: 1 }, 100, 2)
  expect(only).toEqual([{ number: 0, seconds: 0, isKeyframe: true }])
})
