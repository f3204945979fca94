import { expect, it } from 'vitest'
import { newTransfer, rateOf, secondsLeft, withSent } from './transfer.ts'

const MEGABYTE = 1_000_000

/** A megabyte a second, told ten times a second. */
function afterSeconds(seconds: number) {
  let transfer = newTransfer('a', 100 * MEGABYTE)
  for (let tenths = 0; tenths <= seconds * 10; tenths++)
    transfer = withSent(transfer, (tenths / 10) * MEGABYTE, tenths / 10)
  return transfer
}

it('tells the rate of the last seconds, and the time that is left by it', () => {
  expect(rateOf(afterSeconds(20), 20)).toBeCloseTo(MEGABYTE)
  expect(secondsLeft(afterSeconds(20), 20)).toBeCloseTo(80)
})

it('does not count what was there before it went on', () => {
  const resumed = withSent(newTransfer('a', 100 * MEGABYTE), 60 * MEGABYTE, 0)
  expect(rateOf(withSent(resumed, 62 * MEGABYTE, 2), 2)).toBeCloseTo(MEGABYTE)
})

it('says nothing before there is something to say', () => {
  expect(rateOf(newTransfer('a', 1), 5)).toBeUndefined()
  expect(rateOf(afterSeconds(0.5), 0.5)).toBeUndefined()
})

it('notices that the line is away', () => {
  expect(rateOf(afterSeconds(20), 40)).toBe(0)
  expect(secondsLeft(afterSeconds(20), 40)).toBeUndefined()
})

it('keeps no more looks than it needs, however long it takes', () => {
  expect(afterSeconds(600).looks.length).toBeLessThan(50)
})
