import { describe, expect, it } from 'vitest'
import { isAtEnd, isPart, positionOf } from './part.ts'

/** Frames 45 to 345 of a playlist of 480 frames. */
const clip = { start_offset: 1.5, duration: 10, frame_rate: { numerator: 30, denominator: 1 } }
const whole = { start_offset: 0, duration: 16, frame_rate: clip.frame_rate }

describe('positionOf', () => {
  it('adds the start of the part, and seeks to the middle of its first and last frame', () => {
    expect(positionOf(clip, 5, 16)).toBe(6.5)
    expect(positionOf(clip, 0, 16)).toBeCloseTo(1.5 + 1 / 60, 9)
    expect(positionOf(clip, 99, 16)).toBeCloseTo(11.5 - 1 / 60, 9)
  })

  it('changes nothing for a video that is shown whole, or an older server', () => {
    expect(positionOf(whole, 0, 16)).toBe(0)
    expect(positionOf({ duration: 16 }, 3, 16)).toBe(3)
    expect(positionOf(undefined, 3, 0)).toBe(3)
  })
})

it('a playlist that ends with the video, give or take half a frame, is not a part', () => {
  expect(isPart(whole, 16.01)).toBe(false)
  expect(isPart(whole, 16.02)).toBe(true)
  expect(isPart(clip, 16)).toBe(true)
})

describe('isAtEnd', () => {
  it('is true for the last frame and those after it', () => {
    const at = (frame: number) => isAtEnd(clip, 1.5 + frame / 30, 1)
    expect([at(0), at(298), at(299), at(300)]).toEqual([false, false, true, true])
  })

  it('is true for the frame before the last one if frames are shorter than a pause takes', () => {
    const fast = { ...clip, frame_rate: { numerator: 50, denominator: 1 } }
    const at = (frame: number) => isAtEnd(fast, 1.5 + frame / 50, 1)
    expect([at(497), at(498), at(499)]).toEqual([false, true, true])
    const atDoubleSpeed = (frame: number) => isAtEnd(clip, 1.5 + frame / 30, 2)
    expect([atDoubleSpeed(297), atDoubleSpeed(298)]).toEqual([false, true])
  })

  it('compares with the duration if the frame rate is not known', () => {
    const unknown = { ...clip, frame_rate: null }
    expect([11.4, 11.5].map((seconds) => isAtEnd(unknown, seconds, 1))).toEqual([false, true])
  })
})
