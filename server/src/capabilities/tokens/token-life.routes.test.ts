import { setTimeout as sleep } from 'node:timers/promises'
import type { Scope, tokens } from '@reelkeep/contract'
import { type Caller, Superuser, World } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterEach, describe, expect, it, vi } from 'vitest'

const world = await opened(World.open())
/** Another instance of the service on the same database. */
const other = await opened(World.open())
const superuser = await opened(Superuser.open())

afterEach(() => {
  vi.restoreAllMocks()
})

type Wish = { scopes?: Scope[]; expires_at?: string }

async function newToken(caller: Caller, wish: Wish = {}) {
  const { status, body } = await caller.post<tokens.NewToken>('tokens/', {
    name: 'Deploy',
    scopes: ['*'],
    ...wish,
  })
  expect(status).toBe(201)
  return { ...body, holder: caller.withToken(body.token) }
}

const read = async (caller: Caller, id: string) =>
  (await caller.get<tokens.Token>(`tokens/${id}/`)).body

const isLive = async (holder: Caller) => (await holder.get('tokens/current/')).status === 200

const secondsFromNow = (time: string | null) => (Date.parse(time ?? '') - Date.now()) / 1000

describe('DELETE tokens/<id>/', () => {
  it('204: ends the token at once on the instance that answers', async () => {
    const caller = await world.newOrganization()
    const { id, holder } = await newToken(caller)
    expect(await isLive(holder)).toBe(true)
    const { status, text } = await caller.delete(`tokens/${id}/`)
    expect({ status, text }).toEqual({ status: 204, text: '' })
    const refusal = await holder.get('tokens/current/')
    expect(refusal).toMatchObject({ status: 401, body: { code: 'unauthenticated' } })
    expect(refusal.headers['www-authenticate']).toBe('token')
  })

  it('204: once answered no use of it succeeds, even if uses never pause', async () => {
    const caller = await world.newOrganization()
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

  it('204: ends it on every other instance within two seconds', async () => {
    const caller = await world.newOrganization()
    const { id, token } = await newToken(caller)
    const elsewhere = (await other.newOrganization()).at(caller.organizationId).withToken(token)
    expect(await isLive(elsewhere)).toBe(true)
    await caller.delete(`tokens/${id}/`)
    const now = performance.now.bind(performance)
    vi.spyOn(performance, 'now').mockImplementation(() => now() + 2000)
    expect(await isLive(elsewhere)).toBe(false)
  })

  it('204: again, and the time of the first revocation stays', async () => {
    const caller = await world.newOrganization()
    const { id } = await newToken(caller)
    await caller.delete(`tokens/${id}/`)
    const { revoked_at } = await read(caller, id)
    expect(secondsFromNow(revoked_at)).toBeCloseTo(0, -1)
    expect((await caller.delete(`tokens/${id}/`)).status).toBe(204)
    expect((await read(caller, id)).revoked_at).toBe(revoked_at)
  })

  it('204: a token may end itself', async () => {
    const caller = await world.newOrganization()
    const { id, holder } = await newToken(caller)
    expect((await holder.delete(`tokens/${id}/`)).status).toBe(204)
    expect(await isLive(holder)).toBe(false)
  })

  it('404: an unknown token', async () => {
    const caller = await world.newOrganization()
    const answer = await caller.delete('tokens/019a0000-0000-7000-8000-000000000000/')
    expect(answer).toMatchObject({ status: 404, body: { code: 'token_not_found' } })
  })
})

describe('expiry', () => {
  it('401: a token that nobody has used lately ends at its expiry', async () => {
    const caller = await world.newOrganization()
    const { id, holder } = await newToken(caller, { expires_at: '2031-01-01T00:00:00Z' })
    await superuser.query(`update tokens set expires_at = now() - interval '1 ms' where id = $1`, [
      id,
    ])
    expect(await isLive(holder)).toBe(false)
  })

  it('401: a token in constant use ends within two seconds of its expiry', async () => {
    const caller = await world.newOrganization()
    const expiresAt = Date.now() + 2000
    const { holder } = await newToken(caller, { expires_at: new Date(expiresAt).toISOString() })
    while (await isLive(holder)) await sleep(20)
    // None of them was refused before.
    expect(Date.now()).toBeGreaterThanOrEqual(expiresAt)
    expect(Date.now() - expiresAt).toBeLessThan(10_000)
  })
})

describe('last_used_at', () => {
  it('is null until the first use, then the time of it, exact to about a minute', async () => {
    const caller = await world.newOrganization()
    const { id, holder } = await newToken(caller)
    expect((await read(caller, id)).last_used_at).toBeNull()
    await isLive(holder)
    // It is written beside the answer, not before it.
    await expect
      .poll(async () => (await read(caller, id)).last_used_at, { timeout: 5000 })
      .not.toBeNull()
    const { last_used_at } = await read(caller, id)
    expect(secondsFromNow(last_used_at)).toBeCloseTo(0, -1)
    for (let use = 0; use < 5; use++) await isLive(holder)
    await sleep(100)
    expect((await read(caller, id)).last_used_at).toBe(last_used_at)
  })

  it('stays null when the token was refused', async () => {
    const caller = await world.newOrganization()
    const { id, holder } = await newToken(caller)
    await caller.delete(`tokens/${id}/`)
    await isLive(holder)
    await sleep(100)
    expect((await read(caller, id)).last_used_at).toBeNull()
  })
})
