import { setTimeout as sleep } from 'node:timers/promises'
import type { Scope, tokens } from '@reelkeep/contract'
import { type Caller, Superuser, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterEach, describe, expect, it, vi } from 'vitest'

const testApi = await opened(TestApi.open())
/** Another instance of the service on the same database. */
const other = await opened(TestApi.open())
const superuser = await opened(Superuser.open())

afterEach(() => {
  vi.restoreAllMocks()
})

type Fields = { scopes?: Scope[]; expires_at?: string }

async function newToken(caller: Caller, fields: Fields = {}) {
  const { status, body } = await caller.post<tokens.NewToken>('tokens/', {
    name: 'Deploy',
    scopes: ['*'],
    ...fields,
  })
  expect(status).toBe(201)
  return { ...body, holder: caller.withToken(body.token) }
}

const read = async (caller: Caller, id: string) => (await caller.get<tokens.Token>(`tokens/${id}/`)).body

const isLive = async (holder: Caller) => (await holder.get('tokens/current/')).status === 200

const secondsFromNow = (time: string | null) => (Date.parse(time ?? '') - Date.now()) / 1000

describe('DELETE tokens/<id>/', () => {
  it('204: ends the token at once on the instance that revokes it', async () => {
    const caller = await testApi.newOrganization()
    const { id, holder } = await newToken(caller)
    expect(await isLive(holder)).toBe(true)
    const { status, text } = await caller.delete(`tokens/${id}/`)
    expect({ status, text }).toEqual({ status: 204, text: '' })
    const response = await holder.get('tokens/current/')
    expect(response).toMatchObject({ status: 401, body: { code: 'unauthenticated' } })
    expect(response.headers['www-authenticate']).toBe('token')
  })

  it('204: the token never works after the response, even if it is in constant use', async () => {
    const caller = await testApi.newOrganization()
    for (let round = 0; round < 10; round++) {
      const { id, holder } = await newToken(caller)
      const users = Array.from({ length: 8 }, async () => {
        while (await isLive(holder));
      })
      await sleep(5)
      await caller.delete(`tokens/${id}/`)
      expect(await isLive(holder)).toBe(false)
      await Promise.all(users)
    }
  })

  it('204: ends the token on every other instance within two seconds', async () => {
    const caller = await testApi.newOrganization()
    const { id, token } = await newToken(caller)
    const elsewhere = (await other.newOrganization()).at(caller.organizationId).withToken(token)
    expect(await isLive(elsewhere)).toBe(true)
    await caller.delete(`tokens/${id}/`)
    const now = performance.now.bind(performance)
    vi.spyOn(performance, 'now').mockImplementation(() => now() + 2000)
    expect(await isLive(elsewhere)).toBe(false)
  })

  it('204: revoking twice keeps the time of the first revocation', async () => {
    const caller = await testApi.newOrganization()
    const { id } = await newToken(caller)
    await caller.delete(`tokens/${id}/`)
    const { revoked_at } = await read(caller, id)
    expect(secondsFromNow(revoked_at)).toBeCloseTo(0, -2)
    expect((await caller.delete(`tokens/${id}/`)).status).toBe(204)
    expect((await read(caller, id)).revoked_at).toBe(revoked_at)
  })

  it('204: a token can revoke itself', async () => {
    const caller = await testApi.newOrganization()
    const { id, holder } = await newToken(caller)
    expect((await holder.delete(`tokens/${id}/`)).status).toBe(204)
    expect(await isLive(holder)).toBe(false)
  })
})

describe('expiry of a token', () => {
  it('401: an unused token ends at its expiry', async () => {
    const caller = await testApi.newOrganization()
    const { id, holder } = await newToken(caller, { expires_at: '2031-01-01T00:00:00Z' })
    await superuser.query(`update tokens set expires_at = now() - interval '1 ms' where id = $1`, [id])
    expect(await isLive(holder)).toBe(false)
  })

  it('401: a token in constant use ends at its expiry and not before', async () => {
    const caller = await testApi.newOrganization()
    const expiresAt = Date.now() + 8000
    const { holder } = await newToken(caller, { expires_at: new Date(expiresAt).toISOString() })
    while (await isLive(holder)) await sleep(20)
    expect(Date.now()).toBeGreaterThanOrEqual(expiresAt)
  })
})

describe('last_used_at of a token', () => {
  /** Resolves when a later use of another token is recorded: earlier uses would be recorded by then. */
  async function waitForLaterUse(caller: Caller): Promise<void> {
    const { id, holder } = await newToken(caller)
    await isLive(holder)
    await expect.poll(async () => (await read(caller, id)).last_used_at).not.toBeNull()
  }

  it('is null until the first use, and then the time of the last use, accurate to about a minute', async () => {
    const caller = await testApi.newOrganization()
    const { id, holder } = await newToken(caller)
    expect((await read(caller, id)).last_used_at).toBeNull()
    await isLive(holder)
    // `last_used_at` is written in parallel with the response, so it may appear shortly after the response.
    await expect.poll(async () => (await read(caller, id)).last_used_at).not.toBeNull()
    const { last_used_at } = await read(caller, id)
    expect(secondsFromNow(last_used_at)).toBeCloseTo(0, -2)
    for (let use = 0; use < 5; use++) await isLive(holder)
    await waitForLaterUse(caller)
    expect((await read(caller, id)).last_used_at).toBe(last_used_at)
  })

  it('stays null if the token was rejected', async () => {
    const caller = await testApi.newOrganization()
    const { id, holder } = await newToken(caller)
    await caller.delete(`tokens/${id}/`)
    await isLive(holder)
    await waitForLaterUse(caller)
    expect((await read(caller, id)).last_used_at).toBeNull()
  })
})
