import { expect, it } from 'vitest'
import { frameAt, frameMiddle, frameStart, lastFrameStart, nearestFrameStart, shownFrame } from './frames.ts'

const rates = [24_000 / 1001, 24, 25, 30_000 / 1001, 30, 50, 60_000 / 1001, 60, 12.5]

it.each(rates)('the start of every frame belongs to this frame, at %d frames per second', (rate) => {
  for (let frame = 0; frame < 500_000; frame += 997) {
    const start = frameStart(rate, frame)
    expect(frameAt(rate, start)).toBe(frame)
    if (frame > 0) expect(shownFrame(rate, start - 1)).toBe(frame - 1)
    if (frame > 0) expect(frameAt(rate, start - 2)).toBe(frame - 1)
    expect(frameAt(rate, Math.floor((frame * 1000) / rate))).toBe(frame)
    expect(shownFrame(rate, frameMiddle(rate, frame))).toBe(frame)
    expect(nearestFrameStart(rate, start)).toBe(start)
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
