import { describe, expect, it } from 'vitest'
import type { AssetId, OrganizationId } from '../../kernel/ids.ts'
import { assertOpens, claimsOf, isFromOneOf, secondsLeft, type Viewer } from './playback-tokens.rules.ts'

const NOW = 1_800_000_000
const DAY = 86_400
const valid = { iss: 'acme1234', sub: 'some-asset', iat: NOW, exp: NOW + 60, jti: 'one' }

describe('claimsOf', () => {
  it('accepts every rule at its limit', () => {
    const claims = {
      ...valid,
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

  it('ignores unknown claims', () => {
    expect(claimsOf({ ...valid, role: 'admin' }, NOW)).toEqual(valid)
  })

  it('accepts an issue time up to a minute in the future', () => {
    const ahead = (seconds: number) => ({ ...valid, iat: NOW + seconds, exp: NOW + seconds + 60 })
    expect(claimsOf(ahead(60), NOW)).toBeDefined()
    expect(claimsOf(ahead(61), NOW)).toBeUndefined()
  })

  it.each([
    ['no organization', { iss: undefined }],
    ['no video', { sub: undefined }],
    ['no issue time', { iat: undefined }],
    ['no expiry', { exp: undefined }],
    ['an expiry that is a string', { exp: String(NOW + 60) }],
    ['an expiry that is not an integer', { exp: NOW + 0.5 }],
    ['an expiry before the issue time', { exp: NOW }],
    ['a lifetime over thirty days', { exp: NOW + 30 * DAY + 1 }],
    ['no jti', { jti: undefined }],
    ['a jti that is too long', { jti: 'x'.repeat(65) }],
    ['a jti with a space', { jti: 'a b' }],
    ['a viewer that is too long', { viewer: 'x'.repeat(129) }],
    ['a viewer that is empty', { viewer: '' }],
    ['a `once` that is not true', { once: 'true' }],
    ['an empty list of referrers', { referrers: [] }],
    ['referrers that are not a list', { referrers: 'example.com' }],
    ['too many referrers', { referrers: Array.from({ length: 21 }, (_, n) => `s${n}.example`) }],
    ['a referrer that is a URL', { referrers: ['https://example.com/'] }],
    ['a wildcard in the middle', { referrers: ['www.*.com'] }],
    ['an empty list of networks', { networks: [] }],
    ['too many networks', { networks: Array.from({ length: 21 }, (_, n) => `10.${n}.0.0/16`) }],
    ['a network without a prefix length', { networks: ['10.0.0.0'] }],
    ['a watermark that is too long', { watermark: 'x'.repeat(101) }],
    ['a malformed origin token', { of: 'first' }],
  ])('rejects claims with %s', (_, more) => {
    expect(claimsOf({ ...valid, ...more }, NOW)).toBeUndefined()
  })
})

describe('isFromOneOf', () => {
  const from = (hosts: string[], origin?: string, referer?: string) => isFromOneOf(hosts, { origin, referer })

  it('reads the host from Origin, and from Referer if Origin is absent or null', () => {
    expect(from(['example.com'], 'https://example.com')).toBe(true)
    expect(from(['example.com'], undefined, 'https://example.com/watch?v=1')).toBe(true)
    expect(from(['example.com'], 'null', 'https://example.com/')).toBe(true)
    expect(from(['other.example', 'example.com'], 'http://example.com:8080')).toBe(true)
  })

  it('prefers Origin to Referer', () => {
    expect(from(['example.com'], 'https://thief.example', 'https://example.com/')).toBe(false)
  })

  it.each([
    ['no headers', undefined],
    ['a value that is not a URL', 'example.com'],
    ['another host', 'https://thief.example'],
    ['a subdomain of the host', 'https://www.example.com'],
    ['a host with the same ending', 'https://notexample.com'],
    ['a host with the same beginning', 'https://example.com.thief.example'],
    ['the host as user info', 'https://example.com@thief.example'],
  ])('rejects %s', (_, origin) => {
    expect(from(['example.com'], origin)).toBe(false)
  })

  it('matches subdomains, but not the host itself, with a wildcard', () => {
    const hosts = ['*.example.com']
    expect(from(hosts, 'https://www.example.com')).toBe(true)
    expect(from(hosts, 'https://a.b.example.com')).toBe(true)
    expect(from(hosts, 'https://example.com')).toBe(false)
    expect(from(hosts, 'https://notexample.com')).toBe(false)
  })
})

describe('a viewer', () => {
  const by = (token: Viewer['token']): Viewer => ({
    organizationId: 'acme1234' as OrganizationId,
    assetId: 'some-asset' as AssetId,
    token,
  })
  const claims = { ...valid, iss: 'acme1234' as OrganizationId, sub: 'some-asset' as AssetId }

  it('can play only unprotected videos without a token', () => {
    expect(() => assertOpens(by('open'), 'disable')).not.toThrow()
    for (const protection of ['aes', 'drm']) {
      expect(() => assertOpens(by('open'), protection)).toThrow('not public')
      expect(() => assertOpens(by(claims), protection)).not.toThrow()
    }
  })

  it('has the remaining lifetime of the token in whole seconds, and no limit under `open`', () => {
    expect(secondsLeft(by(claims), NOW + 0.5)).toBe(59)
    expect(secondsLeft(by(claims), NOW + 61)).toBe(0)
    expect(secondsLeft(by('open'), NOW)).toBeNull()
  })
})
