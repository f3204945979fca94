/** Creating, listing and revoking playback tokens. Playback with them is tested in `../playback`. */
import type { accessTokens, Page, signingKeys } from '@reelkeep/contract'
import { type Caller, openSession, Superuser, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { decodeJwt } from 'jose'
import { beforeEach, describe, expect, it } from 'vitest'

type AccessToken = accessTokens.AccessToken
type NewAccessToken = accessTokens.NewAccessToken

const testApi = await opened(TestApi.open({ PLAYBACK_URL: 'https://watch.example/v' }))
const superuser = await opened(Superuser.open())

let caller: Caller
let assetId: string
let tokens: string
beforeEach(async () => {
  caller = await testApi.newOrganization()
  assetId = (await openSession(caller, { content_protection_type: 'disable' })).asset.id
  tokens = `assets/${assetId}/access-tokens/`
})

const rules = {
  expires_in_seconds: 60,
  single_use: true,
  viewer_id: 'customer-42',
  referrers: ['*.example.com'],
  networks: ['192.0.2.0/24', '2001:db8::/32'],
  watermark: 'Ada Lovelace',
}

const secondsOf = ({ created_at, expires_at }: AccessToken) => (Date.parse(expires_at) - Date.parse(created_at)) / 1000

describe('POST access-tokens/: 201', () => {
  it('creates a token valid for six hours, with its playback URLs', async () => {
    const { status, body } = await caller.post<NewAccessToken>(tokens, {})
    expect(status).toBe(201)
    const own = `https://watch.example/v/${body.token}/${caller.organizationId}/${assetId}/`
    expect(body).toMatchObject({
      playback_url: `${own}master.m3u8`,
      dash_url: `${own}manifest.mpd`,
      ...{ viewer_id: null, single_use: false, referrers: [], networks: [], watermark: null },
      ...{ used_at: null, revoked_at: null },
    })
    expect(Math.abs(secondsOf(body) - 6 * 3600)).toBeLessThan(5)
    expect(decodeJwt(body.token)).toEqual({
      ...{ iss: caller.organizationId, sub: assetId, jti: body.id },
      ...{ iat: expect.any(Number), exp: Date.parse(body.expires_at) / 1000, by: body.created_by.id, epoch: 0 },
    })
  })

  it('puts every rule into the token and into the response', async () => {
    const { body } = await caller.post<NewAccessToken>(tokens, rules)
    const { expires_in_seconds: _, ...expected } = rules
    expect(body).toMatchObject(expected)
    expect(decodeJwt(body.token)).toMatchObject({
      ...{ viewer: 'customer-42', once: true, watermark: 'Ada Lovelace' },
      ...{ referrers: rules.referrers, networks: rules.networks },
    })
  })

  it('returns no DASH URL for a video protected by AES', async () => {
    const { asset } = await openSession(caller, { content_protection_type: 'aes' })
    const { body } = await caller.post<NewAccessToken>(`assets/${asset.id}/access-tokens/`, {})
    expect(body).toMatchObject({ dash_url: null, playback_url: expect.any(String) })
  })

  it('returns the same token for the same Idempotency-Key', async () => {
    const keyed = { 'idempotency-key': 'only-once' }
    const [first, second] = [
      await caller.post<NewAccessToken>(tokens, rules, keyed),
      await caller.post<NewAccessToken>(tokens, rules, keyed),
    ]
    expect(second.body).toEqual(first.body)
    expect((await caller.get<Page<AccessToken>>(tokens)).body.count).toBe(1)
  })

  it('stores neither the token nor the private half of a signing key', async () => {
    const keyed = { 'idempotency-key': 'only-once' }
    const { body } = await caller.post<NewAccessToken>(tokens, rules, keyed)
    const input = { name: 'Website' }
    const again = { 'idempotency-key': 'once-more' }
    const key = await caller.post<signingKeys.NewSigningKey>('signing-keys/', input, again)
    const rows = await superuser.query<{ row: string }>(
      `select t::text as row from access_tokens t where organization_id = $1
       union all select t::text from signing_keys t where organization_id = $1
       union all select t::text from idempotency_keys t where organization_id = $1`,
      [caller.organizationId],
    )
    const stored = rows.map(({ row }) => row).join('\n')
    const { d, x } = key.body.private_jwk
    const hexOf = (text: string) => Buffer.from(text, 'base64url').toString('hex')
    expect(stored).toContain(hexOf(x))
    const [, , signature = ''] = body.token.split('.')
    for (const secret of [signature, d]) {
      for (const form of [secret, hexOf(secret), Buffer.from(secret).toString('hex')]) {
        expect(stored).not.toContain(form)
      }
    }
  })
})

describe('GET and DELETE access-tokens/: 200 and 204', () => {
  it('lists tokens newest first, page by page, without their text', async () => {
    const created: string[] = []
    for (let count = 0; count < 3; count++) {
      created.unshift((await caller.post<NewAccessToken>(tokens, {})).body.id)
    }
    const first = await caller.get<Page<AccessToken>>(`${tokens}?limit=2`)
    const second = await caller.get<Page<AccessToken>>(first.body.next ?? '')
    expect(first.body.count).toBe(3)
    const ids = [...first.body.results, ...second.body.results].map(({ id }) => id)
    expect(ids).toEqual(created)
    expect(first.text + second.text).not.toContain('eyJ')
  })

  it('keeps the first revocation time when a token is revoked twice', async () => {
    const { body } = await caller.post<NewAccessToken>(tokens, {})
    expect((await caller.delete(`${tokens}${body.id}/`)).status).toBe(204)
    const revoked = (await caller.get<AccessToken>(`${tokens}${body.id}/`)).body.revoked_at
    expect(revoked).toEqual(expect.any(String))
    expect((await caller.delete(`${tokens}${body.id}/`)).status).toBe(204)
    expect((await caller.get<AccessToken>(`${tokens}${body.id}/`)).body.revoked_at).toBe(revoked)
  })

  it('removes tokens that expired a week ago when another is created', async () => {
    const { body } = await caller.post<NewAccessToken>(tokens, {})
    const age = (days: number) =>
      superuser.query(`update access_tokens set expires_at = now() - make_interval(days => $2) where id = $1`, [
        body.id,
        days,
      ])
    await age(6)
    await caller.post(tokens, {})
    expect((await caller.get(`${tokens}${body.id}/`)).status).toBe(200)
    await age(8)
    await caller.post(tokens, {})
    expect((await caller.get(`${tokens}${body.id}/`)).status).toBe(404)
  })
})

describe('POST access-tokens/: 400', () => {
  it.each<[string, object]>([
    ['less than a minute', { expires_in_seconds: 59 }],
    ['more than thirty days', { expires_in_seconds: 2_592_001 }],
    ['no lifetime', { expires_in_seconds: null }],
    ['too many referrers', { referrers: Array.from({ length: 21 }, (_, n) => `s${n}.example`) }],
    ['a referrer that is a URL', { referrers: ['https://example.com'] }],
    ['a wildcard in the middle', { referrers: ['www.*.com'] }],
    ['a network without a prefix length', { networks: ['192.0.2.1'] }],
    ['a network with a prefix length over 32', { networks: ['192.0.2.0/33'] }],
    ['a malformed network', { networks: ['1.2.3/24'] }],
    ['a viewer that is too long', { viewer_id: 'x'.repeat(129) }],
    ['a viewer with a line break', { viewer_id: 'a\nb' }],
    ['a watermark that is too long', { watermark: 'x'.repeat(101) }],
    ['an unknown field', { referer: ['example.com'] }],
  ])('rejects %s', async (_, input) => {
    expect((await caller.post(tokens, input)).status).toBe(400)
  })

  it('shows an example of a valid network in the error for a malformed one', async () => {
    const { body } = await caller.post(tokens, { networks: ['everywhere'] })
    expect(body.errors[0]).toMatchObject({ field: 'networks[0]', code: 'invalid_request' })
    expect(body.detail).toContain('192.0.2.0/24')
  })
})

describe('POST access-tokens/ and signing-keys/: 403', () => {
  it('rejects API tokens without the scope to create tokens or signing keys', async () => {
    const reader = await testApi.newOrganization('assets:read', 'assets:write', 'playback:read')
    expect((await reader.post(tokens, {})).status).toBe(403)
    const player = await testApi.newOrganization('playback:write')
    expect((await player.post('signing-keys/', { name: 'Website' })).status).toBe(403)
  })
})

describe('access-tokens/ and signing-keys/: 404', () => {
  it('hides the assets, playback tokens and signing keys of another organization', async () => {
    const { body } = await caller.post<NewAccessToken>(tokens, {})
    const key = await caller.post<signingKeys.NewSigningKey>('signing-keys/', { name: 'Website' })
    const other = await testApi.newOrganization()
    const own = (await openSession(other)).asset.id
    expect((await other.post(tokens, {})).body.code).toBe('asset_not_found')
    expect((await other.get(tokens)).status).toBe(404)
    const foreign = `assets/${own}/access-tokens/${body.id}/`
    expect((await other.get(foreign)).body.code).toBe('access_token_not_found')
    expect((await other.delete(foreign)).status).toBe(404)
    expect((await other.delete(`signing-keys/${key.body.id}/`)).status).toBe(404)
  })
})

describe('POST signing-keys/: 409', () => {
  it('rejects concurrent requests for signing keys that exceed the limit', async () => {
    const create = () => caller.post<signingKeys.NewSigningKey>('signing-keys/', { name: 'Website' })
    for (let count = 0; count < 9; count++) await create()
    const responses = await Promise.all([create(), create(), create()])
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 409, 409])
  })
})

describe('signing keys', () => {
  it('lists signing keys with their public halves until they are deleted', async () => {
    const { body: key } = await caller.post<signingKeys.NewSigningKey>('signing-keys/', {
      name: '  Website ',
    })
    expect(key.private_jwk).toMatchObject({ kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', kid: key.id })
    expect(key.private_key).toMatch(/^-----BEGIN PRIVATE KEY-----/)
    const { body, text } = await caller.get<Page<signingKeys.SigningKey>>('signing-keys/')
    const { private_key: _, private_jwk: __, ...listed } = key
    expect(body.results).toEqual([listed])
    expect(listed).toMatchObject({ name: 'Website' })
    expect(text).not.toContain('PRIVATE')
    expect((await caller.delete(`signing-keys/${key.id}/`)).status).toBe(204)
    expect((await caller.get<Page<object>>('signing-keys/')).body.results).toEqual([])
  })
})
