/** A credential never exceeds the API token that creates it, and can be revoked together with it. */
import type { accessTokens, ResponseOf, Scope, signingKeys, tokens, uploadSessions, webhooks } from '@reelkeep/contract'
import { type Caller, openSession, probedAsset, Superuser, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { describe, expect, it } from 'vitest'

const testApi = await opened(TestApi.open())
const superuser = await opened(Superuser.open())

type TokenFields = { readonly scopes: readonly Scope[]; readonly expires_at?: string }

async function newToken(caller: Caller, fields: TokenFields) {
  const { status, body } = await caller.post<tokens.NewToken>('tokens/', { name: 'Backend', ...fields })
  expect(status).toBe(201)
  return { ...body, holder: caller.withToken(body.token) }
}

const inOneHour = () => new Date(Date.now() + 3_600_000).toISOString()
const seconds = (time: string | null) => Math.floor(Date.parse(time ?? '') / 1000)
const url = 'https://receiver.example/events'
const newKey = (caller: Caller, body: object = {}) =>
  caller.post<signingKeys.NewSigningKey>('signing-keys/', { name: 'Website', ...body })
const newWebhook = (caller: Caller) => caller.post<webhooks.NewWebhook>('webhooks/', { url })
const isLive = async (holder: Caller) => (await holder.get('tokens/current/')).status === 200

describe('the scopes of a grantor', () => {
  it.each([
    ['a signing key', ['tokens:write', 'playback:write'], 'keys:write', newKey],
    ['a webhook', ['webhooks:write'], 'events:read', newWebhook],
  ] as const)('do not allow %s with only %s: %s is missing', async (_, scopes, missing, create) => {
    const caller = await testApi.newOrganization()
    const { holder } = await newToken(caller, { scopes })
    const { status, body } = await create(holder)
    expect(status).toBe(403)
    expect(body).toMatchObject({ code: 'insufficient_scope', detail: expect.stringContaining(missing) })
  })

  it('do not allow a token that may not read events to change or replay a webhook, or to read a delivery', async () => {
    const caller = await testApi.newOrganization()
    const { body: webhook } = await newWebhook(caller)
    const { body: delivery } = await caller.post<{ event_id: string }>(`webhooks/${webhook.id}/test/`)
    const { holder } = await newToken(caller, { scopes: ['webhooks:read', 'webhooks:write'] })
    const path = `webhooks/${webhook.id}/`
    const responses = [
      await holder.patch(path, { url: 'https://attacker.example/' }),
      await holder.post(`${path}rotate-secret/`),
      await holder.post(`${path}deliveries/${delivery.event_id}/replay/`),
      await holder.get(`${path}deliveries/${delivery.event_id}/`),
    ]
    expect(responses.map(({ status }) => status)).toEqual([403, 403, 403, 403])
  })

  it('limit which tokens it may revoke', async () => {
    const caller = await testApi.newOrganization()
    const { holder } = await newToken(caller, { scopes: ['tokens:write', 'folders:read'] })
    const weaker = await newToken(caller, { scopes: ['folders:read'] })
    const stronger = await newToken(caller, { scopes: ['*'] })
    expect((await holder.delete(`tokens/${stronger.id}/`)).status).toBe(403)
    expect(await isLive(stronger.holder)).toBe(true)
    expect((await holder.delete(`tokens/${weaker.id}/`)).status).toBe(204)
    const own = await holder.get<tokens.Token>('tokens/current/')
    expect((await holder.delete(`tokens/${own.body.id}/`)).status).toBe(204)
  })
})

describe('the expiry of a grantor', () => {
  it('is the expiry of a signing key and a webhook, and the latest one of an access token', async () => {
    const caller = await testApi.newOrganization()
    const { asset } = await probedAsset(caller)
    const { holder, expires_at } = await newToken(caller, { scopes: ['*'], expires_at: inOneHour() })
    expect((await newKey(holder)).body.expires_at).toBe(expires_at)
    expect((await newWebhook(holder)).body.expires_at).toBe(expires_at)
    const tokensUrl = `assets/${asset.id}/access-tokens/`
    const long = await holder.post<accessTokens.NewAccessToken>(tokensUrl, { expires_in_seconds: 86_400 })
    expect(seconds(long.body.expires_at)).toBe(seconds(expires_at))
    const short = await holder.post<accessTokens.NewAccessToken>(tokensUrl, { expires_in_seconds: 60 })
    expect(seconds(short.body.expires_at)).toBeLessThan(seconds(expires_at))
  })

  it('is the latest expiry of the form and the part URLs of an upload', async () => {
    const caller = await testApi.newOrganization()
    const { holder, expires_at } = await newToken(caller, { scopes: ['*'], expires_at: inOneHour() })
    const opened = await openSession(holder)
    expect(opened.upload_session.expires_at).toBe(expires_at)
    const { expiration } = JSON.parse(Buffer.from(String(opened.client_payload.policy), 'base64').toString())
    expect(seconds(expiration)).toBe(seconds(expires_at))
    // The session of another token lasts longer; what this token gets does not.
    const other = await openSession(caller)
    const path = `assets/upload-sessions/${other.upload_session.uuid}/`
    const parts = await holder.post<ResponseOf<typeof uploadSessions.signUploadParts>>(`${path}parts/`, {
      file_size_bytes: 99,
      numbers: [1],
    })
    expect(parts.body.expires_at).toBe(expires_at)
    const { searchParams } = new URL(String(parts.body.parts[0]?.url))
    expect(Number(searchParams.get('X-Amz-Expires'))).toBeLessThanOrEqual(3600)
    const renewed = await holder.post<uploadSessions.NewUploadSession>(`${path}renew/`)
    expect(renewed.body.upload_session.expires_at).toBe(expires_at)
  })

  it('refuses a signing key that expires later', async () => {
    const caller = await testApi.newOrganization()
    const { holder } = await newToken(caller, { scopes: ['*'], expires_at: inOneHour() })
    const { status, body } = await newKey(holder, { expires_at: '2035-01-01T00:00:00Z' })
    expect(status).toBe(400)
    expect(body).toMatchObject({ code: 'invalid_expiry' })
  })

  it('becomes that of a webhook whose URL, types, secret or state it changes', async () => {
    const caller = await testApi.newOrganization()
    const { holder, expires_at } = await newToken(caller, { scopes: ['*'], expires_at: inOneHour() })
    const { body: webhook } = await newWebhook(caller)
    const path = `webhooks/${webhook.id}/`
    const expiryAfter = async (by: Caller, change: object) =>
      (await by.patch<webhooks.Webhook>(path, change)).body.expires_at
    expect(await expiryAfter(holder, { description: 'Shop' })).toBeNull()
    for (const change of [{ url }, { types: ['asset.*'] }, { enabled: true }]) {
      expect(await expiryAfter(holder, change)).toBe(expires_at)
      expect(await expiryAfter(caller, change)).toBeNull()
    }
    const rotated = await holder.post<webhooks.NewWebhook>(`${path}rotate-secret/`)
    expect(rotated.body.expires_at).toBe(expires_at)
  })
})

describe('created_by', () => {
  it('names the token that created a credential', async () => {
    const caller = await testApi.newOrganization()
    const { asset } = await probedAsset(caller)
    const { holder, id } = await newToken(caller, { scopes: ['*'] })
    const creator = { kind: 'token', id, name: 'Backend' }
    const access = await holder.post<accessTokens.NewAccessToken>(`assets/${asset.id}/access-tokens/`)
    const child = await newToken(holder, { scopes: ['folders:read'] })
    for (const created of [(await newKey(holder)).body, (await newWebhook(holder)).body, access.body, child]) {
      expect(created.created_by).toEqual(creator)
    }
  })

  it('is the system for the token of an admin command', async () => {
    const caller = await testApi.newOrganization()
    const { body } = await caller.get<tokens.Token>('tokens/current/')
    expect(body.created_by).toEqual({ kind: 'system', id: null, name: null })
  })
})

describe('DELETE tokens/<id>/?descendants=true', () => {
  it('revokes everything that was created with the token and its descendants, and nothing else', async () => {
    const caller = await testApi.newOrganization()
    const leaked = await newToken(caller, { scopes: ['*'] })
    const child = await newToken(leaked.holder, { scopes: ['*'] })
    const grandchild = await newToken(child.holder, { scopes: ['folders:read'] })
    const other = await newToken(caller, { scopes: ['folders:read'] })
    await newKey(child.holder)
    const { body: otherKey } = await newKey(caller)
    const { body: webhook } = await newWebhook(child.holder)
    const { body: changed } = await newWebhook(caller)
    await leaked.holder.patch(`webhooks/${changed.id}/`, { url: 'https://attacker.example/' })
    const { body: untouched } = await newWebhook(caller)

    expect((await caller.delete(`tokens/${leaked.id}/?descendants=true`)).status).toBe(204)

    for (const { holder } of [leaked, child, grandchild]) expect(await isLive(holder)).toBe(false)
    expect(await isLive(other.holder)).toBe(true)
    const keys = await caller.get<{ results: signingKeys.SigningKey[] }>('signing-keys/')
    expect(keys.body.results.map(({ id }) => id)).toEqual([otherKey.id])
    const enabled = async (id: string) => (await caller.get<webhooks.Webhook>(`webhooks/${id}/`)).body.enabled
    expect([await enabled(webhook.id), await enabled(changed.id), await enabled(untouched.id)]).toEqual([
      false,
      false,
      true,
    ])
  })

  it('also revokes the descendants of a token that was revoked before', async () => {
    const caller = await testApi.newOrganization()
    const leaked = await newToken(caller, { scopes: ['*'] })
    const child = await newToken(leaked.holder, { scopes: ['*'] })
    await caller.delete(`tokens/${leaked.id}/`)
    expect(await isLive(child.holder)).toBe(true)
    expect((await caller.delete(`tokens/${leaked.id}/?descendants=true`)).status).toBe(204)
    expect(await isLive(child.holder)).toBe(false)
  })

  it('finds the descendants of a token that ended long ago', async () => {
    const caller = await testApi.newOrganization()
    const leaked = await newToken(caller, { scopes: ['*'] })
    const child = await newToken(leaked.holder, { scopes: ['*'] })
    const grandchild = await newToken(child.holder, { scopes: ['*'] })
    const childless = await newToken(caller, { scopes: ['folders:read'] })
    const ended = [leaked.id, child.id, childless.id]
    await superuser.query(`update tokens set revoked_at = now() - interval '91 days' where id = any ($1)`, [ended])
    // The creation of a token removes tokens that ended long ago.
    await newToken(caller, { scopes: ['folders:read'] })
    expect((await caller.get(`tokens/${childless.id}/`)).status).toBe(404)
    expect(await isLive(grandchild.holder)).toBe(true)
    expect((await caller.delete(`tokens/${leaked.id}/?descendants=true`)).status).toBe(204)
    expect(await isLive(grandchild.holder)).toBe(false)
  })
})
