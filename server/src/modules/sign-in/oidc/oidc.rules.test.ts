import { describe, expect, it } from 'vitest'
import { isStale, logoutIn, type OidcProvider, profileIn, roleFor } from './oidc.rules.ts'

const provider: OidcProvider = {
  ...{ id: 'corp', name: 'Corp', issuer: 'https://id.example', clientId: 'reelkeep', clientSecret: 'secret' },
  ...{ scopes: 'openid', prompt: 'login' },
  roles: { claim: 'groups', values: { admins: 'manager', staff: 'viewer' } },
  justInTime: { organizationId: 'acme12', role: undefined },
}

describe('the role of a person from an identity provider', () => {
  it('is that of the first listed value which the claim contains', () => {
    expect(roleFor(provider, { groups: ['staff', 'admins', 'other'] })).toEqual({ id: 'manager', isMapped: true })
    expect(roleFor(provider, { groups: 'staff' })?.id).toBe('viewer')
  })

  it('is the default role if no value matches, and none without a default', () => {
    expect(roleFor(provider, { groups: ['other'] })).toBeUndefined()
    expect(roleFor(provider, {})).toBeUndefined()
    expect(roleFor({ ...provider, justInTime: { organizationId: 'acme12', role: 'editor' } }, {})).toEqual({
      ...{ id: 'editor', isMapped: false },
    })
  })

  it('is read from nested claims and from claims with a dot in their name', () => {
    const nested = { ...provider, roles: { claim: 'realm_access.roles', values: { admins: 'manager' } } }
    expect(roleFor(nested, { realm_access: { roles: ['admins'] } })?.id).toBe('manager')
    expect(roleFor(nested, { 'realm_access.roles': ['admins'] })?.id).toBe('manager')
    expect(roleFor(nested, { realm_access: 'admins' })).toBeUndefined()
  })

  it('is not read from inherited properties', () => {
    expect(roleFor({ ...provider, roles: { claim: 'constructor.name', values: { Object: 'manager' } } }, {})).toBe(
      undefined,
    )
  })
})

describe('the profile of a person', () => {
  it('has a name in any case', () => {
    expect(profileIn({ name: ' Ann ', email: 'ann@example.org' }, 's')).toEqual({
      name: 'Ann',
      email: 'ann@example.org',
    })
    expect(profileIn({ preferred_username: 'ann' }, 's')).toEqual({ name: 'ann', email: null })
    expect(profileIn({ name: '  ', email: 7 }, 'subject')).toEqual({ name: 'subject', email: null })
  })
})

describe('a logout token', () => {
  const claims = { events: { 'http://schemas.openid.net/event/backchannel-logout': {} }, sub: 'a', jti: 'j' }

  it('ends a session or all sessions of a person', () => {
    expect(logoutIn(claims)).toEqual({ subject: 'a', session: undefined, id: 'j' })
    expect(logoutIn({ ...claims, sub: undefined, sid: 's' })).toEqual({ subject: undefined, session: 's', id: 'j' })
  })

  it.each([
    ['no event', { ...claims, events: {} }],
    ['an event that is not an object', { ...claims, events: { ...claims.events, ...{} }, sub: undefined }],
    ['a nonce', { ...claims, nonce: 'n' }],
    ['no id', { ...claims, jti: undefined }],
  ])('is invalid with %s', (_, invalid) => {
    expect(logoutIn(invalid)).toBeUndefined()
  })
})

describe('a sign-in at the provider', () => {
  it('is stale after ten minutes, if the provider says when it was', () => {
    expect(isStale({ auth_time: 1000 }, 1_600_000)).toBe(false)
    expect(isStale({ auth_time: 1000 }, 1_601_000)).toBe(true)
    expect(isStale({}, 1_601_000)).toBe(false)
  })
})
