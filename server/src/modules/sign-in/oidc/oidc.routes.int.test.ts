import { randomUUID } from 'node:crypto'
import { newBrowser, Superuser, TestApi, type TestBrowser } from '@reelkeep/testkit'
import { IdentityProvider } from '@reelkeep/testkit/identity-provider'
import { opened } from '@reelkeep/testkit/vitest'
import { describe, expect, it } from 'vitest'

const origin = 'http://127.0.0.1:8080'
const callback = (id: string) => `${origin}/api/account/sign-in/oidc/${id}/callback`

const provider = await opened(
  IdentityProvider.start({
    redirectUris: [callback('corp'), callback('twin')],
    claims: { ann: { name: 'Ann Smith', email: 'ann@corp.example' } },
  }),
)

const configured = (id: string, other: object = {}) => ({
  ...{ id, name: 'Corporation', issuer: provider.issuer },
  ...{ client_id: provider.clientId, client_secret: provider.clientSecret, ...other },
})

const settings = {
  PUBLIC_URL: origin,
  TRUSTED_PROXY_HOPS: '1',
  OIDC_NETWORKS: '127.0.0.0/8:*',
  OIDC_PROVIDERS: JSON.stringify([configured('corp'), configured('twin')]),
}
const testApi = await opened(TestApi.open(settings))
const superuser = await opened(Superuser.open())

const SESSION = '__Host-reelkeep-session'

/** Makes the person a member of a new organization. */
async function join(subject: string): Promise<string> {
  const { organizationId } = await testApi.newOrganization()
  const id = randomUUID()
  await superuser.query(
    `insert into tokens (organization_id, id, name, kind, scopes) values ($1, $2, 'Ann', 'member', '{assets:read}')`,
    [organizationId, id],
  )
  await superuser.query(
    `insert into members (organization_id, id, issuer, subject, role) values ($1, $2, $3, $4, 'viewer')`,
    [organizationId, id, provider.issuer, subject],
  )
  return organizationId
}

/** Begins a sign-in; returns the URL at the provider. */
async function begin(browser: TestBrowser, query = '', id = 'corp'): Promise<string> {
  const { status, headers } = await browser.get(`sign-in/oidc/${id}/${query}`)
  expect(status).toBe(303)
  return headers['location'] ?? ''
}

const pathOf = (url: string) => {
  const { pathname, search } = new URL(url)
  return pathname + search
}

/** Signs a new person in at the provider. Returns the browser and the path of the callback. */
async function atCallback(query = '', id = 'corp') {
  const subject = `ann-${randomUUID()}`
  const organizationId = await join(subject)
  const browser = newBrowser(testApi)
  const atProvider = provider.newBrowser()
  const back = await atProvider.signIn(await begin(browser, query, id), subject)
  return { subject, organizationId, browser, atProvider, path: pathOf(back) }
}

const FAILED = { status: 303, location: '/sign-in?error=sign_in_failed' }

async function complete(browser: TestBrowser, path: string) {
  const { status, headers } = await browser.get(path)
  return { status, location: headers['location'] }
}

describe('signing in at an identity provider', () => {
  it('starts a session and goes back to the page', async () => {
    const { browser, path, organizationId, subject } = await atCallback('?return_to=/library%3Fa=b')
    expect(await complete(browser, path)).toEqual({ status: 303, location: '/library?a=b' })
    const { body } = await browser.get<{ person: object; session: object; memberships: object[] }>('me/')
    expect(body.person).toMatchObject({ issuer: provider.issuer, is_local: false, name: 'Ann', has_password: false })
    expect(body.session).toMatchObject({ method: 'oidc' })
    expect(body.memberships).toMatchObject([{ organization_id: organizationId, role: { id: 'viewer' } }])
    expect((await browser.get(`/api/v1/${organizationId}/assets/`)).status).toBe(200)
    const [row] = await superuser.query('select provider_session from people.sessions where subject = $1', [subject])
    expect(row).toMatchObject({ provider_session: expect.stringMatching(/.{10,}/) })
  })

  it('asks for a code with PKCE, state and nonce', async () => {
    const url = new URL(await begin(newBrowser(testApi)))
    const parameters = Object.fromEntries(url.searchParams)
    expect(parameters).toMatchObject({
      ...{ response_type: 'code', client_id: 'reelkeep', redirect_uri: callback('corp') },
      ...{ scope: 'openid email profile', code_challenge_method: 'S256' },
    })
    for (const name of ['state', 'nonce', 'code_challenge']) expect(parameters[name]).toMatch(/^[\w-]{43}$/)
    expect(parameters).not.toHaveProperty('prompt')
  })

  it('asks for the password again if the person is signed in', async () => {
    const { browser, path } = await atCallback()
    expect(await complete(browser, path)).toEqual({ status: 303, location: '/' })
    expect(new URL(await begin(browser)).searchParams.get('prompt')).toBe('login')
  })

  it('does not lead to another site', async () => {
    const { browser, path } = await atCallback('?return_to=//attacker.example')
    expect(await complete(browser, path)).toEqual({ status: 303, location: '/' })
  })

  it('is listed with its name', async () => {
    expect((await newBrowser(testApi).get('sign-in/')).body).toMatchObject({
      methods: ['passkey', 'password', 'oidc'],
      providers: [
        { id: 'corp', name: 'Corporation' },
        { id: 'twin', name: 'Corporation' },
      ],
    })
  })

  it('is refused for a person who belongs to no organization', async () => {
    const browser = newBrowser(testApi)
    const back = await provider.newBrowser().signIn(await begin(browser), `stranger-${randomUUID()}`)
    expect(await complete(browser, pathOf(back))).toEqual({ status: 303, location: '/sign-in?error=not_a_member' })
    expect(browser.cookies.has(SESSION)).toBe(false)
  })
})

describe('a callback is refused', () => {
  it('if it is replayed, with or without a new state', async () => {
    const { browser, path } = await atCallback()
    expect((await complete(browser, path)).location).toBe('/')
    expect(await complete(browser, path)).toEqual(FAILED)
    const state = new URL(await begin(browser)).searchParams.get('state') ?? ''
    expect(await complete(browser, path.replace(/state=[^&]*/, `state=${state}`))).toEqual(FAILED)
  })

  it('once of two that arrive at the same time', async () => {
    const { browser, path } = await atCallback()
    const both = await Promise.all([complete(browser, path), complete(browser, path)])
    expect(both.map(({ location }) => location).sort()).toEqual(['/', FAILED.location])
  })

  it.each([
    ['another state', (path: string) => path.replace(/state=[^&]*/, `state=${'a'.repeat(43)}`)],
    ['no state', (path: string) => path.replace(/state=[^&]*/, '')],
    ['two states', (path: string) => `${path}&state=b`],
    ['another code', (path: string) => path.replace(/code=[^&]*/, 'code=wrong')],
    ['another issuer', (path: string) => path.replace(/iss=[^&]*/, 'iss=https%3A%2F%2Fattacker.example')],
    ['an error', (path: string) => path.replace(/code=[^&]*/, 'error=access_denied')],
    ['the URL of another provider', (path: string) => path.replace('/corp/', '/twin/')],
  ])('with %s', async (_, change) => {
    const { browser, path } = await atCallback()
    expect(await complete(browser, change(path))).toEqual(FAILED)
    expect(browser.cookies.has(SESSION)).toBe(false)
  })

  it.each([
    ['nonce', 'the ID token was issued for another sign-in'],
    ['codeVerifier', 'the code was issued for another sign-in'],
  ])('with another %s: %s', async (field) => {
    const { browser, path } = await atCallback()
    await superuser.query(`update people.challenges set content = content || jsonb_build_object($1::text, $2::text)`, [
      field,
      'b'.repeat(43),
    ])
    expect(await complete(browser, path)).toEqual(FAILED)
  })

  it('in another browser, so that a link of an attacker signs no other person in', async () => {
    const { path } = await atCallback()
    const victim = newBrowser(testApi)
    expect(await complete(victim, path)).toEqual(FAILED)
    const other = await atCallback()
    victim.cookies.set('__Host-reelkeep-browser', 'a'.repeat(43))
    expect(await complete(victim, other.path)).toEqual(FAILED)
    expect(await complete(other.browser, other.path)).toEqual({ status: 303, location: '/' })
  })

  it('after ten minutes', async () => {
    const { browser, path } = await atCallback()
    await superuser.query('update people.challenges set expires_at = now()')
    expect(await complete(browser, path)).toEqual(FAILED)
  })
})

describe('an identity provider', () => {
  it('that is not configured does not exist', async () => {
    expect((await newBrowser(testApi).get('sign-in/oidc/other/')).body).toMatchObject({ code: 'not_found' })
  })

  it('is not used if the operator has disabled it', async () => {
    await using other = await TestApi.open({ ...settings, SIGN_IN: 'passkey,password' })
    const answer = await newBrowser(other).get('sign-in/oidc/corp/')
    expect(answer.body).toMatchObject({ code: 'sign_in_method_disabled' })
    expect((await newBrowser(other).get('sign-in/')).body).toMatchObject({ providers: [] })
  })

  it('in a network that is not allowed is not contacted', async () => {
    await using other = await TestApi.open({ ...settings, OIDC_NETWORKS: '10.0.0.0/8:443' })
    expect(await begin(newBrowser(other))).toBe('/sign-in?error=sign_in_failed')
  })
})

describe('joining an organization at the identity provider', () => {
  it('accepts an invitation, once', async () => {
    const backend = await testApi.newOrganization()
    const { body } = await backend.post<{ link: string }>('invitations/', { email: 'a@example.org', role: 'editor' })
    const invitation = body.link.split('#')[1] ?? ''
    const subject = `bob-${randomUUID()}`
    const browser = newBrowser(testApi)
    const accept = async (as: string, from: TestBrowser) => {
      const url = await begin(from, `?invitation=${invitation}`)
      expect(url).not.toContain(invitation)
      return complete(from, pathOf(await provider.newBrowser().signIn(url, as)))
    }
    expect(await accept(subject, browser)).toEqual({ status: 303, location: '/' })
    const { memberships } = (await browser.get<{ memberships: object[] }>('me/')).body
    expect(memberships).toMatchObject([{ organization_id: backend.organizationId, role: { id: 'editor' } }])
    const [member] = await superuser.query('select issuer, subject, email from members where organization_id = $1', [
      backend.organizationId,
    ])
    expect(member).toEqual({ issuer: provider.issuer, subject, email: `${subject}@example.org` })
    expect(await accept(`eve-${randomUUID()}`, newBrowser(testApi))).toEqual({
      ...{ status: 303, location: '/sign-in?error=invitation_invalid' },
    })
  })

  it('makes people members with the role of their groups, and keeps a removed person out', async () => {
    const { organizationId } = await testApi.newOrganization()
    const groups = { claim: 'groups', values: { video: 'editor', staff: 'viewer' } }
    await using own = await IdentityProvider.start({
      redirectUris: [callback('jit')],
      claims: { carl: { groups: ['staff', 'video'] }, dora: { groups: ['other'] } },
    })
    const jit = {
      ...{ id: 'jit', name: 'Own', issuer: own.issuer, client_id: own.clientId, client_secret: own.clientSecret },
      ...{ scopes: 'openid profile groups', roles: groups, just_in_time: { organization_id: organizationId } },
    }
    await using api = await TestApi.open({ ...settings, OIDC_PROVIDERS: JSON.stringify([jit]) })
    const signIn = async (login: string) => {
      const browser = newBrowser(api)
      const answer = await complete(
        browser,
        pathOf(await own.newBrowser().signIn(await begin(browser, '', 'jit'), login)),
      )
      return answer.location
    }
    const roleOf = async (login: string) =>
      (await superuser.query('select role from members where subject = $1 and removed_at is null', [login]))[0]?.[
        'role'
      ]
    expect(await signIn('carl')).toBe('/')
    expect(await roleOf('carl')).toBe('editor')
    // Without a mapped role and without a default role, no person joins.
    expect(await signIn('dora')).toBe('/sign-in?error=not_a_member')
    await superuser.query(`update members set role = 'viewer' where subject = 'carl'`)
    expect(await signIn('carl')).toBe('/')
    expect(await roleOf('carl')).toBe('editor')
    await superuser.query(`update members set removed_at = now() where subject = 'carl'`)
    expect(await signIn('carl')).toBe('/sign-in?error=not_a_member')
  })
})

describe('signing out at the identity provider', () => {
  const logOut = (token: string, id = 'corp') =>
    testApi.send({
      ...{ method: 'POST', path: `/api/account/sign-in/oidc/${id}/back-channel-logout/` },
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': '10.9.9.9' },
      body: new URLSearchParams({ logout_token: token }).toString(),
    })

  const signedInAndOut = async () => {
    const person = await atCallback()
    await complete(person.browser, person.path)
    const before = provider.logoutTokens.length
    await person.atProvider.signOut()
    await expect.poll(() => provider.logoutTokens.length).toBe(before + 1)
    return { ...person, token: provider.logoutTokens[before] ?? '' }
  }

  it('ends the session here, and no other one', async () => {
    const other = await atCallback()
    await complete(other.browser, other.path)
    const { browser, token } = await signedInAndOut()
    expect((await browser.get('me/')).status).toBe(200)
    expect((await logOut(token)).status).toBe(200)
    expect((await browser.get('me/')).status).toBe(401)
    expect((await other.browser.get('me/')).status).toBe(200)
  })

  it('is reported once: a logout token cannot be used again', async () => {
    const { token } = await signedInAndOut()
    expect((await logOut(token)).status).toBe(200)
    expect((await logOut(token)).status).toBe(400)
  })

  it('is refused with a token that is changed or missing', async () => {
    const { browser, token } = await signedInAndOut()
    const [header = '', payload = '', signature = ''] = token.split('.')
    const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object
    const changed = Buffer.from(JSON.stringify({ ...claims, jti: 'other' })).toString('base64url')
    for (const wrong of ['', 'a.b.c', unsigned, `${header}.${changed}.${signature}`]) {
      expect((await logOut(wrong)).status).toBe(400)
    }
    expect((await browser.get('me/')).status).toBe(200)
  })
})
