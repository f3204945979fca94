import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { Scope, tokens } from '@reelkeep/contract'
import { type Caller, Superuser, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { describe, expect, it } from 'vitest'

const testApi = await opened(TestApi.open())
const superuser = await opened(Superuser.open())

async function newToken(caller: Caller, fields: { scopes?: Scope[]; expires_at?: string } = {}) {
  const { status, body } = await caller.post<tokens.NewToken>('tokens/', {
    name: 'Deploy',
    scopes: ['folders:read', 'tokens:read'],
    ...fields,
  })
  expect(status).toBe(201)
  return { ...body, holder: caller.withToken(body.token) }
}

const rotate = (caller: Caller, id: string, body: object = {}, headers = {}) =>
  caller.post<tokens.NewToken>(`tokens/${id}/rotate/`, body, headers)

const expiryOf = async (caller: Caller, id: string) => (await caller.get<tokens.Token>(`tokens/${id}/`)).body.expires_at

const isLive = async (holder: Caller) => (await holder.get('tokens/current/')).status === 200

const secondsFromNow = (time: string | null) => (Date.parse(time ?? '') - Date.now()) / 1000

describe('POST tokens/<id>/rotate/', () => {
  it('201: returns a token with the same name and scopes; the old one stays valid', async () => {
    const caller = await testApi.newOrganization()
    const old = await newToken(caller)
    const { status, body } = await rotate(caller, old.id, { overlap_seconds: 60 })
    expect(status).toBe(201)
    expect(body).toMatchObject({ name: old.name, scopes: old.scopes, expires_at: null })
    expect(body.id).not.toBe(old.id)
    expect(body.token).not.toBe(old.token)
    expect(await isLive(caller.withToken(body.token))).toBe(true)
    expect(await isLive(old.holder)).toBe(true)
    expect(secondsFromNow(await expiryOf(caller, old.id))).toBeCloseTo(60, -2)
  })

  it('201: the overlap defaults to one hour, also without a body', async () => {
    const caller = await testApi.newOrganization()
    const old = await newToken(caller)
    const { status } = await caller.post(`tokens/${old.id}/rotate/`)
    expect(status).toBe(201)
    expect(secondsFromNow(await expiryOf(caller, old.id))).toBeCloseTo(3600, -2)
  })

  it('201: an overlap of 0 ends the old token at once', async () => {
    const caller = await testApi.newOrganization()
    const old = await newToken(caller)
    expect(await isLive(old.holder)).toBe(true)
    await rotate(caller, old.id, { overlap_seconds: 0 })
    expect(await isLive(old.holder)).toBe(false)
  })

  it('201: an overlap of 0 ends a token in constant use at once, also with an Idempotency-Key', async () => {
    const caller = await testApi.newOrganization()
    const stillLive: number[] = []
    for (let round = 0; round < 5; round++) {
      const old = await newToken(caller)
      let isOver = false
      const users = Array.from({ length: 8 }, async () => {
        while (!isOver) {
          await isLive(old.holder)
          // Yield: requests with a cached token need no I/O, so this loop would starve timers and sockets.
          await nextTurn()
        }
      })
      await sleep(5)
      await rotate(caller, old.id, { overlap_seconds: 0 }, { 'idempotency-key': `round-${round}` })
      if (await isLive(old.holder)) stillLive.push(round)
      isOver = true
      await Promise.all(users)
    }
    expect(stillLive).toEqual([])
  })

  it('201: the overlap never extends the lifetime of the old token', async () => {
    const caller = await testApi.newOrganization()
    const soon = new Date(Date.now() + 60_000).toISOString()
    const old = await newToken(caller, { expires_at: soon })
    const { body } = await rotate(caller, old.id, { overlap_seconds: 604_800 })
    expect(Date.parse((await expiryOf(caller, old.id)) ?? '')).toBe(Date.parse(soon))
    expect(Date.parse(body.expires_at ?? '')).toBe(Date.parse(soon))
  })

  it('201: a token can rotate itself', async () => {
    const caller = await testApi.newOrganization()
    const old = await newToken(caller, { scopes: ['tokens:write'] })
    const { status, body } = await rotate(old.holder, old.id, { overlap_seconds: 0 })
    expect(status).toBe(201)
    expect(await isLive(caller.withToken(body.token))).toBe(true)
    expect(await isLive(old.holder)).toBe(false)
  })

  it('409: does not rotate an expired token', async () => {
    const caller = await testApi.newOrganization()
    const old = await newToken(caller)
    await superuser.query(`update tokens set expires_at = now() - interval '1 s' where id = $1`, [old.id])
    const { status, body } = await rotate(caller, old.id)
    const isUsable = status === 201 && (await isLive(caller.withToken(body.token)))
    expect(isUsable || status >= 400).toBe(true)
  })

  it('201: rotating a token twice does not shorten the lifetime of the new one', async () => {
    const caller = await testApi.newOrganization()
    const old = await newToken(caller)
    await rotate(caller, old.id, { overlap_seconds: 60 })
    expect((await rotate(caller, old.id, { overlap_seconds: 60 })).body.expires_at).toBeNull()
  })

  it.each([-1, 604_801, 1.5, '60', null])('400: rejects overlap_seconds %s', async (overlap) => {
    const caller = await testApi.newOrganization()
    const old = await newToken(caller)
    const response = await caller.post(`tokens/${old.id}/rotate/`, { overlap_seconds: overlap })
    expect(response).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
    expect(response.body.errors.map(({ field }) => field)).toEqual(['overlap_seconds'])
    expect(await expiryOf(caller, old.id)).toBeNull()
  })

  it('403: does not grant scopes that the caller lacks', async () => {
    const caller = await testApi.newOrganization()
    const [strong, weak] = [
      await newToken(caller, { scopes: ['*'] }),
      await newToken(caller, { scopes: ['tokens:write'] }),
    ]
    const response = await weak.holder.post(`tokens/${strong.id}/rotate/`, {})
    expect(response).toMatchObject({ status: 403, body: { code: 'insufficient_scope' } })
    expect(await expiryOf(caller, strong.id)).toBeNull()
  })

  it('409: does not rotate a revoked token', async () => {
    const caller = await testApi.newOrganization()
    const old = await newToken(caller)
    await caller.delete(`tokens/${old.id}/`)
    const response = await caller.post(`tokens/${old.id}/rotate/`, {})
    expect(response).toMatchObject({ status: 409, body: { code: 'token_not_live' } })
  })

  it('201: the new token expires no later than the token that rotated it', async () => {
    const caller = await testApi.newOrganization()
    const expires_at = new Date(Date.now() + 3_600_000).toISOString()
    const fields = { name: 'short', scopes: ['*'], expires_at }
    const short = (await caller.post<tokens.NewToken>('tokens/', fields)).body
    const endless = (await caller.get<tokens.Token>('tokens/current/')).body
    const holder = caller.withToken(short.token)
    const rotated = await holder.post<tokens.NewToken>(`tokens/${endless.id}/rotate/`, {})
    expect(rotated.body.expires_at).toBe(short.expires_at)
    const own = await holder.post<tokens.NewToken>(`tokens/${short.id}/rotate/`, {})
    expect(own.body.expires_at).toBe(short.expires_at)
  })

  it('201: a token in its overlap cannot extend its life by rotating itself', async () => {
    const caller = await testApi.newOrganization()
    const leaked = (await caller.post<tokens.NewToken>('tokens/', { name: 'leaked', scopes: ['*'] })).body
    await caller.post(`tokens/${leaked.id}/rotate/`, { overlap_seconds: 60 })
    const end = (await caller.get<tokens.Token>(`tokens/${leaked.id}/`)).body.expires_at
    const holder = caller.withToken(leaked.token)
    const again = await holder.post<tokens.NewToken>(`tokens/${leaked.id}/rotate/`, {})
    expect(again.body.expires_at).toBe(end)
  })
})
