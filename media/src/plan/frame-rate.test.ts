import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readRational, toNumber } from '../probe/rational.ts'
import { FRAME_RATE_MAX, planFrameRate } from './frame-rate.ts'

function planned(said: string | undefined, isVariableFrameRate: boolean): string {
  const frameRate = readRational(said)
  const { numerator, denominator } = planFrameRate({
    ...(frameRate && { frameRate }),
    isVariableFrameRate,
  })
  return `${numerator}/${denominator}`
}

describe('planFrameRate', () => {
  it.each([
    ['24000/1001', '24000/1001'],
    ['24/1', '24/1'],
    ['25/1', '25/1'],
    ['30000/1001', '30000/1001'],
    ['30/1', '30/1'],
    ['50/1', '50/1'],
    ['60000/1001', '60000/1001'],
    ['60/1', '60/1'],
    // What containers make of them.
    ['2997/100', '30000/1001'],
    ['19001/634', '30000/1001'],
    ['2400000/80001', '30/1'],
    ['121/5', '24/1'],
    // Slow ones stay slow.
    ['15/1', '15/1'],
    ['15000/1001', '15000/1001'],
    ['751/50', '15/1'],
    ['25/2', '25/2'],
    ['10/1', '10/1'],
    ['1/1', '1/1'],
    ['1/10', '1/1'],
    // No usual one is near.
    ['27/1', '27/1'],
    ['40/1', '40/1'],
    // Every second picture, or third.
    ['120/1', '60/1'],
    ['120000/1001', '60000/1001'],
    ['100/1', '50/1'],
    ['240/1', '60/1'],
    ['90/1', '45/1'],
    ['144/1', '48/1'],
    ['75/1', '75/2'],
    // Nearly 60 is not "too fast".
    ['6030/100', '60/1'],
    ['90000/1', '60/1'],
    [undefined, '30/1'],
  ])('even pictures, %s a second: %s', (said, made) => {
    expect(planned(said, false)).toBe(made)
  })

  it.each([
    ['30000/1001', '30000/1001'],
    ['24000/1001', '24000/1001'],
    ['30/1', '30/1'],
    // A recorder's 30, whose last picture stood a little shorter or longer.
    ['3002/100', '30/1'],
    ['2960/100', '30/1'],
    ['26/1', '30/1'],
    ['31/1', '48/1'],
    ['55/1', '60/1'],
    ['61/1', '60/1'],
    ['1000/1', '60/1'],
    ['8/1', '24/1'],
  ])('uneven pictures, %s a second on average: %s', (said, made) => {
    expect(planned(said, true)).toBe(made)
  })

  it('is within 1 and 60, and small enough for any timescale, whatever a file says', () => {
    const said = fc.record({
      numerator: fc.integer({ min: 1, max: 9_999_999_999 }),
      denominator: fc.integer({ min: 1, max: 9_999_999_999 }),
    })
    fc.assert(
      fc.property(said, fc.boolean(), (frameRate, isVariableFrameRate) => {
        const made = planFrameRate({ frameRate, isVariableFrameRate })
        expect(toNumber(made)).toBeGreaterThanOrEqual(1)
        expect(toNumber(made)).toBeLessThanOrEqual(FRAME_RATE_MAX)
        expect(Number.isInteger(made.numerator) && Number.isInteger(made.denominator)).toBe(true)
        expect(made.numerator).toBeLessThanOrEqual(FRAME_RATE_MAX * 1001)
      }),
    )
  })

  it('loses no picture of an uneven source, up to 60 a second', () => {
    const centirate = fc.integer({ min: 100, max: 6000 })
    fc.assert(
      fc.property(centirate, (numerator) => {
        const made = planFrameRate({
          frameRate: { numerator, denominator: 100 },
          isVariableFrameRate: true,
        })
        expect(toNumber(made)).toBeGreaterThanOrEqual((numerator / 100) * 0.99)
      }),
    )
  })

  it('makes of an even source its own rate or a whole part of it, within one in a hundred', () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 30_000 }), (numerator) => {
        const source = numerator / 100
        const made = toNumber(
          planFrameRate({ frameRate: { numerator, denominator: 100 }, isVariableFrameRate: false }),
        )
        const every = Math.max(1, Math.round(source / made))
        expect(Math.abs(made * every - source) / source).toBeLessThanOrEqual(0.0101)
      }),
    )
  })
})
