import { fastHashing, type LocalAccount, newAccount, newBrowser, Superuser, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { describe, expect, it } from 'vitest'

const settings = { ...fastHashing, TRUSTED_PROXY_HOPS: '1' }
const testApi = await opened(TestApi.open(settings))
const superuser = await opened(Superuser.open())

const SESSION = '__Host-reelkeep-session'

type Me = {
  person: { name: string; email: string; has_password: boolean; has_totp: boolean }
  session: { id: string; method: string; authenticated_at: string }
  memberships: { organization_id: string; role: { id: string; name: string } }[]
}

const credentials = ({ email, password }: LocalAccount) => ({ email, password })

async function signedIn(account?: LocalAccount) {
  const person = account ?? (await newAccount(testApi))
  const browser = newBrowser(testApi)
  const { body } = await browser.post<Me>('sign-in/password/', credentials(person))
  return { browser, account: person, me: body }
}

const sessionsOf = async ({ id }: LocalAccount) =>
  (await superuser.query('select id from people.sessions where subject = $1', [id])).map(({ id }) => id)

const ageSignIn = ({ session }: Me) =>
  superuser.query(`update people.sessions set authenticated_at = now() - interval '11 minutes' where id = $1`, [
    session.id,
  ])

describe('GET sign-in/', () => {
  it('lists the allowed methods', async () => {
    const { body } = await newBrowser(testApi).get('sign-in/')
    expect(body).toEqual({ methods: ['passkey', 'password'], providers: [] })
  })
})

describe('a session', () => {
  it('has a cookie that scripts and other sites cannot read', async () => {
    const account = await newAccount(testApi)
    const answer = await newBrowser(testApi).post('sign-in/password/', credentials(account))
    expect(answer.status).toBe(200)
    expect(answer.headers['set-cookie']).toMatch(
      /^__Host-reelkeep-session=rls_[\w-]{43}; Max-Age=1209600; Path=\/; Secure; HttpOnly; SameSite=Lax$/,
    )
    expect(answer.headers['cache-control']).toBe('no-store')
  })

  it('is stored as a hash', async () => {
    const { browser, account } = await signedIn()
    const rows = await superuser.query('select s::text as row from people.sessions s where subject = $1', [account.id])
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain(browser.cookies.get(SESSION)?.slice(4) ?? 'none')
  })

  it('shows the person with their organizations', async () => {
    const account = await newAccount(testApi, { name: 'Grace' })
    const organization = await testApi.newOrganization()
    await superuser.query(
      `insert into tokens (organization_id, id, name, kind, scopes) values ($1, $2, 'Grace', 'member', '{assets:read}')`,
      [organization.organizationId, account.id],
    )
    await superuser.query(
      `insert into members (organization_id, id, issuer, subject, role) values ($1, $2, 'local', $3, 'viewer')`,
      [organization.organizationId, account.id, account.id],
    )
    const { browser } = await signedIn(account)
    const { body } = await browser.get<Me>('me/')
    expect(body.person).toEqual({
      ...{ issuer: 'local', is_local: true, name: 'Grace', email: account.email },
      ...{ has_password: true, has_totp: false },
    })
    expect(body.memberships).toEqual([
      {
        ...{ organization_id: organization.organizationId, organization_name: 'Test', member_id: account.id },
        ...{ role: { id: 'viewer', name: 'Viewer' }, scopes: ['assets:read'], folder_uuid: null },
        ...{ default_resolutions: null, default_content_protection_type: 'disable' },
      },
    ])
    const path = `/api/v1/${organization.organizationId}/assets/`
    expect((await browser.get(path)).status).toBe(200)
  })

  it('shows the name of a custom role, and no organization that the person cannot use', async () => {
    const { browser, account } = await signedIn()
    const join = async (role = 'viewer') => {
      const caller = await testApi.newOrganization()
      const member = [caller.organizationId, account.id]
      await superuser.query(
        `insert into tokens (organization_id, id, name, kind, scopes) values ($1, $2, 'Ada', 'member', '{assets:read}')`,
        member,
      )
      await superuser.query(
        `insert into members (organization_id, id, issuer, subject, role) values ($1, $2, 'local', $3, $4)`,
        [...member, account.id, role],
      )
      return caller
    }
    const [used, expired, moved] = [await join(), await join(), await join()]
    const { id } = (await used.post<{ id: string }>('roles/', { name: 'Subtitler', scopes: ['assets:read'] })).body
    await superuser.query('update members set role = $2 where organization_id = $1', [used.organizationId, id])
    await superuser.query(`update tokens set expires_at = now() where organization_id = $1 and kind = 'member'`, [
      expired.organizationId,
    ])
    await superuser.query(`insert into held_organizations (organization_id, why) values ($1, 'gone')`, [
      moved.organizationId,
    ])
    const { memberships } = (await browser.get<Me>('me/')).body
    expect(memberships).toMatchObject([{ organization_id: used.organizationId, role: { id, name: 'Subtitler' } }])
  })

  it('gets a new secret at every sign-in, so that a planted cookie gives no access', async () => {
    const account = await newAccount(testApi)
    const browser = newBrowser(testApi)
    const planted = `rls_${'a'.repeat(43)}`
    browser.cookies.set(SESSION, planted)
    await browser.post('sign-in/password/', credentials(account))
    const first = browser.cookies.get(SESSION)
    expect(first).not.toBe(planted)
    await browser.post('sign-in/password/', credentials(account))
    expect(browser.cookies.get(SESSION)).not.toBe(first)
    // The earlier session has ended.
    expect(await sessionsOf(account)).toHaveLength(1)
    for (const old of [planted, first ?? '']) {
      browser.cookies.set(SESSION, old)
      expect((await browser.get('me/')).status).toBe(401)
    }
  })

  it('ends with sign-out', async () => {
    const { browser, account } = await signedIn()
    const text = browser.cookies.get(SESSION) ?? ''
    const answer = await browser.post('sign-out/')
    expect(answer.status).toBe(204)
    expect(browser.cookies.has(SESSION)).toBe(false)
    expect(await sessionsOf(account)).toEqual([])
    browser.cookies.set(SESSION, text)
    expect((await browser.get('me/')).body).toMatchObject({ code: 'unauthenticated' })
  })

  it('needs to be one: sign-out without a session succeeds', async () => {
    expect((await newBrowser(testApi).post('sign-out/')).status).toBe(204)
  })

  it('can be listed and ended by its owner only', async () => {
    const { browser, account } = await signedIn()
    const other = await signedIn(account)
    const stranger = await signedIn()
    type List = { results: { id: string; is_current: boolean; user_agent: string; address: string }[] }
    const { results } = (await browser.get<List>('me/sessions/')).body
    expect(results).toHaveLength(2)
    expect(results.filter(({ is_current }) => is_current)).toHaveLength(1)
    expect(results[0]).toMatchObject({ user_agent: 'TestBrowser/1.0', method: 'password' })
    const id = other.me.session.id
    expect((await stranger.browser.delete(`me/sessions/${id}/`)).body).toMatchObject({ code: 'session_not_found' })
    expect((await browser.delete(`me/sessions/${id}/`)).status).toBe(204)
    expect((await other.browser.get('me/')).status).toBe(401)
    expect((await browser.delete(`me/sessions/${id}/`)).status).toBe(404)
    expect((await browser.delete('me/sessions/no-id/')).status).toBe(404)
    expect((await browser.get('me/')).status).toBe(200)
  })

  it('can end all others', async () => {
    const { browser, account } = await signedIn()
    const other = await signedIn(account)
    expect((await browser.delete('me/sessions/')).status).toBe(204)
    expect((await other.browser.get('me/')).status).toBe(401)
    expect((await browser.get('me/')).status).toBe(200)
  })

  it('of which a person has the newest hundred', async () => {
    const account = await newAccount(testApi)
    await superuser.query(
      `insert into people.sessions (id, secret_hash, issuer, subject, expires_at, last_used_at)
       select gen_random_uuid(), sha256(n::text::bytea || $1::text::bytea), 'local', $1, now() + interval '1 day',
         now() - interval '1 hour' from generate_series(1, 150) n`,
      [account.id],
    )
    await signedIn(account)
    expect(await sessionsOf(account)).toHaveLength(100)
  })
})

describe('a request from another site', () => {
  it.each([
    ['from another origin', { origin: 'https://attacker.example', 'sec-fetch-site': 'cross-site' }],
    ['from another origin that claims to be ours', { origin: 'https://attacker.example' }],
    ['from a sibling site', { 'sec-fetch-site': 'same-site' }],
    ['without any origin', { origin: '', 'sec-fetch-site': 'none' }],
  ])('cannot sign a browser in or out: %s', async (_, headers) => {
    const { browser, account } = await signedIn()
    for (const [path, body] of [
      ['sign-in/password/', credentials(account)],
      ['sign-out/', undefined],
    ] as const) {
      const answer = await browser.request('POST', path, body, headers)
      expect(answer.status).toBe(403)
      expect(answer.body).toMatchObject({ code: 'cross_site_request' })
      expect(answer.headers['set-cookie']).toBeUndefined()
    }
    expect((await browser.get('me/')).status).toBe(200)
  })

  it('gets no permission to read responses with a cookie', async () => {
    const { browser } = await signedIn()
    const answer = await browser.request('GET', 'me/', undefined, { origin: 'https://attacker.example' })
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined()
    expect(answer.headers['access-control-allow-origin']).toBeUndefined()
  })
})

describe('a change of the own account', () => {
  it('needs a recent sign-in, and signing in again is one', async () => {
    const { browser, account, me } = await signedIn()
    await ageSignIn(me)
    const change = { password: 'another long phrase' }
    expect((await browser.put('me/password/', change)).body).toMatchObject({ code: 'recent_sign_in_required' })
    await browser.post('sign-in/password/', credentials(account))
    expect((await browser.put('me/password/', change)).status).toBe(204)
  })

  it('to a new password ends the other sessions and the old password', async () => {
    const { browser, account } = await signedIn()
    const other = await signedIn(account)
    const password = 'another long phrase'
    expect((await browser.put('me/password/', { password })).status).toBe(204)
    expect((await other.browser.get('me/')).status).toBe(401)
    expect((await browser.get('me/')).status).toBe(200)
    expect((await newBrowser(testApi).post('sign-in/password/', credentials(account))).status).toBe(401)
    expect((await signedIn({ ...account, password })).me.person.email).toBe(account.email)
  })

  it.each([
    ['short', 'elevenchars'],
    ['common', 'Leavemealone'],
    ['a pattern', 'abababababababab'],
    ['too long', 'long phrase '.repeat(100)],
  ])('to a password that is %s is refused', async (_, password) => {
    const { browser } = await signedIn()
    expect((await browser.put('me/password/', { password })).body).toMatchObject({
      code: 'invalid_password',
      errors: [{ field: 'password' }],
    })
  })

  it('is refused for a person of an identity provider', async () => {
    const { browser, me } = await signedIn()
    await superuser.query(`update people.sessions set issuer = 'https://id.example' where id = $1`, [me.session.id])
    expect((await browser.put('me/password/', { password: 'another long phrase' })).body).toMatchObject({
      code: 'not_a_local_account',
    })
  })
})
