/** What a pass opens, and to whom: at the addresses that viewers fetch, on two instances. */
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import type { accessTokens, signingKeys } from '@reelkeep/contract'
import {
  type Answer,
  type Caller,
  openOwner,
  openSession,
  Publisher,
  type VideoPlace,
  World,
} from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { importJWK, SignJWT, UnsecuredJWT } from 'jose'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { OrganizationId } from '../../kernel/ids.ts'
import { setOpen } from '../organizations/organizations.ts'

const world = await opened(World.open({ TRUSTED_PROXY_HOPS: '1' }))
const otherInstance = await opened(World.open())
const publisher = await opened(Publisher.open())
const owner = await opened(Promise.resolve(openOwner()))

const plan = {
  durationSeconds: 4,
  frameRate: { numerator: 30, denominator: 1 },
  segmentFrames: 120,
  gopFrames: 120,
  audio: null,
  tracks: [
    {
      ...{ name: '240p', width: 426, height: 240, codecs: 'avc1.64000d' },
      ...{ bitrateMax: 4e5, segmentsTotal: 1 },
    },
  ],
}

const segment = 'video-encode-1/240p/00000.m4s'

let caller: Caller
let place: VideoPlace
beforeEach(async () => {
  caller = await world.newOrganization()
  place = await newVideo()
})
afterEach(() => {
  vi.useRealTimers()
})

async function newVideo(protection = 'disable'): Promise<VideoPlace> {
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

async function newToken(wish: object = {}, { assetId } = place): Promise<NewAccessToken> {
  const path = `assets/${assetId}/access_tokens/`
  const { status, body, text } = await caller.post<NewAccessToken>(path, wish)
  if (status !== 201) throw new Error(text)
  return body
}

type Asking = {
  readonly name?: string
  readonly method?: 'GET' | 'HEAD'
  readonly headers?: Record<string, string>
  readonly at?: VideoPlace
  readonly of?: World
  readonly prefix?: string
}

function ask(pass: string, asking: Asking = {}): Promise<Answer> {
  const { name = segment, method = 'GET', headers = {}, of = world, prefix = '/play' } = asking
  const { organizationId, assetId } = asking.at ?? place
  const path = `${prefix}/${pass}/${organizationId}/${assetId}/${name}`
  return of.send({ method, path, headers, body: undefined })
}

function expectDenied(answer: Answer, why: string) {
  expect(answer.status, answer.text).toBe(403)
  expect(answer.headers).toMatchObject({
    'content-type': 'application/problem+json; charset=utf-8',
    'cache-control': 'no-store',
    'access-control-allow-origin': '*',
  })
  const { code, detail } = JSON.parse(answer.text)
  expect(code).toBe('playback_denied')
  expect(detail).toContain(why)
}

async function newKey() {
  const { body } = await caller.post<signingKeys.NewSigningKey>('signing_keys/', { name: 'Site' })
  return body
}

type Key = signingKeys.NewSigningKey

const nowSeconds = () => Math.floor(Date.now() / 1000)

/** As a customer's own backend signs. */
async function signed(key: Pick<Key, 'id' | 'private_jwk'>, more: Record<string, unknown> = {}) {
  const { organizationId: iss, assetId: sub } = place
  const iat = nowSeconds()
  return new SignJWT({ iss, sub, iat, exp: iat + 60, jti: randomUUID(), ...more })
    .setProtectedHeader({ alg: 'EdDSA', kid: key.id })
    .sign(await importJWK(key.private_jwk, 'EdDSA'))
}

describe('200', () => {
  it('by a token of the API: of all that belongs to the video, and by HEAD', async () => {
    const { token } = await newToken()
    for (const name of ['master.m3u8', '240p.m3u8', 'manifest.mpd', segment]) {
      expect([name, (await ask(token, { name })).status]).toEqual([name, 200])
      expect((await ask(token, { name, method: 'HEAD' })).status).toBe(200)
    }
  })

  it('by a token that the organization signed itself, until its key is deleted', async () => {
    const [key, next] = [await newKey(), await newKey()]
    const pass = await signed(key, { viewer: 'customer-42' })
    expect((await ask(pass)).text).toBe('moving')
    expect((await ask(await signed(next))).status).toBe(200)
    await caller.delete(`signing_keys/${key.id}/`)
    expectDenied(await ask(pass), 'not signed by anybody')
    expect((await ask(await signed(next))).status).toBe(200)
  })

  it('is kept by its viewer as long as the pass lasts', async () => {
    const { token } = await newToken({ expires_in_seconds: 60 })
    const { headers } = await ask(token)
    expect(headers['cache-control']).toMatch(/^private, max-age=(59|[345]\d), immutable$/)
    for (const name of ['x-accel-expires', 'expires', 'set-cookie']) {
      expect(headers).not.toHaveProperty(name)
    }
  })

  it('without a token where the organization is open, of what is not protected', async () => {
    expectDenied(await ask('open'), 'not open to everybody')
    await setOpen(owner.forOrganization(place.organizationId as OrganizationId), true)
    const status = async () => (await ask('open')).status
    await expect.poll(status, { timeout: 5000 }).toBe(200)
    expect((await ask('open')).headers['cache-control']).toBe('public, max-age=31536000, immutable')
    for (const protection of ['aes', 'drm']) {
      const at = await newVideo(protection)
      expectDenied(await ask('open', { at }), 'not open to everybody')
      expectDenied(await ask('open', { at, name: 'master.m3u8' }), 'not open to everybody')
    }
    await setOpen(owner.forOrganization(place.organizationId as OrganizationId), false)
    await expect.poll(status, { timeout: 5000 }).toBe(403)
  })
})

describe('302', () => {
  it('a token for a single use leads on to where the video plays, once', async () => {
    const { token, id } = await newToken({ single_use: true, viewer_id: 'customer-42' })
    expectDenied(await ask(token), 'Begin with')
    expectDenied(await ask(token, { name: '240p.m3u8' }), 'Begin with')
    expectDenied(await ask(token, { name: 'master.m3u8', method: 'HEAD' }), 'Begin with')
    const { status, headers } = await ask(token, { name: 'master.m3u8' })
    expect(status).toBe(302)
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'access-control-allow-origin': '*',
    })
    const onward = onwardFrom(token, headers['location'])
    expect((await ask(onward, { name: 'master.m3u8' })).status).toBe(200)
    expect((await ask(onward)).text).toBe('moving')
    expectDenied(await ask(token, { name: 'master.m3u8' }), 'has been used')
    expectDenied(await ask(token, { name: 'manifest.mpd' }), 'has been used')
    const path = `assets/${place.assetId}/access_tokens/${id}/`
    const { body } = await caller.get<accessTokens.AccessToken>(path)
    expect(body.used_at).toEqual(expect.any(String))
  })

  it('what it leads to has its rules and its end, and ends with it', async () => {
    const wish = { single_use: true, expires_in_seconds: 60, referrers: ['example.com'] }
    const { token, id } = await newToken(wish)
    const headers = { origin: 'https://example.com' }
    expectDenied(await ask(token, { name: 'master.m3u8' }), 'certain sites')
    const first = await ask(token, { name: 'master.m3u8', headers })
    const onward = onwardFrom(token, first.headers['location'])
    expectDenied(await ask(onward), 'certain sites')
    const piece = await ask(onward, { headers })
    expect(piece.headers['cache-control']).toMatch(/^private, max-age=(59|[345]\d), immutable$/)
    await caller.delete(`assets/${place.assetId}/access_tokens/${id}/`)
    expectDenied(await ask(onward, { headers }), 'revoked')
  })

  it('what it leads to ends with the key that signed the token', async () => {
    const key = await newKey()
    const pass = await signed(key, { once: true })
    const { headers } = await ask(pass, { name: 'manifest.mpd' })
    const onward = onwardFrom(pass, headers['location'], 'manifest.mpd')
    expect((await ask(onward)).status).toBe(200)
    await caller.delete(`signing_keys/${key.id}/`)
    expectDenied(await ask(onward), 'not signed by anybody')
  })

  it('of all who open it at once, on two instances, one is let in', async () => {
    const { token } = await newToken({ single_use: true })
    const callers = Array.from({ length: 12 }, (_, index) =>
      ask(token, { name: 'master.m3u8', of: index % 2 ? world : otherInstance }),
    )
    const statuses = (await Promise.all(callers)).map(({ status }) => status)
    expect(statuses.sort()).toEqual([302, ...Array.from({ length: 11 }, () => 403)])
  })

  it('is not used up by a video that is not made yet', async () => {
    const { asset } = await openSession(caller, { content_protection_type: 'disable' })
    const at = { ...place, assetId: asset.id }
    const { token } = await newToken({ single_use: true }, at)
    expect((await ask(token, { name: 'master.m3u8', at })).status).toBe(404)
    await publisher.plan(at, plan)
    await publisher.publish(at, {
      ...{ track: '240p', firstSegment: 0, attempt: 'video-encode-1', init: 'init' },
      segments: [{ body: 'moving', seconds: 4 }],
    })
    expect((await ask(token, { name: 'master.m3u8', at })).status).toBe(302)
  })

  /** The address is relative, so that it holds under any origin and prefix. */
  function onwardFrom(token: string, location = '', name = 'master.m3u8'): string {
    const { organizationId, assetId } = place
    const own = `/${organizationId}/${assetId}/${name}`
    const { pathname } = new URL(location, `https://watch.example/v/${token}${own}`)
    expect(pathname.startsWith('/v/') && pathname.endsWith(own)).toBe(true)
    return pathname.slice('/v/'.length, -own.length)
  }
})

describe('403', () => {
  it.each(['x', 'open.', 'a.b.c', 'eyJhbGciOiJFZERTQSJ9.e30.AAAA', '%00', 'OPEN'])(
    'to what is no pass: %s',
    async (pass) => {
      expectDenied(await ask(pass), 'missing, malformed')
      expectDenied(await ask(pass, { name: 'master.m3u8' }), 'missing, malformed')
    },
  )

  it('to one that is larger than any', async () => {
    const { token } = await newToken()
    expectDenied(await ask(`${token}${'A'.repeat(6144)}`), 'malformed')
    const key = await newKey()
    const padded = await signed(key, { padding: 'x'.repeat(5000) })
    expectDenied(await ask(padded), 'malformed')
  })

  it('to one that somebody has changed, wherever', async () => {
    const [header = '', , signature = ''] = (await newToken()).token.split('.')
    const { token } = await newToken({ expires_in_seconds: 60 })
    const [, claims = ''] = token.split('.')
    const longer = JSON.parse(Buffer.from(claims, 'base64url').toString())
    const forged = Buffer.from(JSON.stringify({ ...longer, exp: longer.exp + 60 }))
    expectDenied(await ask([header, claims, signature].join('.')), 'not signed')
    const own = token.slice(token.lastIndexOf('.'))
    expectDenied(await ask(`${header}.${forged.toString('base64url')}${own}`), 'not signed')
    const turned = own.charAt(10) === 'A' ? 'B' : 'A'
    const broken = own.slice(0, 10) + turned + own.slice(11)
    expectDenied(await ask(`${header}.${claims}${broken}`), 'not signed')
    expect((await ask(token)).status).toBe(200)
  })

  it('to one that has expired, also if it was good a moment ago', async () => {
    const key = await newKey()
    const iat = nowSeconds()
    expectDenied(await ask(await signed(key, { iat: iat - 60, exp: iat - 1 })), 'expired')
    const short = await signed(key, { iat, exp: iat + 60 })
    expect((await ask(short)).status).toBe(200)
    // Only the date: everything else, Postgres among it, goes on in real time.
    vi.useFakeTimers({ toFake: ['Date'], now: (iat + 59) * 1000 })
    expect((await ask(short)).status).toBe(200)
    vi.setSystemTime((iat + 60) * 1000)
    expectDenied(await ask(short), 'expired')
  })

  it('to one that never ends, or after more than thirty days', async () => {
    const key = await newKey()
    const endless = await signed(key, { exp: undefined })
    expectDenied(await ask(endless), 'malformed')
    const exp = nowSeconds() + 31 * 86_400
    expectDenied(await ask(await signed(key, { exp })), 'malformed')
  })

  it('to one of another video, by whomever signed', async () => {
    const other = await newVideo()
    const { token } = await newToken({}, other)
    expect((await ask(token, { at: other })).status).toBe(200)
    expectDenied(await ask(token), 'another video')
    expectDenied(await ask(await signed(await newKey(), { sub: other.assetId })), 'another video')
  })

  it('to one of another organization: its tokens, its keys, and its keys in our name', async () => {
    const [mine, key] = [place, await newKey()]
    const { token } = await newToken()
    caller = await world.newOrganization()
    const theirs = { ...mine, organizationId: caller.organizationId }
    expectDenied(await ask(token, { at: theirs }), 'another video')
    const strange = await newKey()
    place = theirs
    expectDenied(await ask(await signed(strange), { at: mine }), 'not signed')
    expectDenied(
      await ask(await signed(strange, { iss: mine.organizationId }), { at: mine }),
      'not signed',
    )
    // And the other way round: known to be signed here, it opens nothing there.
    const crossing = await signed(key, { iss: theirs.organizationId })
    expectDenied(await ask(crossing, { at: mine }), 'another video')
    expectDenied(await ask(crossing, { at: theirs }), 'not signed')
  })

  it('to one without a signature, and to one signed with the public key as a secret', async () => {
    const key = await newKey()
    const { organizationId: iss, assetId: sub } = place
    const iat = nowSeconds()
    const claims = { iss, sub, iat, exp: iat + 60, jti: 'forged' }
    expectDenied(await ask(new UnsecuredJWT(claims).encode()), 'malformed')
    const none = Buffer.from(JSON.stringify({ alg: 'none', kid: key.id })).toString('base64url')
    const said = Buffer.from(JSON.stringify(claims)).toString('base64url')
    expectDenied(await ask(`${none}.${said}.AAAA`), 'not signed')
    const secrets = [Buffer.from(key.public_key), Buffer.from(key.private_jwk.x, 'base64url')]
    for (const secret of secrets) {
      const confused = await new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256', kid: key.id })
        .sign(secret)
      expectDenied(await ask(confused), 'not signed')
    }
  })

  it('to one that brings its own key, or names one that nobody has', async () => {
    const key = await newKey()
    const own = generateKeyPairSync('ed25519')
    const jwk = own.publicKey.export({ format: 'jwk' })
    const { organizationId: iss, assetId: sub } = place
    const iat = nowSeconds()
    const claims = { iss, sub, iat, exp: iat + 60, jti: 'forged' }
    for (const kid of [key.id, 'service-000000000000', randomUUID(), '']) {
      const forged = await new SignJWT(claims)
        .setProtectedHeader({ alg: 'EdDSA', kid, jwk: { kty: 'OKP', ...jwk } })
        .sign(own.privateKey)
      expectDenied(await ask(forged), 'not signed')
    }
  })

  it('to one that is revoked: here at once, elsewhere within five seconds', async () => {
    const { token, id } = await newToken()
    expect((await ask(token, { of: otherInstance })).status).toBe(200)
    await caller.delete(`assets/${place.assetId}/access_tokens/${id}/`)
    const since = performance.now()
    expectDenied(await ask(token), 'revoked')
    const elsewhere = async () => (await ask(token, { of: otherInstance })).status
    await expect.poll(elsewhere, { timeout: 5000, interval: 100 }).toBe(403)
    expect(performance.now() - since).toBeLessThan(5000)
  })

  it('from a page that is not among its referrers', async () => {
    const { token } = await newToken({ referrers: ['example.com', '*.example.net'] })
    const from = (headers: Record<string, string>) => ask(token, { headers })
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

  it('from an address outside of its networks', async () => {
    const { token } = await newToken({ networks: ['192.0.2.0/25', '2001:db8::/32'] })
    const from = (address: string) => ask(token, { headers: { 'x-forwarded-for': address } })
    for (const address of ['192.0.2.1', '192.0.2.127', '2001:db8::1', '::ffff:192.0.2.1']) {
      expect([address, (await from(address)).status]).toEqual([address, 200])
    }
    for (const address of ['192.0.2.128', '198.51.100.1', '2001:db9::1', '::1']) {
      expectDenied(await from(address), 'certain networks')
    }
    // Who is not behind a proxy cannot say where they come from.
    const claimed = { 'x-forwarded-for': '192.0.2.1' }
    expectDenied(await ask(token, { headers: claimed, of: otherInstance }), 'certain networks')
  })

  it('to one that names what is no network', async () => {
    const pass = await signed(await newKey(), { networks: ['10.0.0.0/99'] })
    expectDenied(await ask(pass), 'malformed')
  })
})

describe('404', () => {
  it('of a video that has been deleted, whose tokens go with it', async () => {
    const { token } = await newToken()
    await caller.delete(`assets/${place.assetId}/`)
    expect((await ask(token)).status).toBe(404)
  })
})

describe('an edge', () => {
  const check = (pass: string, asking: Asking = {}) =>
    ask(pass, { ...asking, prefix: '/play-access', name: '' })

  it('204: is told how long a viewer may keep a piece', async () => {
    const { token } = await newToken({ expires_in_seconds: 60 })
    const { status, headers } = await check(token)
    expect(status).toBe(204)
    expect(headers['x-piece-caching']).toMatch(/^private, max-age=(59|[345]\d), immutable$/)
    await setOpen(owner.forOrganization(place.organizationId as OrganizationId), true)
    await expect.poll(async () => (await check('open')).status, { timeout: 5000 }).toBe(204)
    expect((await check('open')).headers['x-piece-caching']).toContain('public')
    expect((await check('open', { at: await newVideo('aes') })).status).toBe(403)
  })

  it('403: is told whom to refuse, single uses included, which begin elsewhere', async () => {
    const { token } = await newToken({ referrers: ['example.com'] })
    expect((await check(token, { headers: { origin: 'https://example.com' } })).status).toBe(204)
    expect((await check(token)).status).toBe(403)
    expect((await check((await newToken({ single_use: true })).token)).status).toBe(403)
    expect((await check('x')).status).toBe(403)
  })

  it('404: is told of a deleted video within seconds', async () => {
    const { token } = await newToken()
    expect((await check(token)).status).toBe(204)
    await caller.delete(`assets/${place.assetId}/`)
    await expect.poll(async () => (await check(token)).status, { timeout: 5000 }).toBe(404)
  })
})
