import { fastHashing, type LocalAccount, newAccount, newBrowser, Superuser, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { describe, expect, it } from 'vitest'
import { codeOfStep, fromBase32 } from './totp.ts'

const settings = { ...fastHashing, TRUSTED_PROXY_HOPS: '1', SIGN_IN_REQUESTS_PER_MINUTE: '100000' }
const testApi = await opened(TestApi.open(settings))
const superuser = await opened(Superuser.open())

const credentials = ({ email, password }: LocalAccount) => ({ email, password })
const signIn = (account: Pick<LocalAccount, 'email' | 'password'>, browser = newBrowser(testApi)) =>
  browser.post('sign-in/password/', { email: account.email, password: account.password })

/** Wrong passwords, each from another address unless one is given. */
async function guess(account: LocalAccount, times: number, address?: string): Promise<number[]> {
  const guesses = Array.from({ length: times }, (_, at) =>
    signIn({ ...account, password: `wrong password ${at}` }, newBrowser(testApi, address)),
  )
  return (await Promise.all(guesses)).map(({ status }) => status)
}

/** Moves the end of all locks and counters of this test into the past. */
const endLocks = () =>
  superuser.query(`update people.sign_in_attempts set locked_until = now() where locked_until > now()`)

describe('signing in with a password', () => {
  it('compares the address without case', async () => {
    const account = await newAccount(testApi)
    expect((await signIn({ ...account, email: ` ${account.email.toUpperCase()}` })).status).toBe(200)
  })

  it('gets the same response for every reason of failure', async () => {
    const account = await newAccount(testApi)
    const withoutPassword = await newAccount(testApi)
    await superuser.query('update people.accounts set password_hash = null where id = $1', [withoutPassword.id])
    const failures = await Promise.all([
      signIn({ ...account, password: 'wrong' }),
      signIn({ ...account, password: `${account.password} ` }),
      signIn({ ...account, email: 'unknown@example.org' }),
      signIn(withoutPassword),
    ])
    const [first, ...others] = failures.map(({ status, body, headers }) => ({
      ...{ status, cookie: headers['set-cookie'] },
      body: { ...body, instance: undefined, request_id: undefined },
    }))
    expect(first).toMatchObject({ status: 401, body: { code: 'sign_in_failed' } })
    expect(first?.cookie).toBeUndefined()
    for (const other of others) expect(other).toEqual(first)
  })

  it('is refused if the operator has disabled it', async () => {
    await using other = await TestApi.open({ ...settings, SIGN_IN: 'passkey' })
    const account = await newAccount(other)
    const answer = await newBrowser(other).post('sign-in/password/', credentials(account))
    expect(answer.body).toMatchObject({ code: 'sign_in_method_disabled' })
    expect((await newBrowser(other).get('sign-in/')).body).toEqual({ methods: ['passkey'], providers: [] })
  })

  it('hashes the password again if the operator has changed the cost', async () => {
    await using other = await TestApi.open({ ...settings, SIGN_IN_HASH_PASSES: '2' })
    const account = await newAccount(testApi)
    await newBrowser(other).post('sign-in/password/', credentials(account))
    const [row] = await superuser.query<{ hash: string }>(
      'select password_hash as hash from people.accounts where id = $1',
      [account.id],
    )
    expect(row?.hash).toContain('$argon2id$v=19$m=8,t=2,p=1$')
    expect((await newBrowser(other).post('sign-in/password/', credentials(account))).status).toBe(200)
  })

  it('reports unknown fields and fields that are too long', async () => {
    const answer = await newBrowser(testApi).post('sign-in/password/', {
      email: 'a@b',
      password: 'x'.repeat(5000),
      a: 1,
    })
    expect(answer.status).toBe(400)
  })
})

describe('guessing a password', () => {
  it('locks the account after ten failures from anywhere; the right password is then refused as well', async () => {
    const account = await newAccount(testApi)
    expect(new Set(await guess(account, 9))).toEqual(new Set([401]))
    expect((await signIn(account)).status).toBe(200)
    // The sign-in has reset the counter.
    await guess(account, 10)
    expect((await signIn(account)).body).toMatchObject({ code: 'sign_in_failed' })
    const [counter] = await superuser.query<{ minutes: number }>(
      `select extract(epoch from max(locked_until) - now()) / 60 as minutes from people.sign_in_attempts
       where key = sha256(convert_to('account', 'UTF8') || '\\x00'::bytea || convert_to($1, 'UTF8'))`,
      [account.email],
    )
    expect(Number(counter?.minutes)).toBeGreaterThan(10)
    expect(Number(counter?.minutes)).toBeLessThanOrEqual(15)
  })

  it('counts every guess of many that arrive at the same time', async () => {
    const account = await newAccount(testApi)
    await guess(account, 60)
    // Ten guesses were counted and locked the account; the others found it locked.
    const [counter] = await superuser.query(
      `select attempts, locks from people.sign_in_attempts
       where key = sha256(convert_to('account', 'UTF8') || '\\x00'::bytea || convert_to($1, 'UTF8'))`,
      [account.email],
    )
    expect(counter).toEqual({ attempts: 0, locks: 1 })
  })

  it('doubles the lock each time', async () => {
    const account = await newAccount(testApi)
    const lockedMinutes = async () => {
      const [row] = await superuser.query<{ minutes: number }>(
        `select round(extract(epoch from locked_until - now()) / 60) as minutes from people.sign_in_attempts
         where key = sha256(convert_to('account', 'UTF8') || '\\x00'::bytea || convert_to($1, 'UTF8'))`,
        [account.email],
      )
      return Number(row?.minutes)
    }
    const locks: number[] = []
    for (let round = 0; round < 9; round++) {
      await guess(account, 10)
      locks.push(await lockedMinutes())
      await endLocks()
    }
    expect(locks).toEqual([15, 30, 60, 120, 240, 480, 960, 1440, 1440])
  })

  it('does not lock out the person where they have signed in before', async () => {
    const account = await newAccount(testApi)
    const home = newBrowser(testApi, '192.0.2.7')
    expect((await signIn(account, home)).status).toBe(200)
    await guess(account, 30)
    expect((await signIn(account)).status).toBe(401)
    expect((await signIn(account, home)).status).toBe(200)
    // The lock for all other networks remains.
    expect((await signIn(account)).status).toBe(401)
    // Guesses from there are counted apart.
    await guess(account, 10, '192.0.2.7')
    expect((await signIn(account, home)).status).toBe(401)
  })

  it('ends no session', async () => {
    const account = await newAccount(testApi)
    const browser = newBrowser(testApi)
    await signIn(account, browser)
    await guess(account, 20)
    expect((await browser.get('me/')).status).toBe(200)
  })

  it('locks a network after thirty failures for accounts that have not signed in from there', async () => {
    const address = '2001:db8:7:7::1'
    const colleague = await newAccount(testApi)
    const newcomer = await newAccount(testApi)
    expect((await signIn(colleague, newBrowser(testApi, '2001:db8:7:7::2'))).status).toBe(200)
    for (let at = 0; at < 30; at++) {
      await signIn({ email: `victim-${at}@example.org`, password: 'wrong password' }, newBrowser(testApi, address))
    }
    // The network is the /64.
    expect((await signIn(newcomer, newBrowser(testApi, '2001:db8:7:7:ffff::3'))).status).toBe(401)
    expect((await signIn(colleague, newBrowser(testApi, '2001:db8:7:7::4'))).status).toBe(200)
    expect((await signIn(newcomer, newBrowser(testApi, '2001:db8:7:8::1'))).status).toBe(200)
  })

  it('does not lock other accounts', async () => {
    const [victim, other] = [await newAccount(testApi), await newAccount(testApi)]
    await guess(victim, 20)
    expect((await signIn(other)).status).toBe(200)
  })
})

describe('one-time codes', () => {
  const stepNow = () => Math.floor(Date.now() / 30_000)

  async function withTotp() {
    const account = await newAccount(testApi)
    const browser = newBrowser(testApi)
    await signIn(account, browser)
    const { body: proposal } = await browser.post<{ secret: string; uri: string }>('me/totp/')
    const secret = fromBase32(proposal.secret) ?? Buffer.alloc(0)
    return { account, browser, proposal, secret }
  }

  it('are needed with the password once they are enabled, and each works once', async () => {
    const { account, browser, proposal, secret } = await withTotp()
    expect(proposal.uri).toContain(`otpauth://totp/Reelkeep:${encodeURIComponent(account.email)}?secret=`)
    const code = codeOfStep(secret, stepNow() - 1)
    expect((await browser.put('me/totp/', { secret: proposal.secret, code })).status).toBe(204)
    expect((await browser.get<{ person: object }>('me/')).body.person).toMatchObject({ has_totp: true })
    expect((await signIn(account)).status).toBe(401)
    const post = (given: string) =>
      newBrowser(testApi).post('sign-in/password/', { ...credentials(account), code: given })
    expect((await post(code)).status).toBe(401)
    expect((await post('000000')).status).toBe(401)
    const next = codeOfStep(secret, stepNow() + 1)
    const both = await Promise.all([post(next), post(next)])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 401])
  })

  it('are not enabled without a right code', async () => {
    const { browser, proposal } = await withTotp()
    expect((await browser.put('me/totp/', { secret: proposal.secret, code: '123' })).body).toMatchObject({
      code: 'invalid_code',
    })
  })

  it('have an encrypted secret', async () => {
    const { account, browser, proposal, secret } = await withTotp()
    await browser.put('me/totp/', { secret: proposal.secret, code: codeOfStep(secret, stepNow()) })
    const [row] = await superuser.query<{ secret: Buffer }>(
      'select totp_secret as secret from people.accounts where id = $1',
      [account.id],
    )
    expect(row?.secret.includes(secret)).toBe(false)
  })

  it('can be disabled', async () => {
    const { account, browser, proposal, secret } = await withTotp()
    await browser.put('me/totp/', { secret: proposal.secret, code: codeOfStep(secret, stepNow()) })
    expect((await browser.delete('me/totp/')).status).toBe(204)
    expect((await signIn(account)).status).toBe(200)
  })
})
