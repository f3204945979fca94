/** The admin commands for owners and recovery. */
import type { members } from '@reelkeep/contract'
import type { OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import { administer } from '@reelkeep/server/main/admin.ts'
import { acceptInvitation } from '@reelkeep/server/modules/invitations/invitations.ts'
import { useRecoveryLink } from '@reelkeep/server/modules/members/members.ts'
import { Caller, newMember, runInProcess, Superuser, stackEnv, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { expect, it } from 'vitest'

const testApi = await opened(TestApi.open())
const superuser = await opened(Superuser.open())

const admin = (...args: string[]) =>
  runInProcess((io) => administer(args, io), { ...stackEnv(), PUBLIC_URL: 'https://videos.example' })
const dbOf = (organizationId: string) => testApi.context.database.forOrganization(organizationId as OrganizationId)

const ada = { issuer: 'local', subject: 'ada', name: 'Ada', email: 'ada@example.org' }

it('create-organization --owner prints a link with which the person becomes the first owner', async () => {
  const { output, code } = await admin('create-organization', '--name', 'Acme', '--owner', 'ada@example.org')
  expect(code).toBe(0)
  const [, organization = '', token = ''] = /REELKEEP_ORGANIZATION=(\w+)\nREELKEEP_TOKEN=(\w+)\n/.exec(output) ?? []
  const [, text = ''] = /^REELKEEP_OWNER_LINK=https:\/\/videos\.example\/invitation#(rli_\w+)$/m.exec(output) ?? []
  const { id } = await dbOf(organization).transaction((tx) => acceptInvitation(tx, text, ada))
  const caller = new Caller(testApi.send, organization, token)
  expect((await caller.get<members.Member>(`members/${id}/`)).body).toMatchObject({
    ...{ name: 'Ada', email: 'ada@example.org', role: { id: 'owner' }, scopes: ['*'], expires_at: null },
    created_by: { kind: 'system' },
  })
})

it('invite-owner prints a link for an organization that exists, and refuses what is not an address', async () => {
  const caller = await testApi.newOrganization()
  const { output } = await admin('invite-owner', caller.organizationId, 'ada@example.org')
  expect(output).toMatch(new RegExp(`^invitation_link=https://videos.example/invitation#rli_${caller.organizationId}_`))
  expect(await admin('invite-owner', caller.organizationId, 'ada')).toMatchObject({
    code: 1,
    error: expect.stringContaining('ada is not an email address.'),
  })
  expect(await admin('invite-owner', 'unknown1', 'ada@example.org')).toMatchObject({ code: 1 })
})

it('recovery-link prints a link for a member, also if the person belongs to another organization', async () => {
  const [caller, other] = [await testApi.newOrganization(), await testApi.newOrganization()]
  const { id, subject } = await newMember(superuser, caller)
  const elsewhere = await newMember(superuser, other)
  await superuser.query('update members set subject = $2 where id = $1', [elsewhere.id, subject])
  await superuser.query(`update members set email = 'Ada@Example.org' where id = $1`, [id])
  const { output } = await admin('recovery-link', caller.organizationId, 'ada@example.org')
  const [, text = ''] = /recovery#(rlr_\w+)/.exec(output) ?? []
  expect((await dbOf(caller.organizationId).transaction((tx) => useRecoveryLink(tx, text))).id).toBe(id)
  expect(await admin('recovery-link', caller.organizationId, 'kim@example.org')).toMatchObject({
    code: 1,
    error: expect.stringContaining('No member has the address kim@example.org.'),
  })
})
