import { describe, expect, it } from 'vitest'
import { exactRate, frameAt, frameMiddle, frameStart, lastFrameStart, nearestFrameStart } from './frames.ts'

const rates = [23.976, 24, 25, 29.97, 30, 50, 59.94, 60, 12.5]

describe('exactRate', () => {
  it.each([
    [23.976, 24_000 / 1001],
    [23.98, 24_000 / 1001],
    [29.97, 30_000 / 1001],
    [59.94, 60_000 / 1001],
    [25, 25],
    [30, 30],
    [12.5, 12.5],
    [15.2, 15.2],
  ])('reads the rounded rate %d as %d', (rate, exact) => expect(exactRate(rate)).toBeCloseTo(exact, 9))
})

it.each(rates)('the start of every frame belongs to this frame, at %d frames per second', (rate) => {
  const exact = exactRate(rate)
  for (let frame = 0; frame < 500_000; frame += 997) {
    const start = frameStart(exact, frame)
    expect(frameAt(exact, start)).toBe(frame)
    if (frame > 0) expect(frameAt(exact, start - 1)).toBe(frame - 1)
    expect(frameAt(exact, frameMiddle(exact, frame))).toBe(frame)
    expect(nearestFrameStart(exact, start)).toBe(start)
  }
})

it('the nearest frame may be the next one', () => {
  expect(nearestFrameStart(25, 1019)).toBe(1000)
  expect(nearestFrameStart(25, 1021)).toBe(1040)
  expect(nearestFrameStart(25, -50)).toBe(0)
})

it('the last frame starts before the end', () => {
  expect(lastFrameStart(25, 1000)).toBe(960)
  expect(lastFrameStart(25, 1001)).toBe(1000)
  expect(lastFrameStart(25, 10)).toBe(0)
  expect(lastFrameStart(25, 0)).toBe(0)
})
