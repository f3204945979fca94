import { type members, type Page, type roles as roleContract, roles, type Scope, type tokens } from '@reelkeep/contract'
import { type Caller, type MemberOptions, newMember, Superuser, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { describe, expect, it } from 'vitest'

const testApi = await opened(TestApi.open())
const superuser = await opened(Superuser.open())

const memberOf = (caller: Caller, role: roleContract.BuiltInRoleId, options: MemberOptions = {}) =>
  newMember(superuser, caller, { role, scopes: [...roles.builtInRoles[role].scopes], ...options })
const read = async (caller: Caller, id: string) => (await caller.get<members.Member>(`members/${id}/`)).body
const newFolder = async (caller: Caller) =>
  (await caller.post<{ uuid: string }>('assets/folders/', { title: 'Lectures' })).body.uuid
const newToken = async (caller: Caller, scopes: Scope[], rest = {}) =>
  (await caller.post<tokens.NewToken>('tokens/', { name: 'x', scopes, ...rest })).body
const inOneHour = () => new Date(Date.now() + 3_600_000).toISOString()

describe('GET members/', () => {
  it('200: lists members newest first, and filters by role, name and email address', async () => {
    const caller = await testApi.newOrganization()
    const owner = await memberOf(caller, 'owner')
    const viewer = await memberOf(caller, 'viewer')
    const named = (id: string, name: string, email: string) =>
      Promise.all([
        superuser.query('update tokens set name = $2 where id = $1', [id, name]),
        superuser.query('update members set email = $2 where id = $1', [id, email]),
      ])
    await named(owner.id, 'Ada 50%', 'Ada@Example.org')
    await named(viewer.id, 'Kim_B', 'kim@example.org')
    const ids = async (query: string) => {
      const { body } = await caller.get<Page<members.Member>>(`members/${query}`)
      expect(body.count).toBe(body.results.length)
      return body.results.map(({ id }) => id).sort()
    }
    const both = [owner.id, viewer.id].sort()
    expect(await ids('')).toEqual(both)
    expect(await ids('?role=viewer')).toEqual([viewer.id])
    expect(await ids('?q=ADA@')).toEqual([owner.id])
    expect(await ids('?q=kim_')).toEqual([viewer.id])
    expect(await ids('?q=%25')).toEqual([owner.id])
    expect(await ids('?q=example&role=owner')).toEqual([owner.id])
    expect(await ids('?q=nobody')).toEqual([])
  })

  it('200: has pages, and shows no member of another organization', async () => {
    const [caller, other] = [await testApi.newOrganization(), await testApi.newOrganization()]
    for (let count = 0; count < 3; count++) await memberOf(caller, 'viewer')
    const { id } = await memberOf(other, 'viewer')
    const first = await caller.get<Page<members.Member>>('members/?limit=2')
    const second = await caller.get<Page<members.Member>>(String(first.body.next))
    const seen = [...first.body.results, ...second.body.results].map((member) => member.id)
    expect([seen.length, new Set(seen).size, first.body.count, second.body.next]).toEqual([3, 3, 3, null])
    expect(seen).not.toContain(id)
    expect((await caller.get(`members/${id}/`)).status).toBe(404)
    expect((await caller.delete(`members/${id}/`)).status).toBe(404)
  })
})

describe('last_active_at', () => {
  it('is set by a request of the member, in the organization of the request', async () => {
    const backend = await testApi.newOrganization()
    const { caller, id } = await memberOf(backend, 'viewer')
    expect((await read(backend, id)).last_active_at).toBeNull()
    await caller.get('assets/')
    await expect.poll(async () => (await read(backend, id)).last_active_at).not.toBeNull()
  })
})

describe('GET members/current/', () => {
  it('200: returns the signed-in member, whatever the role', async () => {
    const backend = await testApi.newOrganization()
    const { caller, id } = await memberOf(backend, 'viewer')
    const { body } = await caller.get<members.Member>('members/current/')
    expect(body).toMatchObject({ id, role: { id: 'viewer', name: 'Viewer' }, issuer: 'local', folder_uuid: null })
    expect((await caller.get('members/')).status).toBe(403)
  })

  it('404: says that a token is not a member', async () => {
    const { status, body } = await (await testApi.newOrganization()).get('members/current/')
    expect(status).toBe(404)
    expect(body).toMatchObject({ code: 'member_not_found', detail: expect.stringContaining('API token') })
  })
})

describe('PATCH members/<id>/', () => {
  it('200: gives another role and folder, which take effect at once', async () => {
    const backend = await testApi.newOrganization()
    const { caller, id } = await memberOf(backend, 'viewer')
    const folder = await newFolder(backend)
    expect((await caller.post('assets/folders/', { title: 'x' })).status).toBe(403)
    const { body } = await backend.patch<members.Member>(`members/${id}/`, { role: 'editor', folder_uuid: folder })
    expect(body).toMatchObject({ role: { id: 'editor', name: 'Editor' }, folder_uuid: folder })
    expect(body.scopes).toEqual(roles.builtInRoles.editor.scopes)
    expect((await caller.post('assets/folders/', { title: 'x', parent: folder })).status).toBe(201)
    expect(await read(backend, id)).toMatchObject({ role: { id: 'editor' }, folder_uuid: folder })
    await backend.patch(`members/${id}/`, { folder_uuid: null })
    expect(await read(backend, id)).toMatchObject({ role: { id: 'editor' }, folder_uuid: null })
  })

  it('200: gives an uploader only its own assets', async () => {
    const backend = await testApi.newOrganization()
    const { id } = await memberOf(backend, 'viewer')
    await backend.patch(`members/${id}/`, { role: 'uploader' })
    const ownOnly = () => superuser.query('select own_only from tokens where id = $1', [id])
    expect(await ownOnly()).toEqual([{ own_only: true }])
    await backend.patch(`members/${id}/`, { role: 'viewer' })
    expect(await ownOnly()).toEqual([{ own_only: false }])
  })

  it('200: makes the member expire with the token that changes it', async () => {
    const backend = await testApi.newOrganization()
    const { id } = await memberOf(backend, 'viewer')
    const { token, expires_at } = await newToken(backend, ['*'], { expires_at: inOneHour() })
    await backend.withToken(token).patch(`members/${id}/`, { role: 'editor' })
    expect((await read(backend, id)).expires_at).toBe(expires_at)
    await backend.patch(`members/${id}/`, { role: 'viewer' })
    expect((await read(backend, id)).expires_at).toBeNull()
  })

  it('412: refuses the change of a member that has changed since it was read', async () => {
    const backend = await testApi.newOrganization()
    const { id } = await memberOf(backend, 'viewer')
    const condition = { 'if-match': String((await backend.get(`members/${id}/`)).headers['etag']) }
    expect((await backend.patch(`members/${id}/`, { role: 'editor' }, condition)).status).toBe(200)
    expect((await backend.patch(`members/${id}/`, { role: 'viewer' }, condition)).status).toBe(412)
  })

  it('403: a manager gives all roles but owner, and changes everyone but owners', async () => {
    const backend = await testApi.newOrganization()
    const owner = await memberOf(backend, 'owner')
    const { caller } = await memberOf(backend, 'manager')
    const { id } = await memberOf(backend, 'viewer')
    expect((await caller.patch(`members/${id}/`, { role: 'owner' })).status).toBe(403)
    expect((await caller.patch(`members/${owner.id}/`, { role: 'viewer' })).status).toBe(403)
    expect((await caller.delete(`members/${owner.id}/`)).status).toBe(403)
    for (const role of ['manager', 'editor', 'uploader', 'viewer'])
      expect((await caller.patch(`members/${id}/`, { role })).status, role).toBe(200)
    expect((await caller.delete(`members/${id}/`)).status).toBe(204)
  })

  it('403: nobody gives themselves a higher role', async () => {
    const backend = await testApi.newOrganization()
    const { caller, id } = await memberOf(backend, 'manager')
    expect((await caller.patch(`members/${id}/`, { role: 'owner' })).status).toBe(403)
    expect((await caller.patch(`members/${id}/`, { role: 'viewer' })).status).toBe(200)
    expect((await caller.patch(`members/${id}/`, { role: 'manager' })).status).toBe(403)
  })
})

describe('a member who is limited to a folder', () => {
  it('403: manages neither members nor roles, and reads only itself', async () => {
    const backend = await testApi.newOrganization()
    const { caller, id } = await memberOf(backend, 'owner', { folderUuid: await newFolder(backend) })
    await memberOf(backend, 'owner')
    const refused = [
      await caller.get('members/'),
      await caller.patch(`members/${id}/`, { folder_uuid: null }),
      await caller.delete(`members/${id}/`),
      await caller.post('invitations/', { email: 'kim@example.org', role: 'viewer' }),
      await caller.post('roles/', { name: 'Reader', scopes: ['assets:read'] }),
    ]
    expect(refused.map(({ body }) => body.code)).toEqual(Array(5).fill('outside_folder'))
    expect((await caller.get('members/current/')).status).toBe(200)
  })
})

describe('the last owner', () => {
  it.each([
    ['becomes a manager', (caller: Caller, id: string) => caller.patch(`members/${id}/`, { role: 'manager' })],
    [
      'is limited to a folder',
      async (caller: Caller, id: string) => caller.patch(`members/${id}/`, { folder_uuid: await newFolder(caller) }),
    ],
    ['is removed', (caller: Caller, id: string) => caller.delete(`members/${id}/`)],
  ])('409: is refused that it %s, unless another owner remains', async (_, change) => {
    const backend = await testApi.newOrganization()
    const owner = await memberOf(backend, 'owner')
    const limited = await memberOf(backend, 'owner', { folderUuid: await newFolder(backend) })
    const expiring = await memberOf(backend, 'owner')
    await superuser.query(`update tokens set expires_at = now() + interval '1 day' where id = $1`, [expiring.id])
    expect((await change(owner.caller, owner.id)).body).toMatchObject({ code: 'last_owner' })
    expect(await read(backend, owner.id)).toMatchObject({ role: { id: 'owner' }, folder_uuid: null })
    await memberOf(backend, 'owner')
    expect((await change(owner.caller, owner.id)).status).toBeLessThan(300)
    expect((await change(backend, limited.id)).status).toBeLessThan(300)
  })

  it('is not removed with the token that invited it', async () => {
    const backend = await testApi.newOrganization()
    const token = await newToken(backend, ['*'])
    const owner = await memberOf(backend, 'owner')
    await superuser.query('update tokens set created_by = $2 where id = $1', [owner.id, token.id])
    const revoke = () => backend.delete(`tokens/${token.id}/?descendants=true`)
    expect((await revoke()).body).toMatchObject({ code: 'last_owner' })
    expect((await owner.caller.get('members/current/')).status).toBe(200)
    await memberOf(backend, 'owner')
    expect((await revoke()).status).toBe(204)
    expect((await owner.caller.get('members/current/')).status).toBe(404)
  })

  type Owner = Awaited<ReturnType<typeof memberOf>>
  const demote = (by: Caller, { id }: Owner) => by.patch(`members/${id}/`, { role: 'viewer' })
  const remove = (by: Caller, { id }: Owner) => by.delete(`members/${id}/`)

  it.each([
    ['remove each other', (ada: Owner, kim: Owner) => [remove(ada.caller, kim), remove(kim.caller, ada)]],
    ['demote and remove each other', (ada: Owner, kim: Owner) => [demote(ada.caller, kim), remove(kim.caller, ada)]],
    ['leave', (ada: Owner, kim: Owner) => [remove(ada.caller, ada), remove(kim.caller, kim)]],
    ['leave and step down', (ada: Owner, kim: Owner) => [remove(ada.caller, ada), demote(kim.caller, kim)]],
    ['are removed by a token', (ada: Owner, kim: Owner, token: Caller) => [remove(token, ada), remove(token, kim)]],
  ])('remains when two owners %s at the same time', async (_, act) => {
    for (let round = 0; round < 5; round++) {
      const backend = await testApi.newOrganization()
      const [ada, kim] = [await memberOf(backend, 'owner'), await memberOf(backend, 'owner')]
      const responses = await Promise.all(act(ada, kim, backend))
      expect(responses.map(({ status }) => (status < 300 ? 'done' : 'refused')).sort()).toEqual(['done', 'refused'])
      const { body } = await backend.get<Page<members.Member>>('members/?role=owner')
      expect(body.count).toBe(1)
    }
  })
})

describe('DELETE members/<id>/', () => {
  it('204: ends the session of the person in this organization, and only there', async () => {
    const backend = await testApi.newOrganization()
    const { caller, id } = await memberOf(backend, 'editor')
    expect((await caller.get('assets/')).status).toBe(200)
    expect((await backend.delete(`members/${id}/`)).status).toBe(204)
    expect((await caller.get('assets/')).status).toBe(404)
    expect((await backend.get(`members/${id}/`)).status).toBe(404)
    expect((await backend.delete(`members/${id}/`)).status).toBe(404)
  })

  it('204: keeps what the member created, and ends it with descendants', async () => {
    const backend = await testApi.newOrganization()
    const isLive = async ({ token }: tokens.NewToken) =>
      (await backend.withToken(token).get('tokens/current/')).status === 200
    const results: boolean[] = []
    for (const query of ['', '?descendants=true']) {
      const { caller, id } = await memberOf(backend, 'manager')
      const token = await newToken(caller, ['assets:read'])
      const child = await memberOf(backend, 'viewer')
      await superuser.query('update tokens set created_by = $2 where id = $1', [child.id, token.id])
      await backend.delete(`members/${id}/${query}`)
      results.push(await isLive(token), (await child.caller.get('assets/')).status === 200)
    }
    expect(results).toEqual([true, true, false, false])
  })

  it('403: does not end descendants with more scopes than the request has', async () => {
    const backend = await testApi.newOrganization()
    await memberOf(backend, 'owner')
    const inviter = await memberOf(backend, 'manager')
    const promoted = await memberOf(backend, 'owner')
    await superuser.query('update tokens set created_by = $2 where id = $1', [promoted.id, inviter.id])
    const { caller } = await memberOf(backend, 'manager')
    expect((await caller.delete(`members/${inviter.id}/?descendants=true`)).status).toBe(403)
    expect((await promoted.caller.get('members/current/')).status).toBe(200)
    expect((await caller.delete(`members/${inviter.id}/`)).status).toBe(204)
  })

  it('403: needs a recent sign-in', async () => {
    const backend = await testApi.newOrganization()
    const { caller, sessionId } = await memberOf(backend, 'owner')
    const { id } = await memberOf(backend, 'viewer')
    await superuser.query(`update people.sessions set authenticated_at = now() - interval '1 hour' where id = $1`, [
      sessionId,
    ])
    expect((await caller.delete(`members/${id}/`)).body).toMatchObject({ code: 'recent_sign_in_required' })
  })
})
