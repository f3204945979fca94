import { randomUUID } from 'node:crypto'
import type { invitations, members, Page, Scope, tokens } from '@reelkeep/contract'
import { type Caller, newMember, openOwner, Superuser, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { describe, expect, it } from 'vitest'
import type { DomainError } from '../../kernel/errors.ts'
import type { OrganizationId } from '../../kernel/ids.ts'
import { acceptInvitation, requireInvitation } from './invitations.ts'

const testApi = await opened(TestApi.open())
const superuser = await opened(Superuser.open())
const owner = await opened(Promise.resolve(openOwner()))

const input = { email: 'kim@example.org', role: 'editor' }
const invite = async (caller: Caller, body: object = input) => {
  const response = await caller.post<invitations.NewInvitation>('invitations/', body)
  expect(response.status).toBe(201)
  return { ...response.body, text: response.body.link.split('#')[1] ?? '' }
}
const somebody = () => ({ issuer: 'local', subject: randomUUID(), name: 'Kim', email: 'kim@example.org' })
/** Accepts an invitation with the role of the API, in a transaction of its own. */
const accept = (caller: Caller, text: string, person = somebody()) =>
  testApi.context.database
    .forOrganization(caller.organizationId as OrganizationId)
    .transaction((tx) => acceptInvitation(tx, text, person))
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'accepted',
    (error: DomainError) => error.code,
  )
const newToken = async (caller: Caller, scopes: Scope[], rest = {}) =>
  (await caller.post<tokens.NewToken>('tokens/', { name: 'Inviter', scopes, ...rest })).body
const list = async (caller: Caller) => (await caller.get<Page<invitations.Invitation>>('invitations/')).body

describe('POST invitations/', () => {
  it('201: returns the link once, and stores only the hash of its secret', async () => {
    const caller = await testApi.newOrganization()
    const { link, text, mailed, ...invitation } = await invite(caller)
    expect(link).toBe(`${testApi.context.config.PUBLIC_URL}/invitation#${text}`)
    expect(text).toMatch(new RegExp(`^rli_${caller.organizationId}_[0-9A-Za-z]{38}$`))
    expect(mailed).toBe(false)
    expect(invitation).toMatchObject({
      email: 'kim@example.org',
      role: { id: 'editor', name: 'Editor' },
      folder_uuid: null,
      created_by: { kind: 'token', name: 'Test' },
    })
    expect((await list(caller)).results).toEqual([invitation])
    const [row] = await superuser.query('select * from invitations where id = $1', [invitation.id])
    expect(JSON.stringify(row)).not.toContain(text)
    expect(Date.parse(invitation.expires_at) - Date.parse(invitation.created_at)).toBe(7 * 86_400_000)
  })

  it.each([
    ['no at sign', 'kim.example.org'],
    ['a space', 'kim @example.org'],
    ['a line break', 'kim@example.org\nBcc: all@example.org'],
    ['two addresses', 'kim@example.org,ada@example.org'],
    ['a name', 'Kim <kim@example.org>'],
  ])('400: refuses an address with %s', async (_, email) => {
    const caller = await testApi.newOrganization()
    const { status, body } = await caller.post('invitations/', { ...input, email })
    expect([status, body.errors[0]?.field]).toEqual([400, 'email'])
  })

  it('403: refuses a role with scopes that the inviter lacks', async () => {
    const backend = await testApi.newOrganization()
    const { token } = await newToken(backend, ['members:write', 'assets:read'])
    expect((await backend.withToken(token).post('invitations/', input)).status).toBe(403)
    const manager = await newMember(superuser, backend, { role: 'manager', scopes: ['members:write'] })
    expect((await manager.caller.post('invitations/', { ...input, role: 'owner' })).status).toBe(403)
  })

  it('403: does not revoke an invitation to a role with scopes that the caller lacks', async () => {
    const backend = await testApi.newOrganization()
    const { id, text } = await invite(backend, { ...input, role: 'owner' })
    const manager = await newMember(superuser, backend, { role: 'manager', scopes: ['members:write'] })
    expect((await manager.caller.delete(`invitations/${id}/`)).status).toBe(403)
    expect(await codeOf(accept(backend, text))).toBe('accepted')
  })

  it('shows invitations of no other organization, and revokes none of them', async () => {
    const [caller, other] = [await testApi.newOrganization(), await testApi.newOrganization()]
    const { id } = await invite(other)
    expect(await list(caller)).toMatchObject({ count: 0, results: [] })
    expect((await caller.delete(`invitations/${id}/`)).status).toBe(404)
    expect((await list(other)).count).toBe(1)
  })
})

describe('accepting an invitation', () => {
  it('creates a member with the role and the folder, and ends the invitation', async () => {
    const caller = await testApi.newOrganization()
    const folder = (await caller.post<{ uuid: string }>('assets/folders/', { title: 'Lectures' })).body.uuid
    const { text } = await invite(caller, { ...input, folder_uuid: folder })
    const person = somebody()
    const { id } = await accept(caller, text, person)
    expect((await caller.get<members.Member>(`members/${id}/`)).body).toMatchObject({
      ...{ id, name: 'Kim', email: 'kim@example.org', issuer: 'local', folder_uuid: folder },
      role: { id: 'editor', name: 'Editor' },
      created_by: { kind: 'token', name: 'Test' },
      expires_at: null,
    })
    expect((await list(caller)).count).toBe(0)
    expect(await codeOf(accept(caller, text))).toBe('invitation_not_found')
  })

  it('succeeds once, if many requests use the link at the same time', async () => {
    const caller = await testApi.newOrganization()
    const { text } = await invite(caller)
    const codes = await Promise.all(Array.from({ length: 8 }, () => codeOf(accept(caller, text))))
    expect(codes.sort()).toEqual(['accepted', ...Array(7).fill('invitation_not_found')])
    expect((await caller.get<Page<members.Member>>('members/')).body.count).toBe(1)
  })

  it('is refused after the link was revoked or has expired, and in another organization', async () => {
    const [caller, other] = [await testApi.newOrganization(), await testApi.newOrganization()]
    const [revoked, expired, elsewhere] = [await invite(caller), await invite(caller), await invite(caller)]
    await caller.delete(`invitations/${revoked.id}/`)
    await superuser.query('update invitations set expires_at = now() where id = $1', [expired.id])
    expect(await codeOf(accept(caller, revoked.text))).toBe('invitation_not_found')
    expect(await codeOf(accept(caller, expired.text))).toBe('invitation_not_found')
    expect(await codeOf(accept(other, elsewhere.text))).toBe('invitation_not_found')
    expect(await codeOf(accept(caller, elsewhere.text))).toBe('accepted')
  })

  it('is refused once the inviter is removed, has expired or has lost the rights that it gives', async () => {
    const backend = await testApi.newOrganization()
    const revoked = await newToken(backend, ['*'])
    const expired = await newToken(backend, ['*'])
    const manager = await newMember(superuser, backend, { role: 'owner' })
    await newMember(superuser, backend, { role: 'owner' })
    const texts = []
    for (const inviter of [backend.withToken(revoked.token), backend.withToken(expired.token), manager.caller])
      texts.push((await invite(inviter)).text)
    await backend.delete(`tokens/${revoked.id}/`)
    await superuser.query('update tokens set expires_at = now() where id = $1', [expired.id])
    await backend.patch(`members/${manager.id}/`, { role: 'viewer' })
    for (const text of texts) {
      const db = testApi.context.database.forOrganization(backend.organizationId as OrganizationId)
      expect(await codeOf(requireInvitation(db, text))).toBe('invitation_not_found')
      expect(await codeOf(accept(backend, text))).toBe('invitation_not_found')
    }
    expect((await backend.get<Page<members.Member>>('members/?role=editor')).body.count).toBe(0)
  })

  it('is refused if the inviter is now limited to a folder', async () => {
    const backend = await testApi.newOrganization()
    const folder = (await backend.post<{ uuid: string }>('assets/folders/', { title: 'Lectures' })).body.uuid
    await newMember(superuser, backend)
    const inviter = await newMember(superuser, backend)
    const { text } = await invite(inviter.caller)
    await backend.patch(`members/${inviter.id}/`, { folder_uuid: folder })
    expect(await codeOf(accept(backend, text))).toBe('invitation_not_found')
  })

  it('does not bring back a person who was removed after the invitation, but a new one does, as a new member', async () => {
    const caller = await testApi.newOrganization()
    const person = somebody()
    const [first, second] = [await invite(caller), await invite(caller)]
    const before = await accept(caller, first.text, person)
    expect(await codeOf(accept(caller, second.text, person))).toBe('already_member')
    await caller.delete(`members/${before.id}/`)
    expect(await codeOf(accept(caller, second.text, person))).toBe('invitation_not_found')
    const third = await invite(caller, { ...input, role: 'viewer' })
    const after = await accept(caller, third.text, person)
    expect(after.id).not.toBe(before.id)
    expect((await caller.get(`members/${before.id}/`)).status).toBe(404)
    expect(await codeOf(accept(caller, second.text, somebody()))).toBe('accepted')
  })

  it('makes a member expire with the token that invited it', async () => {
    const caller = await testApi.newOrganization()
    const inviter = await newToken(caller, ['*'], { expires_at: new Date(Date.now() + 3_600_000).toISOString() })
    const { text } = await invite(caller.withToken(inviter.token))
    const { id } = await accept(caller, text)
    expect((await caller.get<members.Member>(`members/${id}/`)).body.expires_at).toBe(inviter.expires_at)
  })

  it('with an invitation of the operator needs no other member', async () => {
    const caller = await testApi.newOrganization()
    const { createInvitation } = await import('./invitations.ts')
    const db = owner.forOrganization(caller.organizationId as OrganizationId)
    const given = { email: 'ada@example.org', roleId: 'owner', folderUuid: null, seconds: 600 }
    const { text } = await createInvitation(db, 'system', given)
    const { id } = await accept(caller, text)
    expect((await caller.get<members.Member>(`members/${id}/`)).body).toMatchObject({
      role: { id: 'owner' },
      created_by: { kind: 'system' },
    })
  })
})
