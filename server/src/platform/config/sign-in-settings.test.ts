import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { signInSettings } from './sign-in-settings.ts'

const { OIDC_PROVIDERS, OIDC_NETWORKS, SIGN_IN } = signInSettings

const provider = { id: 'corp', name: 'Corp', issuer: 'https://id.example.org', client_id: 'reelkeep' }

const messageOf = (text: string) => {
  const { error } = OIDC_PROVIDERS.safeParse(text)
  return error && z.prettifyError(error)
}

describe('OIDC_PROVIDERS', () => {
  it('is empty if it is not set', () => {
    expect(OIDC_PROVIDERS.parse(undefined)).toEqual([])
  })

  it('has defaults for everything but the four required fields', () => {
    expect(OIDC_PROVIDERS.parse(JSON.stringify([provider]))).toEqual([
      {
        ...{ id: 'corp', name: 'Corp', issuer: 'https://id.example.org', clientId: 'reelkeep' },
        ...{ scopes: 'openid email profile', prompt: 'login' },
      },
    ])
  })

  it('reads the secret, the mapping of groups to roles and the organization that people join', () => {
    const given = {
      ...{ ...provider, client_secret: 'hunter2', scopes: 'openid groups', prompt: 'select_account' },
      roles: { claim: 'groups', values: { staff: 'editor' } },
      just_in_time: { organization_id: 'acme12', role: 'viewer' },
    }
    expect(OIDC_PROVIDERS.parse(JSON.stringify([given]))).toMatchObject([
      {
        ...{ clientSecret: 'hunter2', scopes: 'openid groups', prompt: 'select_account' },
        ...{ roles: given.roles, justInTime: { organizationId: 'acme12', role: 'viewer' } },
      },
    ])
  })

  it.each([
    ['text that is not JSON', 'corp'],
    ['an object', JSON.stringify(provider)],
    ['two providers with the same id', JSON.stringify([provider, provider])],
    ['too many providers', JSON.stringify(Array.from({ length: 21 }, (_, at) => ({ ...provider, id: `p${at}` })))],
  ])('refuses %s', (_, text) => {
    expect(messageOf(text)).toContain('must be a JSON list of at most 20 providers with different ids')
  })

  it.each([
    ['0.id', { ...provider, id: 'Corp/..' }],
    ['0.issuer', { ...provider, issuer: 'ftp://id.example.org' }],
    ['0.issuer', { ...provider, issuer: 'id.example.org' }],
    ['0.client_id', { ...provider, client_id: undefined }],
    ['0.prompt', { ...provider, prompt: 'none' }],
    ['0.roles.claim', { ...provider, roles: { values: {} } }],
    ['0.just_in_time.organization_id', { ...provider, just_in_time: { organization_id: '../x' } }],
  ])('names the field %s that is wrong', (field, given) => {
    expect(messageOf(JSON.stringify([given]))).toContain(`check ${field}`)
  })

  it('does not show the secret in the message about a wrong field', () => {
    const message = messageOf(JSON.stringify([{ ...provider, client_secret: 'hunter2', id: 'hunter2 ' }]))
    expect(message).toContain('check 0.id')
    expect(message).not.toContain('hunter2')
  })

  it('refuses a field that it does not know, so that a typing error is not ignored', () => {
    expect(messageOf(JSON.stringify([{ ...provider, client_secrett: 'x' }]))).toBeDefined()
  })
})

describe('OIDC_NETWORKS', () => {
  it('is a list of networks with ports', () => {
    expect(OIDC_NETWORKS.parse(' 10.0.0.0/8:443, 192.0.2.7/32:8443')).toEqual(['10.0.0.0/8:443', '192.0.2.7/32:8443'])
    expect(OIDC_NETWORKS.safeParse('10.0.0.0/8').success).toBe(false)
  })
})

describe('SIGN_IN', () => {
  it('allows all methods if it is not set', () => {
    expect(SIGN_IN.parse(undefined)).toEqual(['passkey', 'password', 'oidc'])
  })

  it('is a list of methods, each once', () => {
    expect(SIGN_IN.parse('oidc, passkey,oidc')).toEqual(['oidc', 'passkey'])
    for (const text of ['', 'sms', 'password,sms']) expect(SIGN_IN.safeParse(text).success).toBe(false)
  })
})
