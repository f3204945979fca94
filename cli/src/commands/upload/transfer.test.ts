import { expect, it } from 'vitest'
import { newTransfer, rateOf, secondsLeft, withSent } from './transfer.ts'

const MEGABYTE = 1_000_000

/** Creates a transfer at 1 MB/s, sampled ten times per second. */
function afterSeconds(seconds: number) {
  let transfer = newTransfer('a', 100 * MEGABYTE)
  for (let tenths = 0; tenths <= seconds * 10; tenths++)
    transfer = withSent(transfer, (tenths / 10) * MEGABYTE, tenths / 10)
  return transfer
}

it('a transfer has a recent rate and a remaining time', () => {
  expect(rateOf(afterSeconds(20), 20)).toBeCloseTo(MEGABYTE)
  expect(secondsLeft(afterSeconds(20), 20)).toBeCloseTo(80)
})

it('the rate of a transfer does not count bytes received earlier', () => {
  const resumed = withSent(newTransfer('a', 100 * MEGABYTE), 60 * MEGABYTE, 0)
  expect(rateOf(withSent(resumed, 62 * MEGABYTE, 2), 2)).toBeCloseTo(MEGABYTE)
})

it('a transfer has no rate at the start', () => {
  expect(rateOf(newTransfer('a', 1), 5)).toBeUndefined()
  expect(rateOf(afterSeconds(0.5), 0.5)).toBeUndefined()
})

it('a transfer has a rate of 0 without a connection', () => {
  expect(rateOf(afterSeconds(20), 40)).toBe(0)
  expect(secondsLeft(afterSeconds(20), 40)).toBeUndefined()
})

it('a transfer keeps a limited number of samples', () => {
  expect(afterSeconds(600).samples.length).toBeLessThan(50)
})
