/** Changes of a person's account, and refused requests of a session, are in the logs of the person's organizations. */
import type { invitations } from '@reelkeep/contract'
import { codeOfStep, fromBase32 } from '@reelkeep/server/modules/sign-in/passwords/totp.ts'
import {
  type Caller,
  fastHashing,
  newAccount,
  newBrowser,
  newMember,
  SoftwarePasskey,
  Superuser,
  TestApi,
  type TestBrowser,
} from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { describe, expect, it } from 'vitest'
import { entriesOf } from './audited.ts'

const origin = 'http://localhost:8080'
const superuser = await opened(Superuser.open())
const testApi = await opened(TestApi.open({ ...fastHashing, TRUSTED_PROXY_HOPS: '1', PUBLIC_URL: origin }))

/** A person who has signed in and belongs to two organizations. */
async function personInTwo() {
  const account = await newAccount(testApi)
  const browser = newBrowser(testApi)
  await browser.post('sign-in/password/', { email: account.email, password: account.password })
  const callers = [await testApi.newOrganization(), await testApi.newOrganization()]
  for (const caller of callers) {
    const { email } = account
    const invited = await caller.post<invitations.NewInvitation>('invitations/', { email, role: 'viewer' })
    await browser.post(`invitations/${invited.body.link.split('#')[1]}/accept/`, {})
  }
  return { account, browser, callers }
}

type Answer = Awaited<ReturnType<TestBrowser['post']>>

/** Expects one entry of the member in each organization. */
async function expectEntries(answer: Answer, callers: readonly Caller[], entry: object): Promise<void> {
  const entries = await entriesOf(superuser, answer)
  expect(entries).toHaveLength(callers.length)
  const members = await superuser.query<{ id: string }>('select id from members where organization_id = any($1)', [
    callers.map(({ organizationId }) => organizationId),
  ])
  expect(entries.map(({ actor_id }) => actor_id).sort()).toEqual(members.map(({ id }) => id).sort())
  for (const found of entries) expect(found).toMatchObject({ actor_kind: 'member', object_type: 'member', ...entry })
}

const success = { outcome: 'success', error_code: null }

describe('a change of an account', () => {
  it('has an entry in every organization of the person: password, passkeys, one-time codes, sessions', async () => {
    const { browser, callers } = await personInTwo()
    const password = 'another phrase of several words'
    const changed = await browser.put('me/password/', { password })
    expect(changed.status).toBe(204)
    await expectEntries(changed, callers, { action: 'setOwnPassword', ...success })

    const device = new SoftwarePasskey(origin)
    const { body } = await browser.post<{ options: { challenge: string } }>('me/passkeys/options/')
    const response = device.create(body.options.challenge)
    const added = await browser.post<{ id: string } & Answer['body']>('me/passkeys/', { name: 'Laptop', response })
    expect(added.status).toBe(201)
    await expectEntries(added, callers, { action: 'addPasskey', ...success })
    const removed = await browser.delete(`me/passkeys/${added.body.id}/`)
    await expectEntries(removed, callers, { action: 'removePasskey', ...success })

    const { secret } = (await browser.post<{ secret: string }>('me/totp/')).body
    const code = codeOfStep(fromBase32(secret) ?? Buffer.alloc(0), Math.floor(Date.now() / 30_000))
    await expectEntries(await browser.put('me/totp/', { secret, code }), callers, { action: 'enableTotp', ...success })
    await expectEntries(await browser.delete('me/totp/'), callers, { action: 'disableTotp', ...success })
    const ended = await browser.delete('me/sessions/')
    await expectEntries(ended, callers, { action: 'endOtherSessions', ...success })
    await expectEntries(await browser.post('sign-out/'), callers, { action: 'signOut', ...success })
  })

  it('that fails has no entry', async () => {
    const { browser } = await personInTwo()
    const short = await browser.put('me/password/', { password: 'short' })
    expect(short.body).toMatchObject({ code: 'invalid_password' })
    expect(await entriesOf(superuser, short)).toEqual([])
    const unknown = await browser.delete('me/passkeys/00000000-0000-4000-8000-000000000000/')
    expect(unknown.status).toBe(404)
    expect(await entriesOf(superuser, unknown)).toEqual([])
  })

  it('that needs a recent sign-in has an entry about the refusal', async () => {
    const { account, browser, callers } = await personInTwo()
    await superuser.query(
      `update people.sessions set authenticated_at = now() - interval '1 hour' where subject = $1`,
      [account.id],
    )
    const refused = await browser.put('me/password/', { password: 'another phrase of several words' })
    expect(refused.status).toBe(403)
    const entry = { action: 'setOwnPassword', outcome: 'refused', error_code: 'recent_sign_in_required' }
    await expectEntries(refused, callers, entry)
  })
})

describe('a request with a session from another site', () => {
  const elsewhere = { origin: 'https://attacker.example', 'sec-fetch-site': 'cross-site' }

  it('to change the account has an entry in every organization of the person', async () => {
    const { browser, callers } = await personInTwo()
    const refused = await browser.request('POST', 'sign-out/', undefined, elsewhere)
    expect(refused.status).toBe(403)
    const entry = { action: 'signOut', outcome: 'refused', error_code: 'cross_site_request' }
    await expectEntries(refused, callers, entry)
    expect((await browser.get('me/')).status).toBe(200)
  })

  it('to change the organization has an entry of the member', async () => {
    const backend = await testApi.newOrganization()
    const member = await newMember(superuser, backend)
    const refused = await member.caller.post('assets/folders/', { title: 'Talks' }, elsewhere)
    expect(refused.status).toBe(403)
    expect(await entriesOf(superuser, refused)).toMatchObject([
      {
        ...{ actor_kind: 'member', actor_id: member.id, action: 'createFolder' },
        ...{ outcome: 'refused', error_code: 'cross_site_request' },
      },
    ])
  })

  it('without a valid session has no entry', async () => {
    const refused = await newBrowser(testApi).request('POST', 'sign-out/', undefined, elsewhere)
    expect(refused.status).toBe(403)
    expect(await entriesOf(superuser, refused)).toEqual([])
  })
})
