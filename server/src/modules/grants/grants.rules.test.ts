import { describe, expect, it } from 'vitest'
import { assertMayGrant, assertMayRevoke } from './grants.rules.ts'

const error = (code: string) => expect.objectContaining({ code })

describe('assertMayGrant', () => {
  it.each([
    ['granting any scopes with *', ['*'], ['folders:read', 'tokens:write']],
    ['granting * with *', ['*'], ['*']],
    ['granting all own scopes', ['folders:read', 'tokens:write'], ['tokens:write', 'folders:read']],
    ['granting some own scopes', ['folders:read', 'tokens:write'], ['folders:read']],
  ] as const)('allows %s', (_, own, requested) => {
    expect(() => assertMayGrant(own, requested)).not.toThrow()
  })

  it('rejects scopes that the grantor lacks, and names all of them', () => {
    const grant = () => assertMayGrant(['tokens:write'], ['tokens:write', 'folders:read', 'folders:write'])
    expect(grant).toThrow(error('insufficient_scope'))
    expect(grant).toThrow('You lack folders:read, folders:write.')
  })

  it('rejects * for a grantor that has every scope by name', () => {
    const own = ['folders:read', 'folders:write', 'tokens:read', 'tokens:write'] as const
    expect(() => assertMayGrant(own, ['*'])).toThrow(error('insufficient_scope'))
  })
})

describe('assertMayRevoke', () => {
  it('allows a token to revoke tokens with scopes that it has', () => {
    expect(() => assertMayRevoke(['*'], ['*'])).not.toThrow()
    expect(() => assertMayRevoke(['folders:read', 'tokens:write'], ['folders:read'])).not.toThrow()
  })

  it('rejects a token with a scope that the revoking token lacks, and names it', () => {
    const revoke = () => assertMayRevoke(['tokens:write'], ['tokens:write', 'folders:read'])
    expect(revoke).toThrow(error('insufficient_scope'))
    expect(revoke).toThrow('You lack folders:read.')
  })
})
