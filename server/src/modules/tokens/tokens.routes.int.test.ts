import type { Page, Problem, Scope, tokens } from '@reelkeep/contract'
import { type Caller, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { describe, expect, it } from 'vitest'

const testApi = await opened(TestApi.open())

const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
const unknownId = '019a0000-0000-7000-8000-000000000000'

async function newToken(caller: Caller, scopes: Scope[] = ['*'], name = 'Deploy') {
  const { status, body } = await caller.post<tokens.NewToken>('tokens/', { name, scopes })
  expect(status).toBe(201)
  return body
}

const withoutRequestId = ({ request_id: _, ...rest }: Problem) => rest

describe('POST tokens/', () => {
  it('201: returns the token with all its fields', async () => {
    const caller = await testApi.newOrganization()
    const { status, body } = await caller.post<tokens.NewToken>('tokens/', {
      name: '  Deploy ',
      scopes: ['folders:read', 'tokens:read'],
      expires_at: '2031-01-31T12:00:00.123456+01:00',
    })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-/),
      name: 'Deploy',
      folder_uuid: null,
      scopes: ['folders:read', 'tokens:read'],
      created_at: timestamp,
      created_by: { kind: 'token', id: expect.any(String), name: expect.any(String) },
      expires_at: '2031-01-31T11:00:00.123456Z',
      revoked_at: null,
      last_used_at: null,
      token: expect.stringMatching(`^rlk_${caller.organizationId}_[0-9A-Za-z]{38}$`),
    })
  })

  it('201: the new token works at once, within its scopes', async () => {
    const caller = await testApi.newOrganization()
    const { token } = await newToken(caller, ['folders:read'])
    const reader = caller.withToken(token)
    expect((await reader.get('assets/folders/')).status).toBe(200)
    expect((await reader.post('assets/folders/', { title: 'x' })).status).toBe(403)
  })

  it.each([
    ['null', null],
    ['absent', undefined],
  ])('201: creates a token without expiry if expires_at is %s', async (_, expires_at) => {
    const caller = await testApi.newOrganization()
    const fields = { name: 'x', scopes: ['*'], expires_at }
    expect((await caller.post<tokens.NewToken>('tokens/', fields)).body.expires_at).toBeNull()
  })

  it.each([
    ['no scope', { name: 'x', scopes: [] }, 'scopes'],
    ['an unknown scope', { name: 'x', scopes: ['folders:own'] }, 'scopes[0]'],
    ['a scope twice', { name: 'x', scopes: ['*', '*'] }, 'scopes'],
    ['scopes that are not a list', { name: 'x', scopes: '*' }, 'scopes'],
    ['no name', { scopes: ['*'] }, 'name'],
    ['a name that is not a string', { name: 5, scopes: ['*'] }, 'name'],
    ['an expiry that is not a time', { name: 'x', scopes: ['*'], expires_at: 'soon' }, 'expires_at'],
    ['an expiry in seconds', { name: 'x', scopes: ['*'], expires_at: 1e9 }, 'expires_at'],
  ])('400: rejects %s and names the field', async (_, fields, field) => {
    const caller = await testApi.newOrganization()
    const { status, body } = await caller.post('tokens/', fields)
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'invalid_request' })
    expect(body.errors.map((error) => error.field)).toEqual([field])
  })

  it.each([
    ['a blank name', { name: ' \t ' }, 'invalid_title'],
    ['a name of 256 characters', { name: 'x'.repeat(256) }, 'invalid_title'],
    ['a name with a control character', { name: 'a\u0007b' }, 'invalid_title'],
    ['an expiry that has passed', { expires_at: '2020-01-01T00:00:00Z' }, 'invalid_expiry'],
    ['an expiry over ten years away', { expires_at: '2099-01-01T00:00:00Z' }, 'invalid_expiry'],
    ['a misspelt field', { expires: '2031-01-01T00:00:00Z' }, 'unknown_field'],
  ])('400: rejects %s', async (_, fields, code) => {
    const caller = await testApi.newOrganization()
    const { status, body } = await caller.post('tokens/', { name: 'x', scopes: ['*'], ...fields })
    expect({ status, code: body.code }).toEqual({ status: 400, code })
  })

  it.each([
    ['a time zone that Postgres does not know', '2031-01-31T12:00:00+23:00'],
    ['three hundred decimals', `2031-01-31T12:00:00.${'1'.repeat(300)}Z`],
  ])('201 or 400, never 500: handles an expiry with %s', async (_, expires_at) => {
    const caller = await testApi.newOrganization()
    const { status } = await caller.post('tokens/', { name: 'x', scopes: ['*'], expires_at })
    expect([201, 400]).toContain(status)
  })

  it('403: does not grant a scope that the caller lacks, and names it', async () => {
    const caller = await testApi.newOrganization('tokens:write', 'folders:read')
    for (const scopes of [['tokens:write', 'tokens:read'], ['*']]) {
      const { status, body } = await caller.post('tokens/', { name: 'x', scopes })
      expect({ status, code: body.code }).toEqual({ status: 403, code: 'insufficient_scope' })
      expect(body.detail).toContain(`You lack ${scopes.at(-1)}.`)
      expect(body.errors).toMatchObject([{ field: 'scopes' }])
    }
    expect((await newToken(caller, ['folders:read'])).scopes).toEqual(['folders:read'])
  })
})

describe('GET tokens/<id>/', () => {
  it('200: returns all fields but the secret', async () => {
    const caller = await testApi.newOrganization()
    const { token: _, ...readable } = await newToken(caller)
    const { status, body } = await caller.get<tokens.Token>(`tokens/${readable.id}/`)
    expect({ status, body }).toEqual({ status: 200, body: readable })
  })

  it('404: gives the same error for an unknown id, a malformed one and one of another organization', async () => {
    const caller = await testApi.newOrganization()
    const foreign = await newToken(await testApi.newOrganization())
    const responses = [
      await caller.get(`tokens/${unknownId}/`),
      await caller.get('tokens/not-an-id/'),
      await caller.get(`tokens/${foreign.id}/`),
    ]
    for (const { status, body } of responses) {
      expect({ status, code: body.code }).toEqual({ status: 404, code: 'token_not_found' })
      expect(withoutRequestId(body)).toEqual(withoutRequestId((responses[0] as (typeof responses)[0]).body))
    }
  })
})

describe('GET tokens/current/', () => {
  it('200: any valid token can read itself', async () => {
    const caller = await testApi.newOrganization()
    const created = await newToken(caller, ['folders:read'])
    const { status, body } = await caller.withToken(created.token).get<tokens.Token>('tokens/current/')
    expect(status).toBe(200)
    expect(body).toMatchObject({ id: created.id, name: 'Deploy', scopes: ['folders:read'] })
    expect(body).not.toHaveProperty('token')
  })
})

describe('tokens of another organization', () => {
  it('404: cannot be rotated or revoked', async () => {
    const owner = await testApi.newOrganization()
    const intruder = await testApi.newOrganization()
    const { token: _, ...theirs } = await newToken(owner)
    for (const response of [
      await intruder.post(`tokens/${theirs.id}/rotate/`, {}),
      await intruder.delete(`tokens/${theirs.id}/`),
    ]) {
      expect(response).toMatchObject({ status: 404, body: { code: 'token_not_found' } })
    }
    expect((await owner.get<tokens.Token>(`tokens/${theirs.id}/`)).body).toEqual(theirs)
  })

  it('200: are not listed', async () => {
    await newToken(await testApi.newOrganization())
    const caller = await testApi.newOrganization()
    const { body } = await caller.get<Page<tokens.Token>>('tokens/')
    expect(body).toMatchObject({ count: 1, next: null, previous: null })
    expect(body.results).toHaveLength(1)
  })
})
