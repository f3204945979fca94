/** Access with playback tokens to the URLs that players fetch, on two instances. */
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import type { accessTokens, signingKeys } from '@reelkeep/contract'
import {
  type Caller,
  type HttpResponse,
  openOwner,
  openSession,
  Publisher,
  shortPlan,
  TestApi,
  type VideoRef,
} from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { importJWK, SignJWT, UnsecuredJWT } from 'jose'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { OrganizationId } from '../../kernel/ids.ts'
import { setOpen } from '../organizations/organizations.ts'

const testApi = await opened(TestApi.open({ TRUSTED_PROXY_HOPS: '1' }))
const otherInstance = await opened(TestApi.open())
const publisher = await opened(Publisher.open())
const owner = await opened(Promise.resolve(openOwner()))

const plan = shortPlan(1)

const segment = 'video-encode-1/240p/00000.m4s'

let caller: Caller
let video: VideoRef
beforeEach(async () => {
  caller = await testApi.newOrganization()
  video = await newVideo()
})
afterEach(() => {
  vi.useRealTimers()
})

async function newVideo(protection = 'disable'): Promise<VideoRef> {
  const { asset } = await openSession(caller, { content_protection_type: protection })
  const video = { organizationId: caller.organizationId, assetId: asset.id }
  await publisher.plan(video, plan)
  await publisher.publish(video, {
    ...{ track: '240p', firstSegment: 0, attempt: 'video-encode-1', init: 'init' },
    segments: [{ body: 'moving', seconds: 4 }],
  })
  return video
}

type NewAccessToken = accessTokens.NewAccessToken

async function newToken(input: object = {}, { assetId } = video): Promise<NewAccessToken> {
  const path = `assets/${assetId}/access-tokens/`
  const { status, body, text } = await caller.post<NewAccessToken>(path, input)
  if (status !== 201) throw new Error(text)
  return body
}

type RequestOptions = {
  readonly name?: string
  readonly method?: 'GET' | 'HEAD'
  readonly headers?: Record<string, string>
  readonly at?: VideoRef
  readonly of?: TestApi
  readonly prefix?: string
}

function get(token: string, options: RequestOptions = {}): Promise<HttpResponse> {
  const { name = segment, method = 'GET', headers = {}, of = testApi, prefix = '/play' } = options
  const { organizationId, assetId } = options.at ?? video
  const path = `${prefix}/${token}/${organizationId}/${assetId}/${name}`
  return of.send({ method, path, headers, body: undefined })
}

function expectDenied(response: HttpResponse, why: string) {
  expect(response.status, response.text).toBe(403)
  expect(response.headers).toMatchObject({
    'content-type': 'application/problem+json; charset=utf-8',
    'cache-control': 'no-store',
    'access-control-allow-origin': '*',
  })
  const { code, detail } = JSON.parse(response.text)
  expect(code).toBe('playback_denied')
  expect(detail).toContain(why)
}

async function newKey() {
  const { body } = await caller.post<signingKeys.NewSigningKey>('signing-keys/', { name: 'Site' })
  return body
}

type Key = signingKeys.NewSigningKey

const nowSeconds = () => Math.floor(Date.now() / 1000)

/** Signs a token as a customer's own backend does. */
async function signed(key: Pick<Key, 'id' | 'private_jwk'>, more: Record<string, unknown> = {}, typ = 'playback+jwt') {
  const { organizationId: iss, assetId: sub } = video
  const iat = nowSeconds()
  return new SignJWT({ iss, sub, iat, exp: iat + 60, jti: randomUUID(), ...more })
    .setProtectedHeader({ typ, alg: 'EdDSA', kid: key.id })
    .sign(await importJWK(key.private_jwk, 'EdDSA'))
}

describe('GET a playback file: 200', () => {
  it('serves every file of the video with a token from the API, also for HEAD', async () => {
    const { token } = await newToken()
    for (const name of ['master.m3u8', '240p.m3u8', 'manifest.mpd', segment]) {
      expect([name, (await get(token, { name })).status]).toEqual([name, 200])
      expect((await get(token, { name, method: 'HEAD' })).status).toBe(200)
    }
  })

  it('accepts a token that the organization signed itself until its key is deleted', async () => {
    const [key, next] = [await newKey(), await newKey()]
    const token = await signed(key, { viewer: 'customer-42' })
    expect((await get(token)).text).toBe('moving')
    expect((await get(await signed(next))).status).toBe(200)
    await caller.delete(`signing-keys/${key.id}/`)
    expectDenied(await get(token), 'not signed by a known key')
    expect((await get(await signed(next))).status).toBe(200)
  })

  it('lets a file be cached privately as long as the token is valid', async () => {
    const { token } = await newToken({ expires_in_seconds: 60 })
    const { headers } = await get(token)
    expect(headers['cache-control']).toMatch(/^private, max-age=(59|[345]\d), immutable$/)
    for (const name of ['x-accel-expires', 'expires', 'set-cookie']) {
      expect(headers).not.toHaveProperty(name)
    }
  })

  it('serves unprotected videos of a public organization without a token', async () => {
    expectDenied(await get('open'), 'not public')
    await setOpen(owner.forOrganization(video.organizationId as OrganizationId), true)
    const status = async () => (await get('open')).status
    await expect.poll(status).toBe(200)
    expect((await get('open')).headers['cache-control']).toBe('public, max-age=31536000, immutable')
    for (const protection of ['aes', 'drm']) {
      const at = await newVideo(protection)
      expectDenied(await get('open', { at }), 'not public')
      expectDenied(await get('open', { at, name: 'master.m3u8' }), 'not public')
    }
    await setOpen(owner.forOrganization(video.organizationId as OrganizationId), false)
    await expect.poll(status).toBe(403)
  })
})

describe('GET a playback file: 302', () => {
  it('a single-use token redirects to a playable URL once', async () => {
    const { token, id } = await newToken({ single_use: true, viewer_id: 'customer-42' })
    expectDenied(await get(token), 'Start with')
    expectDenied(await get(token, { name: '240p.m3u8' }), 'Start with')
    expectDenied(await get(token, { name: 'master.m3u8', method: 'HEAD' }), 'Start with')
    const { status, headers } = await get(token, { name: 'master.m3u8' })
    expect(status).toBe(302)
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'access-control-allow-origin': '*',
    })
    const onward = onwardFrom(token, headers['location'])
    expect((await get(onward, { name: 'master.m3u8' })).status).toBe(200)
    expect((await get(onward)).text).toBe('moving')
    expectDenied(await get(token, { name: 'master.m3u8' }), 'has been used')
    expectDenied(await get(token, { name: 'manifest.mpd' }), 'has been used')
    const path = `assets/${video.assetId}/access-tokens/${id}/`
    const { body } = await caller.get<accessTokens.AccessToken>(path)
    expect(body.used_at).toEqual(expect.any(String))
  })

  it('the redirect target keeps the rules and expiry of the token and is revoked with it', async () => {
    const input = { single_use: true, expires_in_seconds: 60, referrers: ['example.com'] }
    const { token, id } = await newToken(input)
    const headers = { origin: 'https://example.com' }
    expectDenied(await get(token, { name: 'master.m3u8' }), 'certain sites')
    const first = await get(token, { name: 'master.m3u8', headers })
    const onward = onwardFrom(token, first.headers['location'])
    expectDenied(await get(onward), 'certain sites')
    const mediaFile = await get(onward, { headers })
    expect(mediaFile.headers['cache-control']).toMatch(/^private, max-age=(59|[345]\d), immutable$/)
    await caller.delete(`assets/${video.assetId}/access-tokens/${id}/`)
    expectDenied(await get(onward, { headers }), 'revoked')
  })

  it('the redirect target is rejected once the key that signed the token is deleted', async () => {
    const key = await newKey()
    const token = await signed(key, { once: true })
    const { headers } = await get(token, { name: 'manifest.mpd' })
    const onward = onwardFrom(token, headers['location'], 'manifest.mpd')
    expect((await get(onward)).status).toBe(200)
    await caller.delete(`signing-keys/${key.id}/`)
    expectDenied(await get(onward), 'not signed by a known key')
  })

  it('only one of many concurrent uses of a token on two instances succeeds', async () => {
    const { token } = await newToken({ single_use: true })
    const callers = Array.from({ length: 12 }, (_, index) =>
      get(token, { name: 'master.m3u8', of: index % 2 ? testApi : otherInstance }),
    )
    const statuses = (await Promise.all(callers)).map(({ status }) => status)
    expect(statuses.sort()).toEqual([302, ...Array.from({ length: 11 }, () => 403)])
  })

  it('a request for a video that is not playable yet does not use up the token', async () => {
    const { asset } = await openSession(caller, { content_protection_type: 'disable' })
    const at = { ...video, assetId: asset.id }
    const { token } = await newToken({ single_use: true }, at)
    expect((await get(token, { name: 'master.m3u8', at })).status).toBe(404)
    await publisher.plan(at, plan)
    await publisher.publish(at, {
      ...{ track: '240p', firstSegment: 0, attempt: 'video-encode-1', init: 'init' },
      segments: [{ body: 'moving', seconds: 4 }],
    })
    expect((await get(token, { name: 'master.m3u8', at })).status).toBe(302)
  })

  /** The redirect is relative, so that it works under any origin and prefix. */
  function onwardFrom(token: string, location = '', name = 'master.m3u8'): string {
    const { organizationId, assetId } = video
    const own = `/${organizationId}/${assetId}/${name}`
    const { pathname } = new URL(location, `https://watch.example/v/${token}${own}`)
    expect(pathname.startsWith('/v/') && pathname.endsWith(own)).toBe(true)
    return pathname.slice('/v/'.length, -own.length)
  }
})

describe('GET a playback file: 403', () => {
  it.each(['x', 'open.', 'a.b.c', 'eyJhbGciOiJFZERTQSJ9.e30.AAAA', '%00', 'OPEN'])(
    'rejects a malformed token: %s',
    async (token) => {
      expectDenied(await get(token), 'missing, malformed')
      expectDenied(await get(token, { name: 'master.m3u8' }), 'missing, malformed')
    },
  )

  it('rejects a token that is too long', async () => {
    const { token } = await newToken()
    expectDenied(await get(`${token}${'A'.repeat(6144)}`), 'malformed')
    const key = await newKey()
    const padded = await signed(key, { padding: 'x'.repeat(5000) })
    expectDenied(await get(padded), 'malformed')
  })

  it('rejects a token whose header, claims or signature were changed', async () => {
    const [header = '', , signature = ''] = (await newToken()).token.split('.')
    const { token } = await newToken({ expires_in_seconds: 60 })
    const [, claims = ''] = token.split('.')
    const longer = JSON.parse(Buffer.from(claims, 'base64url').toString())
    const forged = Buffer.from(JSON.stringify({ ...longer, exp: longer.exp + 60 }))
    expectDenied(await get([header, claims, signature].join('.')), 'not signed')
    const own = token.slice(token.lastIndexOf('.'))
    expectDenied(await get(`${header}.${forged.toString('base64url')}${own}`), 'not signed')
    const turned = own.charAt(10) === 'A' ? 'B' : 'A'
    const broken = own.slice(0, 10) + turned + own.slice(11)
    expectDenied(await get(`${header}.${claims}${broken}`), 'not signed')
    expect((await get(token)).status).toBe(200)
  })

  it('rejects an expired token, also if it was cached as valid', async () => {
    const key = await newKey()
    const iat = nowSeconds()
    expectDenied(await get(await signed(key, { iat: iat - 60, exp: iat - 1 })), 'expired')
    const short = await signed(key, { iat, exp: iat + 60 })
    expect((await get(short)).status).toBe(200)
    // Fake only the date: everything else, including Postgres, runs in real time.
    vi.useFakeTimers({ toFake: ['Date'], now: (iat + 59) * 1000 })
    expect((await get(short)).status).toBe(200)
    vi.setSystemTime((iat + 60) * 1000)
    expectDenied(await get(short), 'expired')
  })

  it('rejects a token without an expiry or with more than thirty days', async () => {
    const key = await newKey()
    const endless = await signed(key, { exp: undefined })
    expectDenied(await get(endless), 'malformed')
    const exp = nowSeconds() + 31 * 86_400
    expectDenied(await get(await signed(key, { exp })), 'malformed')
  })

  it('rejects a token for another video, whichever key signed it', async () => {
    const other = await newVideo()
    const { token } = await newToken({}, other)
    expect((await get(token, { at: other })).status).toBe(200)
    expectDenied(await get(token), 'another video')
    expectDenied(await get(await signed(await newKey(), { sub: other.assetId })), 'another video')
  })

  it('rejects tokens of another organization and tokens signed with its keys, whichever issuer they name', async () => {
    const [mine, key] = [video, await newKey()]
    const { token } = await newToken()
    caller = await testApi.newOrganization()
    const theirs = { ...mine, organizationId: caller.organizationId }
    expectDenied(await get(token, { at: theirs }), 'another video')
    const theirKey = await newKey()
    video = theirs
    expectDenied(await get(await signed(theirKey), { at: mine }), 'not signed')
    expectDenied(await get(await signed(theirKey, { iss: mine.organizationId }), { at: mine }), 'not signed')
    // A token cached as valid for one organization is rejected for the other.
    const crossing = await signed(key, { iss: theirs.organizationId })
    expectDenied(await get(crossing, { at: mine }), 'another video')
    expectDenied(await get(crossing, { at: theirs }), 'not signed')
  })

  it('rejects an unsigned token and one signed with the public key as a secret', async () => {
    const key = await newKey()
    const { organizationId: iss, assetId: sub } = video
    const iat = nowSeconds()
    const claims = { iss, sub, iat, exp: iat + 60, jti: 'forged' }
    expectDenied(await get(new UnsecuredJWT(claims).encode()), 'malformed')
    const none = Buffer.from(JSON.stringify({ alg: 'none', kid: key.id })).toString('base64url')
    const payload = Buffer.from(JSON.stringify(claims)).toString('base64url')
    expectDenied(await get(`${none}.${payload}.AAAA`), 'not signed')
    const secrets = [Buffer.from(key.public_key), Buffer.from(key.private_jwk.x, 'base64url')]
    for (const secret of secrets) {
      const confused = await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: key.id }).sign(secret)
      expectDenied(await get(confused), 'not signed')
    }
  })

  it('rejects a token that brings its own key or names an unknown one', async () => {
    const key = await newKey()
    const own = generateKeyPairSync('ed25519')
    const jwk = own.publicKey.export({ format: 'jwk' })
    const { organizationId: iss, assetId: sub } = video
    const iat = nowSeconds()
    const claims = { iss, sub, iat, exp: iat + 60, jti: 'forged' }
    for (const kid of [key.id, 'service-000000000000', randomUUID(), '']) {
      const forged = await new SignJWT(claims)
        .setProtectedHeader({ typ: 'playback+jwt', alg: 'EdDSA', kid, jwk: { kty: 'OKP', ...jwk } })
        .sign(own.privateKey)
      expectDenied(await get(forged), 'not signed')
    }
  })

  it('rejects a JWT that the key signed for another purpose', async () => {
    const token = await signed(await newKey(), {}, 'JWT')
    expectDenied(await get(token), '`typ: playback+jwt`')
  })

  it('rejects a revoked token at once on this instance, and soon on another', async () => {
    const { token, id } = await newToken()
    expect((await get(token, { of: otherInstance })).status).toBe(200)
    await caller.delete(`assets/${video.assetId}/access-tokens/${id}/`)
    expectDenied(await get(token), 'revoked')
    const elsewhere = async () => (await get(token, { of: otherInstance })).status
    await expect.poll(elsewhere, { interval: 100 }).toBe(403)
  })

  it('rejects requests from pages that are not among the referrers', async () => {
    const { token } = await newToken({ referrers: ['example.com', '*.example.net'] })
    const from = (headers: Record<string, string>) => get(token, { headers })
    for (const headers of [
      { origin: 'https://example.com' },
      { referer: 'https://example.com/watch' },
      { origin: 'https://www.example.net' },
    ]) {
      expect((await from(headers)).status).toBe(200)
    }
    expectDenied(await from({}), 'certain sites')
    expectDenied(await from({ origin: 'https://thief.example' }), 'certain sites')
    expectDenied(await from({ referer: 'https://example.com.thief.example/' }), 'certain sites')
  })

  it('rejects requests from IP addresses outside the networks', async () => {
    const { token } = await newToken({ networks: ['192.0.2.0/25', '2001:db8::/32'] })
    const from = (address: string) => get(token, { headers: { 'x-forwarded-for': address } })
    for (const address of ['192.0.2.1', '192.0.2.127', '2001:db8::1', '::ffff:192.0.2.1']) {
      expect([address, (await from(address)).status]).toEqual([address, 200])
    }
    for (const address of ['192.0.2.128', '198.51.100.1', '2001:db9::1', '::1']) {
      expectDenied(await from(address), 'other networks')
    }
    // Without a trusted proxy, X-Forwarded-For is ignored.
    const claimed = { 'x-forwarded-for': '192.0.2.1' }
    expectDenied(await get(token, { headers: claimed, of: otherInstance }), 'other networks')
  })

  it('rejects a token with an invalid network', async () => {
    const token = await signed(await newKey(), { networks: ['10.0.0.0/99'] })
    expectDenied(await get(token), 'malformed')
  })
})

describe('GET a playback file: 404', () => {
  it('is returned for a deleted video, also with its token', async () => {
    const { token } = await newToken()
    await caller.delete(`assets/${video.assetId}/`)
    expect((await get(token)).status).toBe(404)
  })
})

describe('an edge', () => {
  const check = (token: string, options: RequestOptions = {}) =>
    get(token, { ...options, prefix: '/play-access', name: '' })

  it('204: gets the cache header for the viewer', async () => {
    const { token } = await newToken({ expires_in_seconds: 60 })
    const { status, headers } = await check(token)
    expect(status).toBe(204)
    expect(headers['x-media-cache-control']).toMatch(/^private, max-age=(59|[345]\d), immutable$/)
    await setOpen(owner.forOrganization(video.organizationId as OrganizationId), true)
    await expect.poll(async () => (await check('open')).status).toBe(204)
    expect((await check('open')).headers['x-media-cache-control']).toContain('public')
    expect((await check('open', { at: await newVideo('aes') })).status).toBe(403)
  })

  it('403: may not serve requests that violate the rules or have a single-use token', async () => {
    const { token } = await newToken({ referrers: ['example.com'] })
    expect((await check(token, { headers: { origin: 'https://example.com' } })).status).toBe(204)
    expect((await check(token)).status).toBe(403)
    expect((await check((await newToken({ single_use: true })).token)).status).toBe(403)
    expect((await check('x')).status).toBe(403)
  })

  it('404: reports a deleted video within seconds', async () => {
    const { token } = await newToken()
    expect((await check(token)).status).toBe(204)
    await caller.delete(`assets/${video.assetId}/`)
    await expect.poll(async () => (await check(token)).status).toBe(404)
  })
})
