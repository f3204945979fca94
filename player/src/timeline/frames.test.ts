import { expect, it } from 'vitest'
import { middleOfFrame, timeOfStart } from './frames.ts'

const rates = [
  [24_000, 1001],
  [25, 1],
  [30_000, 1001],
  [30, 1],
  [50, 1],
  [60, 1],
] as const

it.each(rates)('steps at %d/%d fps show every frame once, in both directions', (numerator, denominator) => {
  const rate = { numerator, denominator }
  const duration = (5000 * denominator) / numerator
  const frameAt = (seconds: number) => Math.floor((seconds * numerator) / denominator)
  let seconds = 0
  for (let frame = 1; frame < 5000; frame++) {
    seconds = middleOfFrame(rate, seconds, { step: 1, duration })
    expect(frameAt(seconds)).toBe(frame)
  }
  expect(frameAt(middleOfFrame(rate, seconds, { step: 1, duration }))).toBe(4999)
  for (let frame = 4998; frame >= 0; frame--) {
    seconds = middleOfFrame(rate, seconds, { step: -1, duration })
    expect(frameAt(seconds)).toBe(frame)
  }
  expect(frameAt(middleOfFrame(rate, seconds, { step: -1, duration }))).toBe(0)
})

it('a step from the start of a frame counts from that frame', () => {
  const rate = { numerator: 30_000, denominator: 1001 }
  const start = (1234 * 1001) / 30_000
  expect(middleOfFrame(rate, start, { step: 10, duration: 100 })).toBeCloseTo((1244.5 * 1001) / 30_000, 9)
})

it.each(rates)(
  'a start rounded to milliseconds shows the frame that was meant, at %d/%d fps',
  (numerator, denominator) => {
    const rate = { numerator, denominator }
    const duration = (500_000 * denominator) / numerator
    for (let frame = 2; frame < 500_000; frame += 101) {
      const exact = (frame * denominator) / numerator
      const middle = ((frame + 0.5) * denominator) / numerator
      for (const round of [Math.floor, Math.round, Math.ceil]) {
        expect(timeOfStart(rate, round(exact * 1000) / 1000, duration)).toBeCloseTo(middle, 9)
      }
      expect(timeOfStart(rate, exact, duration)).toBeCloseTo(middle, 9)
      expect(timeOfStart(rate, exact - 0.0011, duration)).toBeCloseTo(middle - denominator / numerator, 9)
    }
  },
)

it('the start of the video stays 0, and the last frame is the last one', () => {
  const rate = { numerator: 25, denominator: 1 }
  expect(timeOfStart(rate, 0, 10)).toBe(0)
  expect(timeOfStart(rate, 12, 10)).toBeCloseTo(9.98, 9)
  expect(timeOfStart(undefined, 2.345, 10)).toBe(2.345)
})
