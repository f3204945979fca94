/** Events about members and roles. */
import type { invitations, roles } from '@reelkeep/contract'
import type { OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import { acceptInvitation } from '@reelkeep/server/modules/invitations/invitations.ts'
import { type Caller, newMember, Superuser, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { type EventLogReader, newEventRecorder } from './recorded-events.ts'

const testApi = await opened(TestApi.open())
const superuser = await opened(Superuser.open())

const recorder = newEventRecorder()
let caller: Caller
let eventLog: EventLogReader
beforeEach(async () => {
  caller = await testApi.newOrganization()
  eventLog = await recorder.open(caller)
})

afterAll(() => expect(recorder.unseenTypes('member')).toEqual([]))
afterAll(() => expect(recorder.unseenTypes('role')).toEqual([]))

const input = { email: 'kim@example.org', role: 'viewer' }
const newRole = { name: 'Subtitler', scopes: ['assets:read'] }

async function join(role = 'viewer'): Promise<string> {
  const { body } = await caller.post<invitations.NewInvitation>('invitations/', { ...input, role })
  const person = { issuer: 'local', subject: body.id, name: 'Kim', email: input.email }
  const db = testApi.context.database.forOrganization(caller.organizationId as OrganizationId)
  const text = body.link.split('#')[1] ?? ''
  return (await db.transaction((tx) => acceptInvitation(tx, text, person))).id
}

describe('events about a member', () => {
  it('are recorded for the invitation, the joining, a change and the removal, without the email address', async () => {
    const id = await join()
    await caller.patch(`members/${id}/`, { role: 'editor' })
    await caller.delete(`members/${id}/`)
    const events = await eventLog.next()
    expect(events.map(({ type, data }) => ({ type, data }))).toEqual([
      { type: 'member.invited', data: { id: expect.any(String), role: 'viewer' } },
      { type: 'member.joined', data: { id, name: 'Kim', role: 'viewer' } },
      { type: 'member.changed', data: { id, name: 'Kim', role: 'editor' } },
      { type: 'member.removed', data: { id, name: 'Kim', role: 'editor' } },
    ])
    const { text } = await caller.get('events/')
    expect(text).not.toContain('kim@')
    expect(text).not.toContain('rli_')
  })

  it('are recorded once if two requests remove the member at the same time', async () => {
    const id = await join()
    await eventLog.next()
    await Promise.all([1, 2, 3].map(() => caller.delete(`members/${id}/`)))
    expect(await eventLog.nextTypes()).toEqual(['member.removed'])
  })

  it('are recorded for members who are removed with the token that invited them', async () => {
    const { body: token } = await caller.post<{ id: string }>('tokens/', { name: 'Inviter', scopes: ['*'] })
    const member = await newMember(superuser, caller, { role: 'viewer', scopes: ['assets:read'] })
    await superuser.query('update tokens set created_by = $2 where id = $1', [member.id, token.id])
    await eventLog.next()
    await caller.delete(`tokens/${token.id}/?descendants=true`)
    expect((await eventLog.nextTypes()).sort()).toEqual(['member.removed', 'token.revoked'])
  })

  it('are not recorded for a refused request, or for a change that changes nothing', async () => {
    const id = await join()
    await eventLog.next()
    await caller.patch(`members/${id}/`, { role: 'viewer', folder_uuid: null })
    await caller.patch(`members/${id}/`, { role: 'boss' })
    await caller.post('invitations/', { ...input, role: 'boss' })
    expect(await eventLog.next()).toEqual([])
  })
})

describe('events about a role', () => {
  it('are recorded for its creation, change and deletion', async () => {
    const { id } = (await caller.post<roles.Role>('roles/', newRole)).body
    await caller.patch(`roles/${id}/`, { name: 'Captioner' })
    await caller.patch(`roles/${id}/`, { name: 'Captioner' })
    await caller.delete(`roles/${id}/`)
    expect((await eventLog.next()).map(({ type, data }) => ({ type, data }))).toEqual([
      { type: 'role.created', data: { id, name: 'Subtitler' } },
      { type: 'role.updated', data: { id, name: 'Captioner' } },
      { type: 'role.deleted', data: { id, name: 'Captioner' } },
    ])
  })
})
