/** Videos protected with AES-128, for authorized and for other viewers. */
import { createSecretKey } from 'node:crypto'
import { type Caller, openOwner, openSession, Publisher, TestApi, type VideoRef } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import type { LightMyRequestResponse } from 'fastify'
import { beforeEach, describe, expect, it } from 'vitest'
import type { AssetId, OrganizationId } from '../../../kernel/ids.ts'
import type { KeyRing } from '../../../platform/config/key-settings.ts'
import { openHttpServer } from '../../../platform/http/server.ts'
import { openLogger } from '../../../platform/observability/logger.ts'
import { aesKeys, openSegment, protectAsset, sealSegment } from '../../content-keys/content-keys.ts'
import { setOpen } from '../../organizations/organizations.ts'
import { registerPlaybackRoutes } from '../playback.routes.ts'

const testApi = await opened(TestApi.open())
const owner = await opened(Promise.resolve(openOwner()))
const publisher = await opened(Publisher.open())
const { context } = testApi
const ring = context.config.KEY_ENCRYPTION_KEYS

/** Log lines. */
let lines: string[] = []
const logger = openLogger('info', { write: (line) => void lines.push(line) })

/** Opens a server that authorizes every request as the given viewer. */
function openTo(viewer: string, keyRing: KeyRing = ring) {
  const http = openHttpServer({
    ...{ logger, metrics: context.requestMetrics, docsUrl: 'http://docs.example' },
    ...{ trustedProxyHops: 0, isStopping: () => false },
  })
  registerPlaybackRoutes(http, {
    ...context,
    config: { ...context.config, KEY_ENCRYPTION_KEYS: keyRing },
  })
  const iat = Math.floor(Date.now() / 1000)
  const claims = () => ({
    ...{ iss: video.organizationId as OrganizationId, sub: video.assetId as AssetId },
    ...{ iat, exp: iat + 60, jti: 'one', epoch: 0, viewer },
  })
  return {
    send: (path: string, method: 'GET' | 'HEAD' = 'GET'): Promise<LightMyRequestResponse> =>
      http.inject({ method, url: pathBy(context.tokenIssuer.sign(claims()), path) }),
  }
}

const pathBy = (token: string, name: string) => `/play/${token}/${video.organizationId}/${video.assetId}/${name}`

const SEGMENTS = 17
const plan = {
  durationSeconds: SEGMENTS * 4,
  frameRate: { numerator: 30, denominator: 1 },
  segmentFrames: 120,
  gopFrames: 120,
  audio: null,
  tracks: [
    {
      ...{ name: '240p', width: 426, height: 240, bitrateMax: 4e5 },
      ...{ segmentsTotal: SEGMENTS, codecs: 'avc1.64000d' },
    },
  ],
}

let caller: Caller
let video: VideoRef
beforeEach(async () => {
  lines = []
  caller = await testApi.newOrganization()
  video = await newVideo('aes')
})

const asset = () => ({ id: video.assetId as AssetId })
const database = () => context.database.forOrganization(video.organizationId as OrganizationId)
const nameOf = (segment: number) => `video-encode-1/240p/${String(segment).padStart(5, '0')}.m4s`
const textOf = (segment: number) => `what is in segment ${segment}`

async function newVideo(type: string): Promise<VideoRef> {
  const { asset } = await openSession(caller, { content_protection_type: type })
  const video = { organizationId: caller.organizationId, assetId: asset.id }
  await publisher.plan(video, plan)
  return video
}

/** Publishes the video as the encode step does. */
async function publishSealed(): Promise<void> {
  await protectBy(ring)
  const keys = await aesKeys(ring, database(), asset())
  const own = `${video.organizationId}/${video.assetId}/`
  await publish((number) => sealSegment(keys, { number, key: own + nameOf(number) }, Buffer.from(textOf(number))))
}

/** Only workers and the owner may write keys. */
const protectBy = (by: KeyRing) =>
  protectAsset(by, owner.forOrganization(video.organizationId as OrganizationId), asset())

const publish = (bodyOf: (segment: number) => Uint8Array | string) =>
  publisher.publish(video, {
    ...{ track: '240p', firstSegment: 0, attempt: 'video-encode-1', init: 'init' },
    segments: Array.from({ length: SEGMENTS }, (_, number) => ({
      body: bodyOf(number),
      seconds: 4,
      keyframes: [{ offset: 0, bytes: 3, seconds: 4 }],
    })),
  })

describe('playback with AES-128: 200', () => {
  it('the stored segments can be decrypted with the keys and the playlist', async () => {
    await publishSealed()
    await publisher.setStatus(video, 'Completed')
    const { send } = openTo('pupil-7')
    const playlist = (await send('240p.m3u8')).body
    expect(playlist.indexOf('#EXT-X-MAP')).toBeLessThan(playlist.indexOf('#EXT-X-KEY'))
    const listed = [...playlist.matchAll(/URI="(keys\/\d+\.key)",IV=0x([0-9a-f]{32})\n.*\n(.*)\n/g)]
    expect(listed).toHaveLength(SEGMENTS)
    expect(new Set(listed.map(([, , iv]) => iv)).size).toBe(SEGMENTS)
    for (const [number, [, keyUri = '', iv = '', uri = '']] of listed.entries()) {
      expect(keyUri).toBe(number < 15 ? 'keys/0.key' : 'keys/1.key')
      const key = (await send(keyUri)).rawPayload
      const stored = (await send(uri)).rawPayload
      expect(stored.includes('what')).toBe(false)
      const keys = { keyOf: () => key, ivOf: () => Buffer.from(iv, 'hex') }
      const clear = openSegment(keys, { number, key: '' }, stored)
      expect(clear.toString()).toBe(textOf(number))
    }
  })

  it('a key must not be cached', async () => {
    await publishSealed()
    for (const method of ['GET', 'HEAD'] as const) {
      const { statusCode, headers, rawPayload } = await openTo('pupil-7').send('keys/0.key', method)
      expect(statusCode).toBe(200)
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'content-type': 'application/octet-stream',
        'content-length': '16',
        'access-control-allow-origin': '*',
      })
      expect(headers['etag']).toBeUndefined()
      expect(rawPayload).toHaveLength(method === 'GET' ? 16 : 0)
    }
  })

  it('the multivariant playlist has no I-frame playlists, because segments are encrypted as a whole', async () => {
    await publishSealed()
    const { send } = openTo('pupil-7')
    const { body } = await send('master.m3u8')
    expect(body).toContain('240p.m3u8')
    expect(body).not.toContain('I-FRAME')
    expect((await send('240p-iframes.m3u8')).statusCode).toBe(404)
  })

  it('one in 100 key deliveries is logged, with the viewer and without the key', async () => {
    await publishSealed()
    const { send } = openTo('pupil-7')
    // A HEAD request delivers no key.
    await send('keys/1.key', 'HEAD')
    const deliveries = [...Array(101).keys()].map(() => send('keys/1.key'))
    const [first] = await Promise.all(deliveries)
    logger.flush()
    const audited = lines.filter((line) => line.includes('key delivered'))
    expect(audited).toHaveLength(2)
    expect(JSON.parse(audited[0] ?? '')).toMatchObject({
      ...{ organization_id: video.organizationId, asset_id: video.assetId },
      ...{ viewer: 'pupil-7', period: 1, one_in: 100 },
    })
    for (const form of ['hex', 'base64', 'base64url', 'latin1'] as const) {
      expect(lines.join()).not.toContain(first?.rawPayload.toString(form))
    }
  })
})

it('403: without a token there is no playlist, media file or key, even if playback is public', async () => {
  await setOpen(owner.forOrganization(video.organizationId as OrganizationId), true)
  await publishSealed()
  await publisher.setStatus(video, 'Completed')
  for (const path of ['master.m3u8', '240p.m3u8', nameOf(0), 'keys/0.key']) {
    const { status, text } = await testApi.send({
      ...{ method: 'GET', path: pathBy('open', path) },
      ...{ headers: {}, body: undefined },
    })
    expect([path, status]).toEqual([path, 403])
    expect(JSON.parse(text).code).toBe('playback_denied')
  }
})

describe('playback with AES-128: 404', () => {
  it('is returned for a video that was encoded without protection, also to authorized viewers', async () => {
    await publish(textOf)
    await publisher.setStatus(video, 'Completed')
    // Adding keys after the encoding does not protect the video.
    await protectBy(ring)
    const { send } = openTo('pupil-7')
    for (const path of ['master.m3u8', '240p.m3u8', nameOf(0), 'keys/0.key']) {
      expect([path, (await send(path)).statusCode]).toEqual([path, 404])
    }
  })

  it('is returned for keys beyond the end of the video, and for DASH', async () => {
    await publishSealed()
    await publisher.setStatus(video, 'Completed')
    const { send } = openTo('pupil-7')
    expect((await send('keys/2.key')).statusCode).toBe(404)
    expect((await send('manifest.mpd')).json()).toMatchObject({
      detail: expect.stringContaining('HLS only'),
    })
  })

  it('is returned for keys of unprotected, foreign and unknown videos', async () => {
    const { send } = openTo('pupil-7')
    video = await newVideo('disable')
    expect((await send('keys/0.key')).statusCode).toBe(404)
    video = await newVideo('aes')
    await publishSealed()
    const { organizationId } = await testApi.newOrganization()
    video = { ...video, organizationId }
    expect((await send('keys/0.key')).statusCode).toBe(404)
  })
})

it('429: limits the keys of one viewer without affecting others', async () => {
  await publishSealed()
  const { send } = openTo('pupil-7')
  const responses = await Promise.all([...Array(241).keys()].map(() => send('keys/0.key')))
  const limited = responses.filter(({ statusCode }) => statusCode === 429)
  expect(limited).toHaveLength(1)
  expect(Number(limited[0]?.headers['retry-after'])).toBeGreaterThan(0)
  expect(limited[0]?.headers['ratelimit-policy']).toBe('"keys-per-viewer";q=240;w=60')
  expect(limited[0]?.headers['ratelimit']).toMatch(/^"keys-per-viewer";r=0;t=\d+$/)
  expect((await openTo('pupil-8').send('keys/0.key')).statusCode).toBe(200)
})

describe('playback with AES-128: 503', () => {
  it('is returned while the key-encryption key is missing or wrong, and the log says what to do', async () => {
    await publishSealed()
    const wrong = createSecretKey(Buffer.alloc(32, 9))
    for (const id of ['another', ring[0].id]) {
      lines = []
      const { send } = openTo('pupil-7', [{ id, key: wrong }])
      for (const path of ['keys/0.key', '240p.m3u8']) {
        const response = await send(path)
        expect([path, response.statusCode]).toEqual([path, 503])
        expect(response.headers['retry-after']).toBe('30')
        // The response must not reveal details about our keys.
        expect(response.body).not.toContain('KEY_ENCRYPTION_KEYS')
      }
      expect(lines.join()).toContain('KEY_ENCRYPTION_KEYS')
    }
  })
})
