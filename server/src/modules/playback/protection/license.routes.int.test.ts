/** Videos under Common Encryption: how manifests describe their keys, and who gets licenses. */
import {
  assetToken,
  type Caller,
  openOwner,
  openSession,
  Publisher,
  SpekeProvider,
  TestApi,
  type VideoRef,
} from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import type { InjectOptions } from 'fastify'
import { beforeEach, describe, expect, it } from 'vitest'
import type { AssetId, OrganizationId } from '../../../kernel/ids.ts'
import { openHttpServer } from '../../../platform/http/server.ts'
import { clearKey, type Drm, type DrmKey, encryptionKeys, speke } from '../../content-keys/content-keys.ts'
import { setOpen } from '../../organizations/organizations.ts'
import { registerPlaybackRoutes } from '../playback.routes.ts'

const testApi = await opened(TestApi.open())
const owner = await opened(Promise.resolve(openOwner()))
const publisher = await opened(Publisher.open())
const { context } = testApi
const { KEY_ENCRYPTION_KEYS: keyRing } = context.config

/** A server that authorizes every request. */
const http = openHttpServer({
  ...{ logger: context.logger, metrics: context.requestMetrics },
  ...{ docsUrl: 'http://docs.example', trustedProxyHops: 0, isStopping: () => false },
})
registerPlaybackRoutes(http, context)

const ours: Drm = { provider: clearKey, scheme: 'cbcs' }
const plan = {
  durationSeconds: 4,
  frameRate: { numerator: 30, denominator: 1 },
  segmentFrames: 120,
  gopFrames: 120,
  audio: { channels: 2, sampleRate: 48_000 },
  tracks: [
    {
      ...{ name: '240p', width: 426, height: 240, bitrateMax: 4e5 },
      ...{ segmentsTotal: 1, codecs: 'avc1.64000d' },
    },
    { name: 'audio', bitrateMax: 128_000, segmentsTotal: 1, codecs: 'mp4a.40.2' },
  ],
}

let caller: Caller
let video: VideoRef
let keys: readonly DrmKey[]
beforeEach(async () => {
  caller = await testApi.newOrganization()
  video = await newVideo('drm')
  keys = await protect(video, ours)
  await publishAll()
})

async function newVideo(type: string): Promise<VideoRef> {
  const { asset } = await openSession(caller, { content_protection_type: type })
  const video = { organizationId: caller.organizationId, assetId: asset.id }
  await publisher.plan(video, plan)
  return video
}

async function protect({ organizationId, assetId }: VideoRef, drm: Drm) {
  const db = owner.forOrganization(organizationId as OrganizationId)
  const { signal } = new AbortController()
  return (await encryptionKeys({ keyRing, drm }, db, { id: assetId as AssetId }, signal)).keys
}

async function publishAll() {
  for (const track of ['240p', 'audio']) {
    const keyframes = track === 'audio' ? [] : [{ offset: 0, bytes: 3, seconds: 4 }]
    const segments = [{ body: 'sealed', seconds: 4, keyframes }]
    const part = { track, firstSegment: 0, attempt: 'video-encode-1', init: 'init', segments }
    await publisher.publish(video, part)
  }
  await publisher.setStatus(video, 'Completed')
}

const pathBy = (token: string, name: string) => `/play/${token}/${video.organizationId}/${video.assetId}/${name}`
const pathOf = (name: string) => pathBy(assetToken(context.tokenIssuer, video), name)
const send = (name: string, more: InjectOptions = {}) => http.inject({ method: 'GET', url: pathOf(name), ...more })
const idOf = ({ kid }: DrmKey) => kid.toString('base64url')
const bodyOf = (kids: readonly string[]) => JSON.stringify({ kids, type: 'temporary' })
const requestLicense = (payload: string, type = 'application/json') =>
  send('license', { method: 'POST', payload, headers: { 'content-type': type } })
const some = <Value>(value: Value | undefined): Value => {
  if (value === undefined) throw new Error('The value is undefined')
  return value
}

describe('playback under Common Encryption: 200', () => {
  it('a license contains the requested keys and is not cached', async () => {
    const both = await requestLicense(bodyOf(keys.map(idOf)))
    expect(both.statusCode).toBe(200)
    expect(both.headers).toMatchObject({
      'cache-control': 'no-store',
      'content-type': 'application/json; charset=utf-8',
      'access-control-allow-origin': '*',
    })
    expect(both.json()).toEqual({
      keys: keys.map((one) => ({ kty: 'oct', kid: idOf(one), k: one.key.toString('base64url') })),
      type: 'temporary',
    })
    const single = await requestLicense(bodyOf([idOf(some(keys[1])), 'AAAAAAAAAAAAAAAAAAAAAA']))
    expect(single.json().keys).toHaveLength(1)
  })

  it.each(['application/octet-stream', 'text/plain;charset=UTF-8', 'application/json'])(
    'accepts a license request of any content type: %s',
    async (type) => {
      expect((await requestLicense(bodyOf(keys.map(idOf)), type)).statusCode).toBe(200)
    },
  )

  it('playlists name the key of each track, and the key is served', async () => {
    for (const [index, name] of ['240p.m3u8', 'audio.m3u8'].entries()) {
      const { body } = await send(name)
      const uri = /#EXT-X-KEY:METHOD=SAMPLE-AES,URI="([^"]+)",KEYFORMAT="identity"/.exec(body)?.[1]
      const response = await send(some(uri))
      expect(response.rawPayload).toEqual(keys[index]?.key)
      expect(response.headers).toMatchObject({
        'cache-control': 'no-store',
        'content-type': 'application/octet-stream',
      })
    }
    expect((await send('240p-iframes.m3u8')).body).toContain('#EXT-X-KEY:METHOD=SAMPLE-AES')
    expect((await send('master.m3u8')).body).toContain('240p-iframes.m3u8')
  })

  it('the DASH manifest names the keys and the key system', async () => {
    const { body } = await send('manifest.mpd')
    const found = [...body.matchAll(/cenc:default_KID="([^"]+)"/g)].map(([, kid = '']) => kid)
    expect(found.map((kid) => kid.replaceAll('-', ''))).toEqual(keys.map(({ kid }) => kid.toString('hex')))
    expect(body.match(/urn:uuid:e2719d58-a985-b3c9-781a-b030af78d30e/g)).toHaveLength(2)
  })

  it('manifests contain the signaling of a key provider and no content key', async () => {
    await using provider = await SpekeProvider.open()
    const credentials = `${SpekeProvider.username}:${SpekeProvider.password}`
    const contracted = speke({
      url: provider.url,
      headers: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` },
      systems: ['widevine', 'fairplay'],
      timeoutSeconds: 5,
    })
    video = await newVideo('drm')
    const theirs = await protect(video, { provider: contracted, scheme: 'cbcs' })
    await publishAll()
    const { body } = await send('240p.m3u8')
    expect(body).toContain('URI="skd://')
    expect(body).not.toContain('identity')
    expect((await send('master.m3u8')).body).toMatch(/#EXT-X-SESSION-KEY:.*skd:/)
    expect((await send('manifest.mpd')).body).toContain('urn:uuid:edef8ba9')
    expect((await requestLicense(bodyOf(theirs.map(idOf)))).statusCode).toBe(404)
    expect((await send(`keys/${some(theirs[0]).kid.toString('hex')}.bin`)).statusCode).toBe(404)
  })
})

it('204: another origin may request a license', async () => {
  const { statusCode, headers } = await send('license', {
    method: 'OPTIONS',
    headers: {
      origin: 'https://studio.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type',
    },
  })
  expect(statusCode).toBe(204)
  expect(headers['access-control-allow-origin']).toBe('*')
  expect(headers['access-control-allow-methods']).toContain('POST')
  expect(String(headers['access-control-allow-headers']).toLowerCase()).toContain('content-type')
})

describe('POST license: 400', () => {
  it.each(['', 'kids', '{}', '{"kids":[]}', '{"kids":"x"}', '[1]'])('rejects %j', async (payload) => {
    const { statusCode, headers } = await requestLicense(payload)
    expect(statusCode).toBe(400)
    expect(headers['access-control-allow-origin']).toBe('*')
  })
})

it('403: without a token there is no manifest, media file, key or license, even if playback is public', async () => {
  await setOpen(owner.forOrganization(video.organizationId as OrganizationId), true)
  const kid = some(keys[0]).kid.toString('hex')
  const names = ['master.m3u8', '240p.m3u8', 'manifest.mpd', 'video-encode-1/240p/00000.m4s']
  for (const name of [...names, `keys/${kid}.bin`]) {
    const { status } = await sendWithoutToken('GET', name)
    expect([name, status]).toEqual([name, 403])
  }
  const { status, text } = await sendWithoutToken('POST', 'license', bodyOf(keys.map(idOf)))
  expect(status).toBe(403)
  expect(JSON.parse(text).code).toBe('playback_denied')
})

describe('playback under Common Encryption: 404', () => {
  it('is returned for keys of other videos and of videos without keys', async () => {
    const body = bodyOf(keys.map(idOf))
    const kid = some(keys[0]).kid.toString('hex')
    for (const type of ['drm', 'aes', 'disable']) {
      video = await newVideo(type)
      if (type === 'drm') await protect(video, ours)
      await publishAll()
      expect([type, (await requestLicense(body)).statusCode]).toEqual([type, 404])
      expect([type, (await send(`keys/${kid}.bin`)).statusCode]).toEqual([type, 404])
    }
  })

  it('is returned for a video that was encoded without protection', async () => {
    video = await newVideo('drm')
    await publishAll()
    for (const name of ['master.m3u8', '240p.m3u8', 'video-encode-1/240p/00000.m4s']) {
      expect([name, (await send(name)).statusCode]).toEqual([name, 404])
    }
  })

  it('is returned for a POST to other URLs and a GET of a license', async () => {
    expect((await send('master.m3u8', { method: 'POST', payload: '{}' })).statusCode).toBe(404)
    expect((await send('license')).statusCode).toBe(404)
  })
})

it('413: rejects a license request that is too large', async () => {
  const { statusCode } = await requestLicense(bodyOf(Array(500).fill('AAAAAAAAAAAAAAAAAAAAAA')))
  expect(statusCode).toBe(413)
})

const sendWithoutToken = (method: 'GET' | 'POST', name: string, body?: string) =>
  testApi.send({
    ...{ method, path: pathBy('open', name), body },
    headers: body === undefined ? {} : { 'content-type': 'application/json' },
  })
