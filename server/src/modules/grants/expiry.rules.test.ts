import { describe, expect, it } from 'vitest'
import { asExpiry } from './expiry.rules.ts'

const error = (code: string) => expect.objectContaining({ code })

describe('asExpiry', () => {
  const now = new Date('2026-11-15T12:00:00.000Z')

  it.each([
    ['never', null],
    ['a millisecond from now', '2026-11-15T12:00:00.001Z'],
    ['exactly ten years from now', '2036-11-15T12:00:00.000Z'],
    ['written in another zone', '2026-11-15T13:00:01+01:00'],
  ])('accepts %s', (_, expiresAt) => {
    expect(() => asExpiry(expiresAt, null, now)).not.toThrow()
  })

  it.each([
    ['now', '2026-11-15T12:00:00.000Z'],
    ['a millisecond ago', '2026-11-15T11:59:59.999Z'],
    ['a millisecond past ten years', '2036-11-15T12:00:00.001Z'],
    ['in the past, although later by wall-clock time', '2026-11-15T12:30:00+01:00'],
    ['a leap second', '2027-06-30T23:59:60Z'],
    ['not a time', 'soon'],
  ])('rejects %s', (_, expiresAt) => {
    expect(() => asExpiry(expiresAt, null, now)).toThrow(error('invalid_expiry'))
  })

  it('limits the expiry to that of the grantor, which is also the default', () => {
    const grantor = '2026-12-01T00:00:00.000000Z'
    expect(asExpiry(null, grantor, now)).toBe(grantor)
    expect(asExpiry('2026-12-01T00:00:00Z', grantor, now)).toBe('2026-12-01T00:00:00.0Z')
    expect(() => asExpiry('2026-12-01T00:00:01Z', grantor, now)).toThrow(error('invalid_expiry'))
  })

  it('allows an expiry up to ten years after a leap day, which is March 1', () => {
    const leapDay = new Date('2028-02-29T00:00:00Z')
    expect(() => asExpiry('2038-03-01T00:00:00Z', null, leapDay)).not.toThrow()
    expect(() => asExpiry('2038-03-01T00:00:01Z', null, leapDay)).toThrow(error('invalid_expiry'))
  })
})
