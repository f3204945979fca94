/** Actions of people who are not members yet are in the audit log: sign-ins, failed ones, accepted invitations. */
import type { invitations } from '@reelkeep/contract'
import { Superuser, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { expect, it } from 'vitest'

const superuser = await opened(Superuser.open())
const testApi = await opened(TestApi.open())

const post = (path: string, body: object) =>
  testApi.send({
    method: 'POST',
    path: `/api/account/${path}`,
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', 'user-agent': 'A browser' },
    body: JSON.stringify(body),
  })

it('an accepted invitation, a sign-in and a failed one have entries with the member', async () => {
  const caller = await testApi.newOrganization()
  const email = `ada-${caller.organizationId}@example.org`
  const invited = await caller.post<invitations.NewInvitation>('invitations/', { email, role: 'viewer' })
  const token = /#(?:token=)?(.+)$/.exec(invited.body.link)?.[1] ?? ''
  const password = 'a long and unusual passphrase'
  const accepted = await post(`invitations/${token}/accept/`, { name: 'Ada', password })
  expect([accepted.status, accepted.text]).toEqual([200, expect.any(String)])
  expect((await post('sign-in/password/', { email, password })).status).toBe(200)
  expect((await post('sign-in/password/', { email, password: 'another passphrase' })).status).toBe(401)
  const entries = () =>
    superuser.query<{ action: string }>(
      `select action, actor_kind, outcome, error_code, object_type from (
         select * from (select organization_id, created_at, action, actor_kind, outcome, error_code, object_type
           from audit_entries) as sealed
         union all select organization_id, created_at, action, actor_kind, outcome, error_code, object_type
           from audit_outbox) as entry
       where organization_id = $1 and action in ('acceptInvitation', 'signIn') order by created_at`,
      [caller.organizationId],
    )
  const success = { outcome: 'success', error_code: null, object_type: 'member' }
  await expect.poll(entries).toEqual([
    { action: 'acceptInvitation', actor_kind: 'person', ...success },
    { action: 'signIn', actor_kind: 'member', ...success },
    { action: 'signIn', actor_kind: 'member', ...success },
    { action: 'signIn', actor_kind: 'member', outcome: 'refused', error_code: 'sign_in_failed', object_type: 'member' },
  ])
})
