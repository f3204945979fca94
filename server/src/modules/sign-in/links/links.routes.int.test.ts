import { randomUUID } from 'node:crypto'
import { type Caller, fastHashing, newAccount, newBrowser, newMember, Superuser, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { describe, expect, it } from 'vitest'

const testApi = await opened(TestApi.open({ ...fastHashing, TRUSTED_PROXY_HOPS: '1' }))
const superuser = await opened(Superuser.open())

type Link = { link: string; id: string }
type Me = {
  person: { name: string; email: string; has_password: boolean }
  session: { method: string }
  memberships: { organization_id: string; role: { id: string; name: string }; member_id: string }[]
}

const textIn = ({ link }: Link) => link.split('#')[1] ?? ''
const password = 'a phrase of several words'

async function invite(backend: Caller, email = `${randomUUID()}@example.org`, role = 'editor') {
  const { body } = await backend.post<Link>('invitations/', { email, role })
  return { email, text: textIn(body), id: body.id }
}

const accept = (text: string, body: object = {}, browser = newBrowser(testApi)) =>
  browser.post<Me>(`invitations/${text}/accept/`, body)

describe('an invitation', () => {
  it('shows who invites to what, without a session', async () => {
    const backend = await testApi.newOrganization()
    const { text, email } = await invite(backend)
    const { status, body } = await newBrowser(testApi).get(`invitations/${text}/`)
    expect(status).toBe(200)
    expect(body).toEqual({
      ...{ organization_name: 'Test', email, role: { id: 'editor', name: 'Editor' }, invited_by: 'Test' },
      ...{ expires_at: expect.stringMatching(/^2/), methods: ['passkey', 'password'], providers: [] },
    })
  })

  it('creates an account, a member and a session', async () => {
    const backend = await testApi.newOrganization()
    const { text, email } = await invite(backend)
    const browser = newBrowser(testApi)
    const { status, body } = await accept(text, { name: 'Grace', password }, browser)
    expect(status).toBe(200)
    expect(body.person).toMatchObject({ name: 'Grace', email, has_password: true })
    expect(body.memberships).toMatchObject([
      { organization_id: backend.organizationId, role: { id: 'editor', name: 'Editor' } },
    ])
    expect((await browser.get(`/api/v1/${backend.organizationId}/assets/`)).status).toBe(200)
    expect((await newBrowser(testApi).post('sign-in/password/', { email, password })).status).toBe(200)
  })

  it('is used once, also by requests at the same time', async () => {
    const { text, email } = await invite(await testApi.newOrganization())
    const answers = await Promise.all([1, 2, 3].map(() => accept(text, { name: 'Grace', password })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404].sort())
    const again = await accept(text, { name: 'Grace', password })
    expect(again.body).toMatchObject({ code: 'invitation_not_found' })
    expect((await newBrowser(testApi).get(`invitations/${text}/`)).status).toBe(404)
    expect(await superuser.query('select id from people.accounts where email = $1', [email])).toHaveLength(1)
  })

  it.each([
    [
      'has expired',
      async (_: Caller, id: string) => superuser.query('update invitations set expires_at = now() where id = $1', [id]),
    ],
    ['was revoked', async (backend: Caller, id: string) => backend.delete(`invitations/${id}/`)],
  ])('that %s creates nothing', async (_, end) => {
    const backend = await testApi.newOrganization()
    const { text, email, id } = await invite(backend)
    await end(backend, id)
    expect((await accept(text, { name: 'Grace', password })).body).toMatchObject({ code: 'invitation_not_found' })
    expect(await superuser.query('select id from people.accounts where email = $1', [email])).toEqual([])
  })

  it.each(['rli_wrong', 'rlk_acme12_abc', `rli_acme12_${'a'.repeat(38)}`])('that is %s is not found', async (text) => {
    expect((await newBrowser(testApi).get(`invitations/${text}/`)).body).toMatchObject({ code: 'invitation_not_found' })
  })

  it('is accepted by the person who is signed in', async () => {
    const account = await newAccount(testApi)
    const browser = newBrowser(testApi)
    await browser.post('sign-in/password/', { email: account.email, password: account.password })
    const backend = await testApi.newOrganization()
    const { text } = await invite(backend)
    const { status, body } = await accept(text, {}, browser)
    expect(status).toBe(200)
    expect(body.memberships).toMatchObject([{ organization_id: backend.organizationId }])
    const [member] = await superuser.query('select issuer, subject, email from members where organization_id = $1', [
      backend.organizationId,
    ])
    expect(member).toEqual({ issuer: 'local', subject: account.id, email: account.email })
  })

  it('is not used up by a refused request', async () => {
    const account = await newAccount(testApi)
    const { text } = await invite(await testApi.newOrganization(), account.email)
    expect((await accept(text)).body).toMatchObject({ code: 'unauthenticated' })
    expect((await accept(text, { name: 'Grace', password: 'short' })).body).toMatchObject({ code: 'invalid_password' })
    expect((await accept(text, { name: 'Grace' })).body).toMatchObject({ code: 'invalid_request' })
    expect((await accept(text, { password })).body).toMatchObject({ code: 'invalid_request' })
    expect((await accept(text, { name: 'Grace', passkey: {} })).body).toMatchObject({ code: 'invalid_passkey' })
    // A person who has the link must sign in to the account of the address.
    expect((await accept(text, { name: 'Grace', password })).body).toMatchObject({ code: 'account_exists' })
    const browser = newBrowser(testApi)
    await browser.post('sign-in/password/', { email: account.email, password: account.password })
    expect((await accept(text, {}, browser)).status).toBe(200)
  })

  it('cannot be accepted by a page of another site', async () => {
    const { text } = await invite(await testApi.newOrganization())
    const headers = { origin: 'https://attacker.example', 'sec-fetch-site': 'cross-site' }
    const answer = await newBrowser(testApi).request(
      'POST',
      `invitations/${text}/accept/`,
      { name: 'A', password },
      headers,
    )
    expect(answer.body).toMatchObject({ code: 'cross_site_request' })
  })
})

describe('a recovery link', () => {
  async function withLink() {
    const backend = await testApi.newOrganization()
    await newMember(superuser, backend)
    const { text, email } = await invite(backend, undefined, 'viewer')
    const browser = newBrowser(testApi)
    const { body: me } = await accept(text, { name: 'Grace', password }, browser)
    const memberId = me.memberships[0]?.member_id ?? ''
    const { body } = await backend.post<Link>(`members/${memberId}/recovery-link/`)
    return { backend, browser, email, text: textIn(body), memberId }
  }

  it('shows whose account it is', async () => {
    const { text, email } = await withLink()
    expect((await newBrowser(testApi).get(`recovery/${text}/`)).body).toEqual({
      ...{ name: 'Grace', email, methods: ['passkey', 'password'] },
    })
  })

  it('sets a new password, signs in, and ends all other sessions', async () => {
    const { text, email, browser } = await withLink()
    const recovered = newBrowser(testApi)
    const answer = await recovered.post<Me>(`recovery/${text}/`, { password: 'another phrase of words' })
    expect(answer.status).toBe(200)
    expect(answer.body.person.email).toBe(email)
    expect((await browser.get('me/')).status).toBe(401)
    expect((await recovered.get('me/')).status).toBe(200)
    expect((await newBrowser(testApi).post('sign-in/password/', { email, password })).status).toBe(401)
  })

  it('is used once', async () => {
    const { text } = await withLink()
    const answers = await Promise.all(
      [1, 2].map((at) => newBrowser(testApi).post(`recovery/${text}/`, { password: `another phrase ${at}${at}` })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404])
    for (const used of [text, 'rlv_wrong']) {
      expect((await newBrowser(testApi).post(`recovery/${used}/`, { password })).body).toMatchObject({
        code: 'recovery_link_not_found',
      })
    }
  })

  it('is not used up by a password that is refused', async () => {
    const { text } = await withLink()
    expect((await newBrowser(testApi).post(`recovery/${text}/`, { password: 'short' })).status).toBe(400)
    expect((await newBrowser(testApi).post(`recovery/${text}/`, {})).status).toBe(400)
    expect((await newBrowser(testApi).post(`recovery/${text}/`, { password })).status).toBe(200)
  })

  it('of an owner is refused once the person belongs to another organization', async () => {
    const { text, browser } = await withLink()
    const other = await invite(await testApi.newOrganization())
    expect((await accept(other.text, {}, browser)).status).toBe(200)
    expect((await newBrowser(testApi).post(`recovery/${text}/`, { password })).status).toBe(404)
    expect((await browser.get('me/')).status).toBe(200)
  })
})
