import type { members, Page, roles, Scope, tokens } from '@reelkeep/contract'
import { type Caller, newMember, Superuser, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { describe, expect, it } from 'vitest'

const testApi = await opened(TestApi.open())
const superuser = await opened(Superuser.open())

const input = { name: 'Subtitler', scopes: ['assets:read', 'assets:write'] }
const newRole = async (caller: Caller, body: object = input) => (await caller.post<roles.Role>('roles/', body)).body
const newToken = async (caller: Caller, scopes: Scope[], rest = {}) =>
  caller.withToken((await caller.post<tokens.NewToken>('tokens/', { name: 'x', scopes, ...rest })).body.token)
const listRoles = async (caller: Caller) => (await caller.get<Page<roles.Role>>('roles/')).body
const memberWith = (caller: Caller, role: string, scopes: Scope[]) => newMember(superuser, caller, { role, scopes })

describe('GET roles/', () => {
  it('200: returns the built-in roles with their scopes, then the custom ones', async () => {
    const caller = await testApi.newOrganization()
    const created = await newRole(caller)
    const { results, ...rest } = await listRoles(caller)
    expect(rest).toEqual({ count: 6, next: null, previous: null })
    expect(results.map(({ id, built_in }) => [id, built_in])).toEqual([
      ...['owner', 'manager', 'editor', 'uploader', 'viewer'].map((id) => [id, true]),
      [created.id, false],
    ])
    const scopesOf = (id: string) => results.find((role) => role.id === id)?.scopes
    expect(scopesOf('owner')).toEqual(['*'])
    expect(scopesOf('manager')).toContain('members:write')
    expect(scopesOf('manager')).not.toContain('keys:write')
    expect(scopesOf('viewer')).toEqual(['assets:read', 'events:read', 'folders:read', 'playback:read'])
    expect(results.at(-1)).toEqual(created)
  })

  it('200: shows neither roles nor members of another organization', async () => {
    const [caller, other] = [await testApi.newOrganization(), await testApi.newOrganization()]
    const { id } = await newRole(other)
    await memberWith(other, 'viewer', ['assets:read'])
    expect((await listRoles(caller)).results.map(({ member_count }) => member_count)).toEqual([0, 0, 0, 0, 0])
    expect((await caller.get(`roles/${id}/`)).status).toBe(404)
    expect((await caller.delete(`roles/${id}/`)).status).toBe(404)
  })
})

describe('POST roles/', () => {
  it('201: returns the role, and stores its trimmed name', async () => {
    const caller = await testApi.newOrganization()
    const { status, body } = await caller.post<roles.Role>('roles/', { ...input, name: ' Subtitler ' })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'Subtitler',
      description: '',
      scopes: input.scopes,
      built_in: false,
      member_count: 0,
      created_at: expect.any(String),
      created_by: { kind: 'token', id: expect.any(String), name: 'Test' },
    })
    expect((await caller.get(`roles/${body.id}/`)).body).toEqual(body)
  })

  it('400: refuses every scope at once, which only owners have', async () => {
    const caller = await testApi.newOrganization()
    expect((await caller.post('roles/', { ...input, scopes: ['*'] })).status).toBe(400)
  })

  it('403: refuses scopes that the grantor lacks', async () => {
    const caller = await testApi.newOrganization()
    const weak = await newToken(caller, ['members:write', 'assets:read'])
    const { status, body } = await weak.post('roles/', input)
    expect(status).toBe(403)
    expect(body).toMatchObject({ code: 'insufficient_scope', detail: expect.stringContaining('assets:write') })
  })
})

describe('PATCH roles/<id>/', () => {
  it('200: changes the scopes of all members with the role, and of no others, at once', async () => {
    const caller = await testApi.newOrganization()
    const { id } = await newRole(caller)
    const member = await memberWith(caller, id, ['assets:read', 'assets:write'])
    const other = await memberWith(caller, 'editor', ['assets:read', 'folders:write'])
    expect((await member.caller.get('assets/')).status).toBe(200)
    expect((await member.caller.get('assets/folders/')).status).toBe(403)
    const { status, body } = await caller.patch<roles.Role>(`roles/${id}/`, { scopes: ['folders:read'] })
    expect([status, body.scopes, body.member_count]).toEqual([200, ['folders:read'], 1])
    expect((await member.caller.get('assets/')).status).toBe(403)
    expect((await member.caller.get('assets/folders/')).status).toBe(200)
    expect((await other.caller.get('assets/')).status).toBe(200)
    expect((await member.caller.get<members.Member>('members/current/')).body.scopes).toEqual(['folders:read'])
  })

  it('200: keeps the fields that are not given', async () => {
    const caller = await testApi.newOrganization()
    const created = await newRole(caller)
    const { body } = await caller.patch<roles.Role>(`roles/${created.id}/`, { description: 'Captions' })
    expect(body).toEqual({ ...created, description: 'Captions' })
  })

  it('412: refuses the change of a role that has changed since it was read', async () => {
    const caller = await testApi.newOrganization()
    const { id } = await newRole(caller)
    const { headers } = await caller.get(`roles/${id}/`)
    const condition = { 'if-match': String(headers['etag']) }
    expect((await caller.patch(`roles/${id}/`, { name: 'A' }, condition)).status).toBe(200)
    expect((await caller.patch(`roles/${id}/`, { name: 'B' }, condition)).status).toBe(412)
  })

  it('403: refuses to add scopes that the grantor lacks, and to change a role with more scopes', async () => {
    const caller = await testApi.newOrganization()
    const { id } = await newRole(caller)
    const weak = await newToken(caller, ['members:write', 'assets:read'])
    expect((await weak.patch(`roles/${id}/`, { scopes: ['assets:read'] })).status).toBe(403)
    expect((await weak.patch(`roles/${id}/`, { name: 'x' })).status).toBe(403)
    expect((await weak.delete(`roles/${id}/`)).status).toBe(403)
    const narrow = await newRole(caller, { name: 'Reader', scopes: ['assets:read'] })
    expect((await weak.patch(`roles/${narrow.id}/`, { scopes: ['assets:read', 'assets:write'] })).status).toBe(403)
  })

  it('403: refuses added scopes of a token that expires, because they would outlast it', async () => {
    const caller = await testApi.newOrganization()
    const { id } = await newRole(caller)
    const expiring = await newToken(caller, ['*'], { expires_at: new Date(Date.now() + 3_600_000).toISOString() })
    expect((await expiring.patch(`roles/${id}/`, { scopes: ['assets:read'] })).status).toBe(200)
    expect((await expiring.patch(`roles/${id}/`, input)).status).toBe(403)
  })

  it('never leaves a member with scopes of an earlier version of its role', async () => {
    const caller = await testApi.newOrganization()
    const { id } = await newRole(caller)
    const member = await memberWith(caller, 'viewer', ['assets:read'])
    const changes: readonly (() => Promise<unknown>)[] = [
      () => caller.patch(`members/${member.id}/`, { role: id }),
      () => caller.patch(`roles/${id}/`, { scopes: ['folders:read'] }),
    ]
    await Promise.all(changes.map((change) => change()))
    const { body } = await caller.get<members.Member>(`members/${member.id}/`)
    expect([body.role.id, body.scopes]).toEqual([id, ['folders:read']])
  })
})

describe('DELETE roles/<id>/', () => {
  it('409: refuses to delete a role of a member or an open invitation', async () => {
    const caller = await testApi.newOrganization()
    const { id } = await newRole(caller)
    const invited = await caller.post<{ id: string }>('invitations/', { email: 'kim@example.org', role: id })
    expect((await caller.delete(`roles/${id}/`)).body).toMatchObject({ code: 'role_in_use' })
    await caller.delete(`invitations/${invited.body.id}/`)
    const member = await memberWith(caller, id, ['assets:read'])
    expect((await caller.delete(`roles/${id}/`)).status).toBe(409)
    await caller.delete(`members/${member.id}/`)
    expect((await caller.delete(`roles/${id}/`)).status).toBe(204)
    expect((await caller.get(`roles/${id}/`)).status).toBe(404)
  })
})
