import { describe, expect, it } from 'vitest'
import type { AssetId, OrganizationId } from '../../kernel/ids.ts'
import {
  assertOpens,
  claimsOf,
  isFromOneOf,
  secondsLeft,
  type Viewer,
} from './access-tokens.rules.ts'

const NOW = 1_800_000_000
const DAY = 86_400
const sound = { iss: 'acme1234', sub: 'some-asset', iat: NOW, exp: NOW + 60, jti: 'one' }

describe('claims', () => {
  it('are taken with every rule at its bound', () => {
    const claims = {
      ...sound,
      exp: NOW + 30 * DAY,
      jti: 'x'.repeat(64),
      viewer: '😀'.repeat(128),
      once: true,
      referrers: Array.from({ length: 20 }, (_, index) => `site-${index}.example`),
      networks: Array.from({ length: 20 }, (_, index) => `10.${index}.0.0/16`),
      watermark: 'x'.repeat(100),
      of: { jti: 'first', kid: 'service-1' },
    }
    expect(claimsOf(claims, NOW)).toEqual(claims)
  })

  it('that we do not know are left aside', () => {
    expect(claimsOf({ ...sound, role: 'admin' }, NOW)).toEqual(sound)
  })

  it('of a clock that is a minute ahead are taken, and no further', () => {
    const ahead = (seconds: number) => ({ ...sound, iat: NOW + seconds, exp: NOW + seconds + 60 })
    expect(claimsOf(ahead(60), NOW)).toBeDefined()
    expect(claimsOf(ahead(61), NOW)).toBeUndefined()
  })

  it.each([
    ['no organization', { iss: undefined }],
    ['no video', { sub: undefined }],
    ['no beginning', { iat: undefined }],
    ['no end', { exp: undefined }],
    ['an end that is a text', { exp: String(NOW + 60) }],
    ['an end that is no whole number', { exp: NOW + 0.5 }],
    ['an end before the beginning', { exp: NOW }],
    ['more than thirty days', { exp: NOW + 30 * DAY + 1 }],
    ['no name', { jti: undefined }],
    ['a name that is too long', { jti: 'x'.repeat(65) }],
    ['a name with other letters', { jti: 'a b' }],
    ['a viewer that is too long', { viewer: 'x'.repeat(129) }],
    ['a viewer that is empty', { viewer: '' }],
    ['a use that is neither one nor any', { once: 'true' }],
    ['no page at all', { referrers: [] }],
    ['pages that are no list', { referrers: 'example.com' }],
    ['too many pages', { referrers: Array.from({ length: 21 }, (_, n) => `s${n}.example`) }],
    ['a page that is an address', { referrers: ['https://example.com/'] }],
    ['a star in the middle', { referrers: ['www.*.com'] }],
    ['no network at all', { networks: [] }],
    ['too many networks', { networks: Array.from({ length: 21 }, (_, n) => `10.${n}.0.0/16`) }],
    ['a network without a size', { networks: ['10.0.0.0'] }],
    ['a watermark that is too long', { watermark: 'x'.repeat(101) }],
    ['an origin that is none', { of: 'first' }],
  ])('with %s are none', (_, more) => {
    expect(claimsOf({ ...sound, ...more }, NOW)).toBeUndefined()
  })
})

describe('a page', () => {
  const from = (hosts: string[], origin?: string, referer?: string) =>
    isFromOneOf(hosts, { origin, referer })

  it('is known by its origin, or by where it says it comes from', () => {
    expect(from(['example.com'], 'https://example.com')).toBe(true)
    expect(from(['example.com'], undefined, 'https://example.com/watch?v=1')).toBe(true)
    expect(from(['example.com'], 'null', 'https://example.com/')).toBe(true)
    expect(from(['other.example', 'example.com'], 'http://example.com:8080')).toBe(true)
  })

  it('of another origin is not taken for what it says it comes from', () => {
    expect(from(['example.com'], 'https://thief.example', 'https://example.com/')).toBe(false)
  })

  it.each([
    ['says nothing', undefined],
    ['says what is no address', 'example.com'],
    ['is of another host', 'https://thief.example'],
    ['is below the host', 'https://www.example.com'],
    ['ends like the host', 'https://notexample.com'],
    ['begins like the host', 'https://example.com.thief.example'],
    ['has the host for a user', 'https://example.com@thief.example'],
  ])('that %s is none of them', (_, origin) => {
    expect(from(['example.com'], origin)).toBe(false)
  })

  it('below a host is meant by a star, and the host itself is not', () => {
    const hosts = ['*.example.com']
    expect(from(hosts, 'https://www.example.com')).toBe(true)
    expect(from(hosts, 'https://a.b.example.com')).toBe(true)
    expect(from(hosts, 'https://example.com')).toBe(false)
    expect(from(hosts, 'https://notexample.com')).toBe(false)
  })
})

describe('a viewer', () => {
  const by = (pass: Viewer['pass']): Viewer => ({
    organizationId: 'acme1234' as OrganizationId,
    assetId: 'some-asset' as AssetId,
    pass,
  })
  const claims = { ...sound, iss: 'acme1234' as OrganizationId, sub: 'some-asset' as AssetId }

  it('without a token has only what is not protected', () => {
    expect(() => assertOpens(by('open'), 'disable')).not.toThrow()
    for (const protection of ['aes', 'drm']) {
      expect(() => assertOpens(by('open'), protection)).toThrow('not open to everybody')
      expect(() => assertOpens(by(claims), protection)).not.toThrow()
    }
  })

  it('has whole seconds left, none after the end, and no end under open', () => {
    expect(secondsLeft(by(claims), NOW + 0.5)).toBe(59)
    expect(secondsLeft(by(claims), NOW + 61)).toBe(0)
    expect(secondsLeft(by('open'), NOW)).toBeNull()
  })
})
