import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readRational, toNumber } from '../probe/facts/rational.ts'
import { FRAME_RATE_MAX, planFrameRate } from './frame-rate.ts'

function planned(declared: string | undefined, isVariableFrameRate: boolean): string {
  const frameRate = readRational(declared)
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
    // Standard rates as containers store them.
    ['2997/100', '30000/1001'],
    ['19001/634', '30000/1001'],
    ['2400000/80001', '30/1'],
    ['121/5', '24/1'],
    // Low rates are kept.
    ['15/1', '15/1'],
    ['15000/1001', '15000/1001'],
    ['751/50', '15/1'],
    ['25/2', '25/2'],
    ['10/1', '10/1'],
    ['1/1', '1/1'],
    ['1/10', '1/1'],
    // Rates that are not close to a standard rate are kept.
    ['27/1', '27/1'],
    ['40/1', '40/1'],
    // Every second or third frame is kept.
    ['120/1', '60/1'],
    ['120000/1001', '60000/1001'],
    ['100/1', '50/1'],
    ['240/1', '60/1'],
    ['90/1', '45/1'],
    ['144/1', '48/1'],
    ['75/1', '75/2'],
    // Rates slightly above 60 fps are rounded to 60 fps.
    ['6030/100', '60/1'],
    ['90000/1', '60/1'],
    [undefined, '30/1'],
  ])('constant frame rate %s becomes %s', (declared, expected) => {
    expect(planned(declared, false)).toBe(expected)
  })

  it.each([
    ['30000/1001', '30000/1001'],
    ['24000/1001', '24000/1001'],
    ['30/1', '30/1'],
    // Recordings at 30 fps whose last frame is a little shorter or longer.
    ['3002/100', '30/1'],
    ['2960/100', '30/1'],
    ['26/1', '30/1'],
    ['31/1', '48/1'],
    ['55/1', '60/1'],
    ['61/1', '60/1'],
    ['1000/1', '60/1'],
    ['8/1', '24/1'],
  ])('variable frame rate %s becomes %s', (declared, expected) => {
    expect(planned(declared, true)).toBe(expected)
  })

  it('returns a fraction of small integers between 1 and 60 fps for any declared rate', () => {
    const declared = fc.record({
      numerator: fc.integer({ min: 1, max: 9_999_999_999 }),
      denominator: fc.integer({ min: 1, max: 9_999_999_999 }),
    })
    fc.assert(
      fc.property(declared, fc.boolean(), (frameRate, isVariableFrameRate) => {
        const made = planFrameRate({ frameRate, isVariableFrameRate })
        expect(toNumber(made)).toBeGreaterThanOrEqual(1)
        expect(toNumber(made)).toBeLessThanOrEqual(FRAME_RATE_MAX)
        expect(Number.isInteger(made.numerator) && Number.isInteger(made.denominator)).toBe(true)
        expect(made.numerator).toBeLessThanOrEqual(FRAME_RATE_MAX * 1001)
      }),
    )
  })

  it('keeps all frames of a source with a variable rate of up to 60 fps', () => {
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

  it('returns the rate of a source with a constant rate, or an integer fraction of it, within 1 %', () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 30_000 }), (numerator) => {
        const source = numerator / 100
        const made = toNumber(planFrameRate({ frameRate: { numerator, denominator: 100 }, isVariableFrameRate: false }))
        const every = Math.max(1, Math.round(source / made))
        expect(Math.abs(made * every - source) / source).toBeLessThanOrEqual(0.0101)
      }),
    )
  })
})
