/** Viewers continue to watch while Postgres is unavailable, for a limited time. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { accessTokens, signingKeys, usage as usageContract } from '@reelkeep/contract'
import type { AssetId, OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import { protectAsset } from '@reelkeep/server/modules/content-keys/content-keys.ts'
import {
  ApiProcess,
  Caller,
  newOrganization,
  OwnPostgres,
  openOwner,
  openSession,
  Publisher,
  type Send,
  shortPlan,
  stackEnv,
  startEdge,
  TcpProxy,
  TestApi,
  timeout,
  type VideoRef,
} from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { importJWK, SignJWT } from 'jose'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

const postgres = await opened(OwnPostgres.start('playback'))
const { DATABASE_URL, DATABASE_WORKER_URL, DATABASE_OWNER_URL, DATABASE_SUPERUSER_URL } = postgres.env
const databaseUrls = { DATABASE_URL, DATABASE_WORKER_URL, DATABASE_OWNER_URL, DATABASE_SUPERUSER_URL }
const env = { ...stackEnv(), ...databaseUrls }
const api = await opened(ApiProcess.start({ TRUSTED_PROXY_HOPS: '1' }, env))
const edge = await opened(startEdge(api.baseUrl))
const owner = await opened(Promise.resolve(openOwner(env)))

/** More segments than one key encrypts. */
const SEGMENTS = 17
/** How long an instance and the edge cache results while the database is available. */
const CACHES_MILLISECONDS = 3500

const nameOf = (segment: number) => `video-encode-1/240p/${String(segment).padStart(5, '0')}.m4s`
const textOf = (segment: number) => `segment ${segment}`

let isStopped = false
/** Resolves when nothing is served from the caches that exist for load any more. */
async function stopDatabase(): Promise<void> {
  isStopped = true
  await postgres.kill()
  await sleep(CACHES_MILLISECONDS)
}
async function startDatabase(): Promise<void> {
  if (isStopped) await postgres.restart()
  isStopped = false
}
afterEach(startDatabase)

let organizationId: string
let caller: Caller
beforeEach(async () => {
  const created = await newOrganization(owner)
  organizationId = created.organizationId
  caller = new Caller(api.send, organizationId, created.token)
})

async function newVideo(protection: 'aes' | 'disable' = 'disable'): Promise<VideoRef> {
  await using publisher = await Publisher.open(env)
  const { asset } = await openSession(caller, { content_protection_type: protection })
  const video = { organizationId, assetId: asset.id }
  await publisher.plan(video, shortPlan(SEGMENTS))
  const { KEY_ENCRYPTION_KEYS: ring } = inProcess.context.config
  const id = asset.id as AssetId
  if (protection === 'aes') await protectAsset(ring, owner.forOrganization(organizationId as OrganizationId), { id })
  await publisher.publish(video, {
    ...{ track: '240p', firstSegment: 0, attempt: 'video-encode-1', init: 'init' },
    segments: Array.from({ length: SEGMENTS }, (_, number) => ({ body: textOf(number), seconds: 4 })),
  })
  await publisher.setStatus(video, 'Completed')
  return video
}

const inProcess = await opened(TestApi.open({}, env))

async function newToken({ assetId }: VideoRef, input: object = {}): Promise<accessTokens.NewAccessToken> {
  const path = `assets/${assetId}/access-tokens/`
  return (await caller.post<accessTokens.NewAccessToken>(path, input)).body
}

const overEdge: Send = async ({ path }) => {
  const response = await fetch(edge.baseUrl + path, { redirect: 'manual' })
  return { status: response.status, headers: Object.fromEntries(response.headers), text: await response.text() }
}

/** Requests files of a video with a token. */
const viewerOf =
  ({ assetId }: VideoRef, token: string, send: Send = api.send) =>
  async (name: string) => {
    const path = `/play/${token}/${organizationId}/${assetId}/${name}`
    const { status, text, headers } = await send({ method: 'GET', path, headers: {}, body: undefined })
    return { status, text, headers }
  }

describe('while Postgres is unavailable, a viewer', () => {
  it('gets the playlists, all segments and the keys of a protected video that was watched', async () => {
    const video = await newVideo('aes')
    const play = viewerOf(video, (await newToken(video)).token)
    const names = ['master.m3u8', '240p.m3u8', 'keys/0.key', 'about.json', nameOf(0)]
    const before = new Map<string, string>()
    for (const name of names) {
      const { status, text } = await play(name)
      expect([name, status]).toEqual([name, 200])
      before.set(name, text)
    }
    await stopDatabase()
    for (const name of names) {
      const { status, text } = await play(name)
      expect([name, status, text]).toEqual([name, 200, before.get(name)])
    }
    for (const segment of [1, SEGMENTS - 1]) {
      expect(await play(nameOf(segment))).toMatchObject({ status: 200, text: textOf(segment) })
    }
    const later = await play('keys/1.key')
    expect(later.status).toBe(200)
    expect((await play('keys/2.key')).status, 'a key beyond the end of the video').toBe(404)
    await startDatabase()
    await expect.poll(async () => (await play('keys/1.key')).text).toBe(later.text)
  })

  it('is accepted with a token that was never used before, also if the organization signed it', async () => {
    const video = await newVideo()
    const [used, unused] = [await newToken(video), await newToken(video)]
    const { body: key } = await caller.post<signingKeys.NewSigningKey>('signing-keys/', { name: 'Website' })
    expect((await viewerOf(video, used.token)(nameOf(0))).status).toBe(200)
    await stopDatabase()
    const signed = await new SignJWT({ iss: organizationId, sub: video.assetId, jti: 'one' })
      .setProtectedHeader({ typ: 'playback+jwt', alg: 'EdDSA', kid: key.id })
      .setIssuedAt()
      .setExpirationTime('10 minutes')
      .sign(await importJWK(key.private_jwk, 'EdDSA'))
    expect((await viewerOf(video, unused.token)(nameOf(1))).status).toBe(200)
    expect((await viewerOf(video, signed)(nameOf(1))).status).toBe(200)
    expect((await viewerOf(video, `${signed.slice(0, -8)}AAAAAAAA`)(nameOf(1))).status).toBe(403)
  })

  it('gets 503 for a single-use token, a video that was not watched, and a download', async () => {
    const [video, other] = [await newVideo(), await newVideo()]
    const singleUse = await newToken(video, { single_use: true })
    const { body: download } = await caller.post<{ url: string }>(`assets/${video.assetId}/downloads/`, {
      kind: 'mp4',
    })
    const play = viewerOf(video, (await newToken(video)).token)
    const playOther = viewerOf(other, (await newToken(other)).token)
    for (const name of ['master.m3u8', nameOf(0)]) expect((await play(name)).status).toBe(200)
    await stopDatabase()
    const refused = [
      await viewerOf(video, singleUse.token)('master.m3u8'),
      await playOther('master.m3u8'),
      await playOther(nameOf(0)),
      await api.send({ method: 'GET', path: new URL(download.url).pathname, headers: {}, body: undefined }),
    ]
    for (const { status, headers } of refused) {
      expect(status).toBe(503)
      expect(Number(headers['retry-after'])).toBeGreaterThan(0)
    }
    await startDatabase()
    // The token is still unused, and valid once.
    const useOnce = async () => (await viewerOf(video, singleUse.token)('master.m3u8')).status
    await expect.poll(useOnce).toBe(200)
    expect(await useOnce()).toBe(403)
  })

  it('gets nothing with a token that was revoked, and nothing of a video that was deleted', async () => {
    const [video, deleted, other] = [await newVideo(), await newVideo(), await newVideo()]
    const revoked = await newToken(video)
    const kept = viewerOf(video, (await newToken(video)).token)
    const withRevoked = viewerOf(video, revoked.token)
    const ofDeleted = viewerOf(deleted, (await newToken(deleted)).token)
    const ofOther = viewerOf(other, (await newToken(other)).token)
    for (const play of [kept, withRevoked, ofDeleted, ofOther]) expect((await play(nameOf(0))).status).toBe(200)
    const path = `assets/${video.assetId}/access-tokens/${revoked.id}/`
    expect((await caller.delete(path)).status).toBe(204)
    expect((await caller.delete(`assets/${deleted.assetId}/`)).status).toBe(204)
    // One request for each, by which the instance learns what is still valid.
    expect((await kept(nameOf(0))).status).toBe(200)
    expect((await ofDeleted(nameOf(0))).status).toBe(404)
    await stopDatabase()
    expect((await kept(nameOf(1))).status).toBe(200)
    expect((await withRevoked(nameOf(1))).status).toBe(403)
    expect((await ofDeleted(nameOf(1))).status, 'nothing is kept about a deleted video').toBe(503)
    // Not requested since the deletion of another video of the organization.
    expect((await ofOther(nameOf(1))).status).toBe(503)
  })

  it('is counted, and the count is recorded when Postgres is back', async () => {
    const video = await newVideo()
    const play = viewerOf(video, (await newToken(video)).token)
    expect((await play(nameOf(0))).status).toBe(200)
    await stopDatabase()
    for (let segment = 1; segment < SEGMENTS; segment++) expect((await play(nameOf(segment))).status).toBe(200)
    await startDatabase()
    const bytes = Array.from({ length: SEGMENTS }, (_, segment) => textOf(segment).length).reduce((a, b) => a + b)
    const delivered = async () => {
      const { body } = await caller.get<usageContract.Usage>('usage/')
      return body.results.reduce((sum, { delivered_bytes }) => sum + delivered_bytes, 0)
    }
    await expect.poll(delivered, { timeout: 60_000, interval: 500 }).toBe(bytes)
  })

  it('gets playlists and segments over the edge, cached there or not', async () => {
    const video = await newVideo()
    const play = viewerOf(video, (await newToken(video)).token, overEdge)
    for (const name of ['master.m3u8', '240p.m3u8', nameOf(0)]) expect((await play(name)).status).toBe(200)
    await stopDatabase()
    for (const name of ['master.m3u8', '240p.m3u8', nameOf(0), nameOf(1)]) {
      expect([name, (await play(name)).status]).toEqual([name, 200])
    }
  })

  it('gets the playlist of the edge if the API cannot write it any more', async () => {
    const video = await newVideo()
    const { token } = await newToken(video)
    const play = viewerOf(video, token, overEdge)
    for (const name of ['240p.m3u8', nameOf(0)]) expect((await play(name)).status).toBe(200)
    // A deletion elsewhere in the organization: the instance has no rows of the playlist afterwards.
    expect((await caller.delete(`assets/${(await newVideo()).assetId}/`)).status).toBe(204)
    await sleep(CACHES_MILLISECONDS)
    expect((await play(nameOf(1))).status).toBe(200)
    await stopDatabase()
    expect((await viewerOf(video, token)('240p.m3u8')).status).toBe(503)
    expect((await play('240p.m3u8')).status).toBe(200)
  })
})

it('a viewer continues while Postgres hangs, and the instance stays ready for viewers', async () => {
  await using proxy = await TcpProxy.open(env.DATABASE_URL)
  const settings = { DATABASE_STATEMENT_TIMEOUT_SECONDS: '1', DATABASE_CONNECT_TIMEOUT_SECONDS: '1' }
  await using behind = await ApiProcess.start({ ...settings, DATABASE_URL: proxy.url }, env)
  using _connections = { [Symbol.dispose]: () => proxy.disable() }
  const video = await newVideo()
  const play = viewerOf(video, (await newToken(video)).token, behind.send)
  const readiness = async () => (await fetch(`${behind.operationsUrl}/readyz/playback`)).status
  expect(await readiness()).toBe(200)
  for (const name of ['240p.m3u8', nameOf(0)]) expect((await play(name)).status).toBe(200)
  proxy.rules = [{ action: timeout }]
  await sleep(CACHES_MILLISECONDS)
  // The first requests wait for the time limits of Postgres.
  await expect.poll(async () => (await play(nameOf(1))).status).toBe(200)
  for (let segment = 2; segment < SEGMENTS; segment++) expect((await play(nameOf(segment))).status).toBe(200)
  expect((await play('240p.m3u8')).status).toBe(200)
  expect(await readiness()).toBe(200)
})

describe('playback without Postgres ends', () => {
  afterEach(() => void vi.useRealTimers())

  const seconds = inProcess.context.config.PLAYBACK_OUTAGE_SECONDS

  it('15 minutes after the last read, and continues when Postgres is back', async () => {
    expect(seconds).toBe(15 * 60)
    const video = await newVideo()
    const play = viewerOf(video, (await newToken(video)).token, inProcess.send)
    vi.useFakeTimers({ toFake: ['performance'] })
    // The cache treats the time 0 as unknown.
    vi.advanceTimersByTime(1)
    for (const name of ['240p.m3u8', nameOf(0)]) expect((await play(name)).status).toBe(200)
    await stopDatabase()
    vi.advanceTimersByTime((seconds - 1) * 1000)
    for (const name of ['240p.m3u8', nameOf(1)]) expect((await play(name)).status).toBe(200)
    vi.advanceTimersByTime(2000)
    for (const name of ['240p.m3u8', nameOf(1)]) expect((await play(name)).status).toBe(503)
    await startDatabase()
    await expect.poll(async () => (await play('240p.m3u8')).status).toBe(200)
  })

  it('at once if PLAYBACK_OUTAGE_SECONDS is 0', async () => {
    await using strict = await TestApi.open({ PLAYBACK_OUTAGE_SECONDS: '0' }, env)
    const video = await newVideo()
    const play = viewerOf(video, (await newToken(video)).token, strict.send)
    expect((await play(nameOf(0))).status).toBe(200)
    await stopDatabase()
    expect((await play(nameOf(0))).status).toBe(503)
  })
})

it('/readyz fails while Postgres is unavailable, and /readyz/playback does not', async () => {
  const health = async (path: string) => (await fetch(api.operationsUrl + path)).status
  expect([await health('/readyz'), await health('/readyz/playback')]).toEqual([200, 200])
  await stopDatabase()
  await expect.poll(() => health('/readyz')).toBe(503)
  expect(await health('/readyz/playback')).toBe(200)
})
