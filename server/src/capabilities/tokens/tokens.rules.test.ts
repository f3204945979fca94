import { describe, expect, it } from 'vitest'
import {
  asExpiry,
  assertMayGrant,
  assertRoomForToken,
  assertRotatable,
  LIVE_TOKENS_PER_ORGANIZATION_MAX,
} from './tokens.rules.ts'

const refusal = (code: string) => expect.objectContaining({ code })

describe('assertMayGrant', () => {
  it.each([
    ['everything, anything', ['*'], ['folders:read', 'tokens:write']],
    ['everything, everything', ['*'], ['*']],
    ['some, the same', ['folders:read', 'tokens:write'], ['tokens:write', 'folders:read']],
    ['some, fewer', ['folders:read', 'tokens:write'], ['folders:read']],
  ] as const)('who holds %s may grant it', (_, held, wanted) => {
    expect(() => assertMayGrant(held, wanted)).not.toThrow()
  })

  it('refuses what the grantor lacks, and names all of it', () => {
    const grant = () =>
      assertMayGrant(['tokens:write'], ['tokens:write', 'folders:read', 'folders:write'])
    expect(grant).toThrow(refusal('insufficient_scope'))
    expect(grant).toThrow('lacks folders:read, folders:write.')
  })

  it('refuses everything to one who holds each scope there is, but not those to come', () => {
    const held = ['folders:read', 'folders:write', 'tokens:read', 'tokens:write'] as const
    expect(() => assertMayGrant(held, ['*'])).toThrow(refusal('insufficient_scope'))
  })
})

describe('asExpiry', () => {
  const now = new Date('2026-11-15T12:00:00.000Z')

  it.each([
    ['never', null],
    ['a millisecond from now', '2026-11-15T12:00:00.001Z'],
    ['exactly ten years from now', '2036-11-15T12:00:00.000Z'],
    ['written in another zone', '2026-11-15T13:00:01+01:00'],
  ])('takes %s', (_, expiresAt) => {
    expect(() => asExpiry(expiresAt, null, now)).not.toThrow()
  })

  it.each([
    ['now', '2026-11-15T12:00:00.000Z'],
    ['a millisecond ago', '2026-11-15T11:59:59.999Z'],
    ['a millisecond past ten years', '2036-11-15T12:00:00.001Z'],
    ['past, though later by the clock on the wall', '2026-11-15T12:30:00+01:00'],
    ['a second that no clock has', '2027-06-30T23:59:60Z'],
    ['not a time', 'soon'],
  ])('refuses %s', (_, expiresAt) => {
    expect(() => asExpiry(expiresAt, null, now)).toThrow(refusal('invalid_expiry'))
  })

  it('ends no later than the token that grants it, and with it if nothing is asked for', () => {
    const grantor = '2026-12-01T00:00:00.000000Z'
    expect(asExpiry(null, grantor, now)).toBe(grantor)
    expect(asExpiry('2026-12-01T00:00:00Z', grantor, now)).toBe('2026-12-01T00:00:00.0Z')
    expect(() => asExpiry('2026-12-01T00:00:01Z', grantor, now)).toThrow(refusal('invalid_expiry'))
  })

  it('counts ten years from a leap day to the first of March', () => {
    const leapDay = new Date('2028-02-29T00:00:00Z')
    expect(() => asExpiry('2038-03-01T00:00:00Z', null, leapDay)).not.toThrow()
    expect(() => asExpiry('2038-03-01T00:00:01Z', null, leapDay)).toThrow(refusal('invalid_expiry'))
  })
})

describe('assertRoomForToken', () => {
  it('leaves room for the last one and no more', () => {
    expect(() => assertRoomForToken(0)).not.toThrow()
    expect(() => assertRoomForToken(LIVE_TOKENS_PER_ORGANIZATION_MAX - 1)).not.toThrow()
    expect(() => assertRoomForToken(LIVE_TOKENS_PER_ORGANIZATION_MAX)).toThrow(
      refusal('token_limit_reached'),
    )
  })
})

describe('assertRotatable', () => {
  it('takes a live token and refuses one that is not', () => {
    expect(() => assertRotatable({ isLive: true })).not.toThrow()
    expect(() => assertRotatable({ isLive: false })).toThrow(refusal('token_not_live'))
  })
})
