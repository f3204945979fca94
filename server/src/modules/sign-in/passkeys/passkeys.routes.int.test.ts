import { randomUUID } from 'node:crypto'
import { fastHashing, newAccount, newBrowser, SoftwarePasskey, Superuser, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { describe, expect, it } from 'vitest'

const origin = 'http://localhost:8080'
const settings = { ...fastHashing, TRUSTED_PROXY_HOPS: '1', PUBLIC_URL: origin }
const testApi = await opened(TestApi.open(settings))
const superuser = await opened(Superuser.open())

type Options = { options: { challenge: string; user: { id: string } } }
type Passkey = { id: string; name: string }
type Me = { person: { email: string }; session: { method: string } }

/** A person with a passkey, signed in. */
async function withPasskey() {
  const account = await newAccount(testApi)
  const browser = newBrowser(testApi)
  await browser.post('sign-in/password/', { email: account.email, password: account.password })
  const device = new SoftwarePasskey(origin)
  const { options } = (await browser.post<Options>('me/passkeys/options/')).body
  const response = device.create(options.challenge)
  const added = await browser.post<Passkey>('me/passkeys/', { name: 'Laptop', response })
  return { account, browser, device, added, response }
}

async function challenge(browser = newBrowser(testApi)) {
  const { options } = (await browser.post<Options>('sign-in/passkey/options/')).body
  return { browser, challenge: options.challenge }
}

async function signIn(device: SoftwarePasskey, change: Parameters<SoftwarePasskey['sign']>[1] = {}) {
  const { browser, challenge: value } = await challenge()
  return browser.post<Me>('sign-in/passkey/', { response: device.sign(value, change) })
}

describe('a passkey', () => {
  it('signs its owner in without an address', async () => {
    const { account, device, added } = await withPasskey()
    expect(added.status).toBe(201)
    const { status, body } = await signIn(device)
    expect(status).toBe(200)
    expect(body).toMatchObject({ person: { email: account.email }, session: { method: 'passkey' } })
  })

  it('works while the password is locked', async () => {
    const { account, device } = await withPasskey()
    for (let at = 0; at < 12; at++) {
      await newBrowser(testApi).post('sign-in/password/', { email: account.email, password: `wrong ${at}` })
    }
    const { email, password } = account
    expect((await newBrowser(testApi).post('sign-in/password/', { email, password })).status).toBe(401)
    expect((await signIn(device)).status).toBe(200)
  })

  it('works in a network from which passwords are guessed', async () => {
    const address = '198.51.100.77'
    const { device } = await withPasskey()
    const guesses = await Promise.all(
      Array.from({ length: 130 }, (_, at) =>
        newBrowser(testApi, address).post('sign-in/password/', {
          email: `victim-${at}@example.org`,
          password: 'wrong',
        }),
      ),
    )
    expect(guesses.map(({ status }) => status)).toContain(429)
    const { browser, challenge: value } = await challenge(newBrowser(testApi, address))
    expect((await browser.post('sign-in/passkey/', { response: device.sign(value) })).status).toBe(200)
  })

  it.each([
    ['for another origin', { origin: 'https://attacker.example' }],
    ['for another host', { host: 'attacker.example' }],
    ['with a counter that does not grow', { counter: 0 }],
    ['without user verification', { flags: 0x01 }],
    ['with a wrong signature', { isForged: true }],
  ])('is refused %s', async (_, change) => {
    const { device } = await withPasskey()
    expect((await signIn(device)).status).toBe(200)
    expect((await signIn(device, change)).body).toMatchObject({ code: 'sign_in_failed' })
    expect((await signIn(device)).status).toBe(200)
  })

  it('that is unknown is refused', async () => {
    expect((await signIn(new SoftwarePasskey(origin))).status).toBe(401)
  })
})

describe('the challenge of a passkey', () => {
  it('is used once, also by requests at the same time', async () => {
    const { device } = await withPasskey()
    const { browser, challenge: value } = await challenge()
    const response = device.sign(value)
    const answers = await Promise.all([1, 2].map(() => browser.post('sign-in/passkey/', { response })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401])
  })

  it('belongs to one browser', async () => {
    const { device } = await withPasskey()
    const { challenge: value } = await challenge()
    const response = device.sign(value)
    expect((await newBrowser(testApi).post('sign-in/passkey/', { response })).status).toBe(401)
    const { browser } = await challenge()
    expect((await browser.post('sign-in/passkey/', { response })).status).toBe(401)
  })

  it('expires', async () => {
    const { device } = await withPasskey()
    const { browser, challenge: value } = await challenge()
    await superuser.query('update people.challenges set expires_at = now()')
    expect((await browser.post('sign-in/passkey/', { response: device.sign(value) })).status).toBe(401)
  })

  it('must be ours', async () => {
    const { device } = await withPasskey()
    const { browser } = await challenge()
    const response = device.sign(Buffer.alloc(32).toString('base64url'))
    expect((await browser.post('sign-in/passkey/', { response })).status).toBe(401)
    expect((await browser.post('sign-in/passkey/', { response: {} })).status).toBe(401)
  })
})

describe('the passkeys of an account', () => {
  it('cannot be added twice, or with the challenge of another account', async () => {
    const { browser, response } = await withPasskey()
    expect((await browser.post('me/passkeys/', { name: 'Again', response })).body).toMatchObject({
      code: 'invalid_passkey',
    })
    const other = await withPasskey()
    const { options } = (await browser.post<Options>('me/passkeys/options/')).body
    const created = new SoftwarePasskey(origin).create(options.challenge)
    for (const [name, value] of browser.cookies) {
      if (name === '__Host-reelkeep-browser') other.browser.cookies.set(name, value)
    }
    expect((await other.browser.post('me/passkeys/', { name: 'Mine', response: created })).status).toBe(400)
  })

  it('are listed and removed by their owner only', async () => {
    const { browser, added, device } = await withPasskey()
    const other = await withPasskey()
    expect((await browser.get('me/passkeys/')).body).toMatchObject({
      results: [{ name: 'Laptop', last_used_at: null }],
    })
    const path = `me/passkeys/${added.body.id}/`
    expect((await other.browser.delete(path)).body).toMatchObject({ code: 'passkey_not_found' })
    expect((await browser.delete(path)).status).toBe(204)
    expect((await signIn(device)).status).toBe(401)
  })

  it('keep the last way to sign in', async () => {
    const { account, browser, added } = await withPasskey()
    await superuser.query('update people.accounts set password_hash = null where id = $1', [account.id])
    expect((await browser.delete(`me/passkeys/${added.body.id}/`)).body).toMatchObject({ code: 'last_sign_in_method' })
  })
})

describe('an invitation', () => {
  it('is accepted with a passkey, and a recovery link adds another one', async () => {
    const backend = await testApi.newOrganization()
    const email = `${randomUUID()}@example.org`
    const invited = await backend.post<{ link: string }>('invitations/', { email, role: 'viewer' })
    const path = `invitations/${invited.body.link.split('#')[1]}/`
    const browser = newBrowser(testApi)
    const { options } = (await browser.post<Options>(`${path}passkey-options/`, { name: 'Grace' })).body
    const first = new SoftwarePasskey(origin)
    const passkey = first.create(options.challenge)
    type Joined = Me & { memberships: { member_id: string }[] }
    const accepted = await browser.post<Joined>(`${path}accept/`, { name: 'Grace', passkey })
    expect(accepted.body).toMatchObject({ person: { email }, session: { method: 'passkey' } })
    expect((await signIn(first)).status).toBe(200)

    const memberId = accepted.body.memberships[0]?.member_id
    const link = await backend.post<{ link: string }>(`members/${memberId}/recovery-link/`)
    const recovery = `recovery/${link.body.link.split('#')[1]}/`
    const other = newBrowser(testApi)
    const again = (await other.post<Options>(`${recovery}passkey-options/`)).body
    const second = new SoftwarePasskey(origin)
    expect((await other.post(recovery, { passkey: second.create(again.options.challenge) })).status).toBe(200)
    expect((await browser.get('me/')).status).toBe(401)
    expect((await signIn(second)).status).toBe(200)
  })
})
