/** Members, roles and invitations, with API tokens. */
import type { invitations, members, Page, Problem, roles, tokens } from '@reelkeep/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Deployment } from './deployment.ts'

let deployment: Deployment
beforeAll(async () => {
  deployment = await Deployment.open()
})
afterAll(() => deployment[Symbol.asyncDispose]())

const newRole = async (scopes = ['assets:read', 'folders:read']) =>
  (await deployment.mine.post<roles.Role>('roles/', { name: deployment.unique(), scopes })).body
const invite = (role: string, rest: object = {}) =>
  deployment.mine.post<invitations.NewInvitation & Problem>('invitations/', {
    email: `${deployment.unique().replace(/\W/g, '')}@example.org`,
    role,
    ...rest,
  })

describe('roles', () => {
  it('built-in roles cannot be changed, and custom roles have a name and scopes', async () => {
    const { body } = await deployment.mine.get<Page<roles.Role>>('roles/')
    expect(body.results.filter(({ built_in }) => built_in).map(({ id }) => id)).toEqual([
      ...['owner', 'manager', 'editor', 'uploader', 'viewer'],
    ])
    expect((await deployment.mine.patch('roles/viewer/', { name: 'x' })).body).toMatchObject({
      code: 'role_is_built_in',
    })
    const role = await newRole()
    const changed = await deployment.mine.patch<roles.Role>(`roles/${role.id}/`, { scopes: ['assets:read'] })
    expect(changed.body).toEqual({ ...role, scopes: ['assets:read'] })
    expect((await deployment.other.get(`roles/${role.id}/`)).status).toBe(404)
    expect((await deployment.mine.delete(`roles/${role.id}/`)).status).toBe(204)
  })
})

describe('invitations', () => {
  it('return a link once, and can be listed and revoked', async () => {
    const { status, body } = await invite('editor', { expires_in_seconds: 600 })
    expect(status).toBe(201)
    expect(body.link).toMatch(/\/invitation#rli_[a-z0-9]+_[0-9A-Za-z]{38}$/)
    const { link: _, mailed: __, ...listed } = body
    const { body: page } = await deployment.mine.get<Page<invitations.Invitation>>('invitations/')
    expect(page.results).toContainEqual(listed)
    expect((await deployment.other.delete(`invitations/${body.id}/`)).status).toBe(404)
    expect((await deployment.mine.delete(`invitations/${body.id}/`)).status).toBe(204)
    expect((await deployment.mine.delete(`invitations/${body.id}/`)).status).toBe(404)
  })

  it('409: keep their role from being deleted', async () => {
    const role = await newRole()
    const { body } = await invite(role.id)
    expect((await deployment.mine.delete(`roles/${role.id}/`)).body).toMatchObject({ code: 'role_in_use' })
    await deployment.mine.delete(`invitations/${body.id}/`)
    expect((await deployment.mine.delete(`roles/${role.id}/`)).status).toBe(204)
  })

  it('403: never give more than the token that creates them has', async () => {
    const input = { name: deployment.unique(), scopes: ['members:write', 'assets:read'] }
    const { body } = await deployment.mine.post<tokens.NewToken>('tokens/', input)
    const weak = deployment.mine.withToken(body.token)
    const refused = await weak.post('invitations/', { email: 'kim@example.org', role: 'editor' })
    expect([refused.status, refused.body.code]).toEqual([403, 'insufficient_scope'])
    await deployment.mine.delete(`tokens/${body.id}/`)
  })
})

describe('members', () => {
  it('are listed by role and text, and a token is none of them', async () => {
    const { status, body } = await deployment.mine.get<Page<members.Member>>('members/?role=viewer&q=%25_nobody')
    expect([status, body.count, body.results]).toEqual([200, 0, []])
    const current = await deployment.mine.get('members/current/')
    expect([current.status, current.body.code]).toEqual([404, 'member_not_found'])
  })
})
