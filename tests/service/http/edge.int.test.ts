/** The edge configuration shipped to operators (deploy/nginx), run by Debian's nginx in front of the API. */
import { createHash } from 'node:crypto'
import type { accessTokens, signingKeys, usage as usageContract, versions } from '@reelkeep/contract'
import type { OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import { countEdgeLog, EdgeLog } from '@reelkeep/server/modules/usage/usage.ts'
import {
  ApiProcess,
  Caller,
  newOrganization,
  openOwner,
  openSession,
  Publisher,
  Superuser,
  shortPlan,
  startEdge,
  type VideoRef,
} from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { importJWK, SignJWT } from 'jose'
import { beforeEach, describe, expect, it } from 'vitest'

const api = await opened(ApiProcess.start({ TRUSTED_PROXY_HOPS: '1' }))
const otherInstance = await opened(ApiProcess.start())
const edge = await opened(startEdge(api.baseUrl))
const publisher = await opened(Publisher.open())
const superuser = await opened(Superuser.open())

const plan = shortPlan(2)

const segment = 'video-encode-1/240p/00000.m4s'
const body = 'moving pictures'

let caller: Caller
/** The same caller, using an instance that is not behind the edge. */
let elsewhere: Caller
let video: VideoRef
beforeEach(async () => {
  await using owner = openOwner()
  const { organizationId, token } = await newOrganization(owner)
  caller = new Caller(api.send, organizationId, token)
  elsewhere = new Caller(otherInstance.send, organizationId, token)
  const { asset } = await openSession(caller, { content_protection_type: 'disable' })
  video = { organizationId, assetId: asset.id }
  await publisher.plan(video, plan)
  await publisher.publish(video, {
    ...{ track: '240p', firstSegment: 0, attempt: 'video-encode-1', init: 'init' },
    segments: [
      { body, seconds: 4 },
      { body: 'more', seconds: 4 },
    ],
  })
  await publisher.setStatus(video, 'Completed')
})

async function newToken(input: object = {}): Promise<accessTokens.NewAccessToken> {
  const path = `assets/${video.assetId}/access-tokens/`
  return (await caller.post<accessTokens.NewAccessToken>(path, input)).body
}

/** Uploads another version, and activates it. */
async function showVersion(text: string): Promise<void> {
  await superuser.query(`update assets set bytes = 1, source_key = 'none' where id = $1`, [video.assetId])
  const { body: created } = await caller.post<versions.NewVersion>(`assets/${video.assetId}/versions/`, {})
  const media = { organizationId: video.organizationId, assetId: created.client_payload.key.split('/')[1] ?? '' }
  await publisher.plan(media, plan)
  await publisher.publish(media, {
    ...{ track: '240p', firstSegment: 0, attempt: 'video-encode-1', init: 'init' },
    segments: [
      { body: text, seconds: 4 },
      { body: 'more', seconds: 4 },
    ],
  })
  await superuser.query(`update assets set bytes = 1, source_key = 'none' where id = $1`, [media.assetId])
  await publisher.setStatus(media, 'Completed')
  expect((await caller.post(`assets/${video.assetId}/versions/2/activate/`)).status).toBe(200)
}

const own = () => `${video.organizationId}/${video.assetId}`
const urlOf = (token: string, name = segment) => `${edge.baseUrl}/play/${token}/${own()}/${name}`

async function send(token: string, name = segment, more: RequestInit = {}) {
  const response = await fetch(urlOf(token, name), { redirect: 'manual', ...more })
  const text = await response.text()
  return { status: response.status, text, headers: Object.fromEntries(response.headers) }
}

const statusOf = async (token: string, name = segment) => (await send(token, name)).status

/** The cache statuses logged for `name`, in order, once there are `times` of them. */
async function cacheStatusesOf(name: string, times: number): Promise<string[]> {
  const lines = () => edge.log.split('\n').filter((line) => line.includes(`${own()}/${name}"`))
  await expect.poll(() => lines().length).toBe(times)
  return lines().map((line) => line.split(' ').at(-1) ?? '')
}

describe('a media file at the edge', () => {
  it('is cached for all viewers', async () => {
    const [first, second] = [await newToken(), await newToken()]
    const one = await send(first.token)
    const two = await send(second.token)
    expect([one, two]).toMatchObject([
      { status: 200, text: body },
      { status: 200, text: body },
    ])
    expect(await cacheStatusesOf(segment, 2)).toEqual(['MISS', 'HIT'])
    expect(two.headers).toMatchObject({
      'access-control-allow-origin': '*',
      etag: one.headers['etag'],
    })
    expect(two.headers).not.toHaveProperty('x-request-id')
    expect(two.headers).not.toHaveProperty('x-accel-expires')
  })

  it('of another version is cached by itself, and so are its playlists', async () => {
    const { token } = await newToken()
    expect((await send(token)).text).toBe(body)
    await showVersion('second cut')
    for (const [name, text] of [
      [segment, body],
      [`v2/${segment}`, 'second cut'],
    ] as const) {
      expect([(await send(token, name)).text, (await send(token, name)).text]).toEqual([text, text])
    }
    expect(await cacheStatusesOf(segment, 3)).toEqual(['MISS', 'HIT', 'HIT'])
    expect(await cacheStatusesOf(`v2/${segment}`, 2)).toEqual(['MISS', 'HIT'])
    expect((await send(token, 'v2/240p.m3u8')).status).toBe(200)
    expect(await cacheStatusesOf('v2/240p.m3u8', 1)).toEqual(['MISS'])
    // The entry document changes with the version, so it is never cached.
    expect((await send(token, 'master.m3u8')).text).toContain('v2/240p.m3u8')
  })

  it('is fetched once for simultaneous requests', async () => {
    const tokens = await Promise.all(Array.from({ length: 20 }, () => newToken()))
    const responses = await Promise.all(tokens.map(({ token }) => send(token)))
    expect(responses.every(({ text }) => text === body)).toBe(true)
    const ways = await cacheStatusesOf(segment, 20)
    expect(ways.filter((way) => way === 'MISS')).toHaveLength(1)
    expect(ways.filter((way) => way === 'HIT')).toHaveLength(19)
  })

  it("has a cache lifetime that ends with the viewer's own playback token", async () => {
    const long = await newToken({ expires_in_seconds: 86_400 })
    const short = await newToken({ expires_in_seconds: 60 })
    expect((await send(long.token)).headers['cache-control']).toMatch(/^private, max-age=86[34]\d\d, immutable$/)
    expect((await send(short.token)).headers['cache-control']).toMatch(/^private, max-age=(59|60|[345]\d), immutable$/)
  })

  it('supports ranges, conditional requests and HEAD', async () => {
    const { token } = await newToken()
    const part = await send(token, segment, { headers: { range: 'bytes=2-4' } })
    expect(part).toMatchObject({ status: 206, text: body.slice(2, 5) })
    expect(part.headers['content-range']).toBe(`bytes 2-4/${body.length}`)
    const { headers } = await send(token)
    const again = await send(token, segment, {
      headers: { 'if-none-match': headers['etag'] ?? '' },
    })
    expect(again.status).toBe(304)
    const head = await send(token, segment, { method: 'HEAD' })
    expect(head).toMatchObject({ status: 200, text: '' })
    expect(head.headers['content-length']).toBe(String(body.length))
    const beyond = await send(token, segment, { headers: { range: 'bytes=100-' } })
    expect(beyond.status).toBe(416)
    expect(await cacheStatusesOf(segment, 5)).toEqual(['MISS', 'HIT', 'HIT', 'HIT', 'HIT'])
  })

  it('is not cached if it does not exist', async () => {
    const { token } = await newToken()
    const missing = 'video-encode-9/240p/00000.m4s'
    const response = await send(token, missing)
    expect(response.status).toBe(404)
    expect(response.headers['cache-control']).toBe('no-store')
    expect(await statusOf(token, missing)).toBe(404)
    expect(await cacheStatusesOf(missing, 2)).toEqual(['MISS', 'MISS'])
  })
})

describe('a playlist at the edge', () => {
  it('is cached for a short time, and the entry playlist is not cached', async () => {
    const { token } = await newToken()
    for (const name of ['master.m3u8', 'manifest.mpd']) {
      expect([name, await statusOf(token, name)]).toEqual([name, 200])
      expect([name, await statusOf(token, name)]).toEqual([name, 200])
    }
    let times = 0
    const nextWay = async () => {
      expect(await statusOf(token, '240p.m3u8')).toBe(200)
      return (await cacheStatusesOf('240p.m3u8', ++times)).at(-1)
    }
    expect(await nextWay()).toBe('MISS')
    await expect.poll(nextWay).toBe('HIT')
    expect(await cacheStatusesOf('master.m3u8', 2)).toEqual(['-', '-'])
    expect(await cacheStatusesOf('manifest.mpd', 2)).toEqual(['-', '-'])
    expect((await send(token, '240p.m3u8')).headers['cache-control']).toBe('private, max-age=2')
  })
})

describe('the edge denies access to a cached media file', () => {
  /** Lets another viewer fetch the file, so that the edge caches it. */
  beforeEach(async () => {
    expect(await statusOf((await newToken()).token)).toBe(200)
  })

  it.each(['open', 'x', 'eyJhbGciOiJub25lIn0.e30.AAAA'])('without a valid playback token: %s', async (token) => {
    const { status, headers, text } = await send(token)
    expect(status).toBe(403)
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'cache-control': 'no-store',
    })
    expect(JSON.parse(text)).toMatchObject({ code: 'playback_denied' })
  })

  it('for the playback token of another video', async () => {
    const { token } = await newToken()
    const { asset } = await openSession(caller)
    video = { ...video, assetId: asset.id }
    expect(await statusOf(token)).toBe(403)
  })

  it('for an expired playback token, so that a copied URL stops working', async () => {
    const { body: key } = await caller.post<signingKeys.NewSigningKey>('signing-keys/', {
      name: 'Website',
    })
    const token = await new SignJWT({ iss: video.organizationId, sub: video.assetId, jti: 'short' })
      .setProtectedHeader({ typ: 'playback+jwt', alg: 'EdDSA', kid: key.id })
      .setIssuedAt()
      .setExpirationTime('20 seconds')
      .sign(await importJWK(key.private_jwk, 'EdDSA'))
    expect(await statusOf(token)).toBe(200)
    await expect.poll(() => statusOf(token), { interval: 100 }).toBe(403)
    expect((await send(token)).text).toContain('has expired')
  })

  it('for a playback token revoked on another instance, even in constant use', async () => {
    const [{ token, id }, other] = [await newToken(), await newToken()]
    // This deletion makes the edge's instance clear its cache, so that it caches the token just before the revocation.
    await caller.delete(`assets/${video.assetId}/access-tokens/${other.id}/`)
    expect(await statusOf(token)).toBe(200)
    await elsewhere.delete(`assets/${video.assetId}/access-tokens/${id}/`)
    // The edge caches the result of the access check separately for each origin.
    const pages = Array.from({ length: 20 }, (_, page) => `https://${page}.example`)
    const statuses = () =>
      Promise.all(pages.map(async (origin) => (await send(token, segment, { headers: { origin } })).status))
    await expect.poll(statuses, { interval: 25 }).toEqual(pages.map(() => 403))
  })

  it('after the video was deleted on another instance', async () => {
    const { token } = await newToken()
    expect(await statusOf(token)).toBe(200)
    await elsewhere.delete(`assets/${video.assetId}/`)
    await expect.poll(() => statusOf(token), { interval: 100 }).toBe(404)
  })

  it('for a page that is not allowed', async () => {
    const { token } = await newToken({ referrers: ['example.com'] })
    const from = async (origin: string) => (await send(token, segment, { headers: { origin } })).status
    expect(await from('https://example.com')).toBe(200)
    expect(await from('https://thief.example')).toBe(403)
    expect(await from('https://example.com')).toBe(200)
    expect(await statusOf(token)).toBe(403)
  })

  it('for a network that is not allowed, whatever the request headers claim', async () => {
    const { token } = await newToken({ networks: ['192.0.2.0/24'] })
    const headers = { 'x-forwarded-for': '192.0.2.1' }
    expect((await send(token, segment, { headers })).status).toBe(403)
    expect(await statusOf((await newToken({ networks: ['127.0.0.0/8'] })).token)).toBe(200)
  })

  it('for a single-use playback token that has not been used for the entry playlist', async () => {
    const { token } = await newToken({ single_use: true })
    expect(await statusOf(token)).toBe(403)
    const first = await send(token, 'master.m3u8')
    expect(first.status).toBe(302)
    const onward = new URL(first.headers['location'] ?? '', urlOf(token, 'master.m3u8'))
    expect((await fetch(onward)).status).toBe(200)
    expect(await (await fetch(new URL(segment, onward))).text()).toBe(body)
    expect(await statusOf(token, 'master.m3u8')).toBe(403)
  })
})

it('the edge lets pages of every origin request ranges', async () => {
  const { token } = await newToken()
  const headers = { origin: 'https://any.example', 'access-control-request-method': 'GET' }
  const response = await send(token, segment, { method: 'OPTIONS', headers })
  expect(response.status).toBe(204)
  expect(response.headers['access-control-allow-headers']).toContain('Range')
})

it.each([
  'video-encode-1/240p/%30%30000.m4s',
  'video-encode-1/x/%2e%2e/240p/00000.m4s',
  'video-encode-1//240p/00000.m4s',
])('the edge treats another spelling of a path as the same media file: %s', async (name) => {
  const { token } = await newToken()
  expect(await statusOf(token)).toBe(200)
  expect(await send(token, name)).toMatchObject({ status: 200, text: body })
  expect(await cacheStatusesOf(segment, 2)).toEqual(['MISS', 'HIT'])
})

it('the edge serves only videos, and returns 404 for all other paths', async () => {
  for (const path of ['/', '/docs/', '/readyz', '/reelkeep-access', `/api/v1/${own()}/`]) {
    expect([path, (await fetch(edge.baseUrl + path)).status]).toEqual([path, 404])
  }
})

it('deliveries from the cache of the edge are counted from its log, and others by the API', async () => {
  const { token } = await newToken()
  for (let time = 0; time < 3; time++) expect(await statusOf(token)).toBe(200)
  expect(await cacheStatusesOf(segment, 3)).toEqual(['MISS', 'HIT', 'HIT'])
  const log = new EdgeLog()
  for (const line of edge.log.split('\n')) log.addLine(line)
  const [, deliveries = []] = [...log.organizations()].find(([id]) => id === video.organizationId) ?? []
  await using owner = openOwner()
  const db = owner.forOrganization(video.organizationId as OrganizationId)
  const hash = createHash('sha256').update(edge.log).digest()
  expect(await countEdgeLog(db, hash, deliveries)).toBe(2 * body.length)
  const usage = async () => (await caller.get<usageContract.Usage>('usage/')).body.results.at(-1)
  await expect.poll(usage).toMatchObject({ delivered_bytes: 3 * body.length, delivered_minutes: 0.2 })
})

it('the edge never logs a playback token', async () => {
  const { token } = await newToken()
  await send(token)
  await send(`${token}x`)
  const misspelt = ['/play/TOKEN', '/play/TOKEN/', '/play-access/TOKEN', '/PLAY/TOKEN/x', '/TOKEN/x']
  const others = [`/play-access/TOKEN/${own()}/`, `/play/TOKEN/${own()}/a%0Ab`, `/play/TOKEN?a=TOKEN`]
  for (const path of [...misspelt, ...others]) {
    await fetch(edge.baseUrl + path.replaceAll('TOKEN', token))
  }
  await send(token, 'master.m3u8')
  await cacheStatusesOf('master.m3u8', 1)
  const signature = token.slice(token.lastIndexOf('.') + 1)
  for (const log of [edge.log, edge.errorLog]) expect(log).not.toContain(signature)
  expect(edge.log).toContain(`"GET /play-access/-/${own()}/"`)
})
