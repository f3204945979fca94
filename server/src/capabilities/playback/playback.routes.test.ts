/** What viewers fetch, on rows and objects as the processing of a video leaves them. */
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import {
  ApiProcess,
  type Caller,
  openSession,
  Publisher,
  StorageRelay,
  stackEnv,
  type VideoPlace,
  World,
} from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'

const world = await opened(World.open({ API_ORIGINS: 'https://studio.example' }))
const publisher = await opened(Publisher.open())

const plan = {
  durationSeconds: 12,
  frameRate: { numerator: 30, denominator: 1 },
  segmentFrames: 120,
  gopFrames: 120,
  audio: { channels: 2, sampleRate: 48_000 },
  tracks: [
    { name: 'audio', bitrateMax: 128_000, segmentsTotal: 3, codecs: 'mp4a.40.2' },
    {
      name: '720p',
      width: 1280,
      height: 720,
      bitrateMax: 3e6,
      segmentsTotal: 3,
      codecs: 'avc1.64001f',
    },
    {
      name: '240p',
      width: 426,
      height: 240,
      bitrateMax: 4e5,
      segmentsTotal: 3,
      codecs: 'avc1.64000d',
    },
  ],
}

const segment = (text: string) => ({
  body: text,
  seconds: 4,
  keyframes: [{ offset: 0, bytes: 3, seconds: 4 }],
})

let caller: Caller
let place: VideoPlace
beforeEach(async () => {
  caller = await world.newOrganization()
  place = await newVideo()
})

async function newVideo(by = caller, more: object = {}): Promise<VideoPlace> {
  const { asset } = await openSession(by, { content_protection_type: 'disable', ...more })
  const video = { organizationId: by.organizationId, assetId: asset.id }
  await publisher.plan(video, plan)
  return video
}

const publish = (track: string, firstSegment: number, ...texts: string[]) =>
  publisher.publish(place, {
    track,
    firstSegment,
    attempt: `video-encode-${firstSegment + 1}`,
    init: `init of ${track}`,
    segments: texts.map(segment),
  })

async function publishOpening() {
  await publish('240p', 0, 'small 0')
  await publish('audio', 0, 'sound 0')
}

async function publishAll() {
  await publishOpening()
  await publish('240p', 1, 'small 1', 'small 2')
  await publish('audio', 1, 'sound 1', 'sound 2')
  await publish('720p', 0, 'large 0', 'large 1', 'large 2')
}

const ask = (path: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
  world.send({
    method,
    path: `/play/${place.organizationId}/${place.assetId}/${path}`,
    headers,
    body: undefined,
  })

const small0 = 'video-encode-1/240p/00000.m4s'

describe('200 of a manifest', () => {
  it('lists what can be played while the video is made, and asks to be read again soon', async () => {
    await publishOpening()
    const { status, headers, text } = await ask('master.m3u8')
    expect(status).toBe(200)
    expect(headers).toMatchObject({
      'content-type': 'application/vnd.apple.mpegurl; charset=utf-8',
      'cache-control': 'public, max-age=2',
      'x-content-type-options': 'nosniff',
    })
    expect(text).toContain('RESOLUTION=426x240,FRAME-RATE=30.000')
    expect(text).not.toContain('720p')
    expect((await ask('240p.m3u8')).text).toBe(`#EXTM3U
#EXT-X-VERSION:7
#EXT-X-TARGETDURATION:4
#EXT-X-MEDIA-SEQUENCE:0
#EXT-X-PLAYLIST-TYPE:EVENT
#EXT-X-INDEPENDENT-SEGMENTS
#EXT-X-START:TIME-OFFSET=0.001
#EXT-X-MAP:URI="video-encode-1/240p/init.mp4"
#EXTINF:4.000000,
video-encode-1/240p/00000.m4s
`)
  })

  it('lists all of it in the end, smallest first, for HLS and DASH, and may be kept longer', async () => {
    await publishAll()
    await publisher.setStatus(place, 'Completed')
    const { text, headers } = await ask('master.m3u8')
    expect(headers['cache-control']).toBe('public, max-age=60')
    expect(text.match(/^\w+p\.m3u8$/gm)).toEqual(['240p.m3u8', '720p.m3u8'])
    expect((await ask('720p.m3u8')).text).toMatch(/00002\.m4s\n#EXT-X-ENDLIST\n$/)
    expect((await ask('audio.m3u8')).text).toContain('video-encode-2/audio/00002.m4s')
    expect((await ask('720p-iframes.m3u8')).text).toContain('#EXT-X-BYTERANGE:3@0')
    const dash = await ask('manifest.mpd')
    expect(dash.headers['content-type']).toBe('application/dash+xml; charset=utf-8')
    expect(dash.text).toContain('<SegmentURL media="video-encode-2/240p/00001.m4s"/>')
  })

  it('has an end where the work ended, and goes on if it is taken up again', async () => {
    await publishOpening()
    const growing = (await ask('240p.m3u8')).text
    await publisher.setStatus(place, 'Cancelled')
    expect((await ask('240p.m3u8')).text).toBe(`${growing}#EXT-X-ENDLIST\n`)
    expect((await ask('master.m3u8')).headers['cache-control']).toBe('public, max-age=60')
  })

  it('tells what a line must bear: a last moment counts with what comes before it', async () => {
    const small = plan.tracks.filter(({ name }) => name !== '720p')
    const { asset } = await openSession(caller, { content_protection_type: 'disable' })
    place = { organizationId: caller.organizationId, assetId: asset.id }
    await publisher.plan(place, { ...plan, durationSeconds: 9, tracks: small })
    const piece = (bytes: number, seconds: number, keyframeBytes: number) => ({
      body: 'x'.repeat(bytes),
      seconds,
      keyframes: [{ offset: 0, bytes: keyframeBytes, seconds }],
    })
    const of = (track: string) => ({ track, attempt: 'video-encode-1', init: 'init' })
    const sound = [4, 4, 1].map((seconds) => ({ body: 'x'.repeat(25 * seconds), seconds }))
    await publisher.publish(place, { ...of('audio'), firstSegment: 0, segments: sound })
    const [first, ...rest] = [piece(400, 4, 40), piece(800, 4, 30), piece(1000, 1, 2)]
    await publisher.publish(place, { ...of('240p'), firstSegment: 1, segments: rest })
    await publisher.publish(place, { ...of('240p'), firstSegment: 0, segments: [first] })
    const { text } = await ask('master.m3u8')
    expect(text).toContain(
      `#EXT-X-STREAM-INF:BANDWIDTH=${(1800 * 8) / 5 + 200},AVERAGE-BANDWIDTH=${1956 + 200},`,
    )
    expect(text).toContain('#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=80,AVERAGE-BANDWIDTH=64,')
  })

  it('is another one when subtitles come and go', async () => {
    await publishAll()
    const before = (await ask('master.m3u8')).text
    const path = `assets/${place.assetId}/subtitles/`
    const content = 'WEBVTT\n\n00:01.000 --> 00:02.000\nGuten Tag\n'
    const { body } = await caller.post<{ id: string }>(path, { language: 'de', content })
    expect((await ask('master.m3u8')).text).toContain(body.id)
    await caller.delete(`${path}${body.id}/`)
    expect((await ask('master.m3u8')).text).toBe(before)
  })

  it('is told of with the asset: that of DASH once the sound is there as well', async () => {
    const told = async () => {
      const { body } = await caller.get<{ video: object }>(`assets/${place.assetId}/`)
      return body.video
    }
    const own = expect.stringContaining(`/play/${place.organizationId}/${place.assetId}/`)
    await publishOpening()
    await publish('240p', 1, 'small 1', 'small 2')
    await publish('720p', 0, 'large 0', 'large 1', 'large 2')
    expect(await told()).toMatchObject({ playback_url: own, dash_url: null })
    await publish('audio', 1, 'sound 1', 'sound 2')
    expect(await told()).toMatchObject({ playback_url: own, dash_url: own })
  })

  it('names subtitles that somebody keeps', async () => {
    await publishAll()
    const content = 'WEBVTT\n\n00:01.000 --> 00:02.000\nGuten Tag\n'
    const path = `assets/${place.assetId}/subtitles/`
    const { body } = await caller.post<{ id: string }>(path, { language: 'de', content })
    expect((await ask('master.m3u8')).text).toContain(`URI="subtitles-${body.id}.m3u8"`)
    const { text } = await ask(`subtitles-${body.id}.m3u8`)
    expect(text).toContain(`#EXTINF:12.000000,\nsubtitles/${body.id}.vtt\n`)
    expect((await ask(`subtitles/${body.id}.vtt`)).text).toContain('Guten Tag')
  })

  it('HEAD: tells the same without it', async () => {
    await publishOpening()
    const { headers } = await ask('master.m3u8')
    const head = await ask('master.m3u8', {}, 'HEAD')
    expect(head).toMatchObject({ status: 200, text: '' })
    for (const name of ['content-type', 'content-length', 'etag', 'cache-control']) {
      expect(head.headers[name]).toBe(headers[name])
    }
  })
})

describe('200 of a piece', () => {
  it('is what was stored, of its type, for ever', async () => {
    await publishOpening()
    const { status, headers, text } = await ask(small0)
    expect({ status, text }).toEqual({ status: 200, text: 'small 0' })
    expect(headers).toMatchObject({
      'content-type': 'video/mp4',
      'content-length': '7',
      'cache-control': 'public, max-age=31536000, immutable',
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
    })
    expect(headers['etag']).toMatch(/^"[^"]+"$/)
    expect(headers).not.toHaveProperty('set-cookie')
    expect(headers).not.toHaveProperty('ratelimit')
    expect((await ask('video-encode-1/audio/init.mp4')).headers['content-type']).toBe('audio/mp4')
  })

  it('may be a picture', async () => {
    await publisher.showPictures(place, 'video-pictures-4', {
      cover: 'cover.jpg',
      thumbnails: ['thumbnail-1.jpg'],
      storyboard: 'storyboard.vtt',
    })
    for (const name of ['cover.jpg', 'thumbnail-1.jpg', 'storyboard.vtt']) {
      expect(await ask(`video-pictures-4/${name}`)).toMatchObject({ status: 200, text: name })
    }
    // The sheets that a storyboard names lie beside it.
    const { organizationId, assetId } = place
    await publisher.put(`${organizationId}/${assetId}/video-pictures-4/sheet-1.jpg`, 'sheet')
    expect(await ask('video-pictures-4/sheet-1.jpg')).toMatchObject({ status: 200, text: 'sheet' })
  })

  it('HEAD: tells its size', async () => {
    await publishOpening()
    const head = await ask(small0, {}, 'HEAD')
    expect(head).toMatchObject({ status: 200, text: '' })
    expect(head.headers).toMatchObject({ 'content-length': '7', 'content-type': 'video/mp4' })
  })

  it.each(['bytes=0-1,3-4', 'bytes=x', 'lines=0-1', 'bytes=-'])(
    'is all of it for a range that we do not take: %s',
    async (range) => {
      await publishOpening()
      expect(await ask(small0, { range })).toMatchObject({ status: 200, text: 'small 0' })
    },
  )

  it('is all of it for who resumes', async () => {
    await publishOpening()
    const headers = { range: 'bytes=2-3', 'if-range': '"whatever"' }
    expect(await ask(small0, headers)).toMatchObject({ status: 200, text: 'small 0' })
  })
})

describe('206', () => {
  it.each([
    ['bytes=0-2', 'sma', 'bytes 0-2/7'],
    ['bytes=5-', ' 0', 'bytes 5-6/7'],
    ['bytes=-3', 'l 0', 'bytes 4-6/7'],
    ['bytes=5-100', ' 0', 'bytes 5-6/7'],
  ])('gives a part of a piece: %s', async (range, text, contentRange) => {
    await publishOpening()
    const answer = await ask(small0, { range })
    expect(answer).toMatchObject({ status: 206, text })
    expect(answer.headers).toMatchObject({
      'content-range': contentRange,
      'content-length': String(text.length),
      'cache-control': 'public, max-age=31536000, immutable',
    })
  })
})

describe('304', () => {
  it('to who has the manifest as it is, until it grows', async () => {
    await publishOpening()
    const etag = (await ask('240p.m3u8')).headers['etag'] ?? ''
    const again = await ask('240p.m3u8', { 'if-none-match': `"other", W/${etag}` })
    expect(again).toMatchObject({ status: 304, text: '' })
    expect(again.headers).toMatchObject({ etag, 'cache-control': 'public, max-age=2' })
    await publish('240p', 1, 'small 1')
    await publish('audio', 1, 'sound 1')
    expect((await ask('240p.m3u8', { 'if-none-match': etag })).status).toBe(200)
  })

  it('to who has the piece', async () => {
    await publishOpening()
    const etag = (await ask(small0)).headers['etag'] ?? ''
    const again = await ask(small0, { 'if-none-match': etag })
    expect(again).toMatchObject({ status: 304, text: '' })
    expect(again.headers['etag']).toBe(etag)
  })
})

describe('404', () => {
  it.each([
    'master.m3u8',
    '240p.m3u8',
    'manifest.mpd',
    '240p-iframes.m3u8',
    'subtitles-de.m3u8',
    small0,
  ])('of a video of which nothing is there yet: %s', async (path) => {
    const answer = await ask(path)
    expect(answer.status).toBe(404)
    expect(answer.headers).toMatchObject({
      'content-type': 'application/problem+json; charset=utf-8',
      'cache-control': 'no-store',
      'access-control-allow-origin': '*',
    })
  })

  it('of DASH before the whole video is made, with a word on what to do', async () => {
    await publishOpening()
    const answer = await ask('manifest.mpd')
    expect(answer.status).toBe(404)
    expect(JSON.parse(answer.text)).toMatchObject({ detail: expect.stringContaining('Play HLS') })
  })

  it.each([
    '480p.m3u8',
    'audio-iframes.m3u8',
    'video-encode-1/240p/00001.m4s',
    'video-encode-9/240p/00000.m4s',
    'video-encode-1/%2e%2e%2fvideo-encode-1/240p/00000.m4s',
    '%2e%2e%2f%2e%2e%2fother/asset/video-encode-1/240p/00000.m4s',
    'video-encode-1%2f240p%2f00000.ts',
    '',
  ])('of what is not there: %s', async (path) => {
    await publishOpening()
    expect((await ask(path)).status).toBe(404)
  })

  it('of what an attempt has stored and not published, or another published in its place', async () => {
    await publishOpening()
    const own = `${place.organizationId}/${place.assetId}/`
    const lost = [
      'video-encode-7/240p/00000.m4s',
      'video-encode-7/240p/init.mp4',
      'video-encode-1/240p/00001.m4s',
      'video-encode-1/720p/00000.m4s',
      'video-pictures-7/cover.jpg',
      'video-pictures-7/storyboard.vtt',
      'video-transcribe-7/de.vtt',
      'subtitles/00000000-0000-7000-8000-000000000000.vtt',
    ]
    for (const name of lost) {
      await publisher.put(`${own}${name}`, 'secret')
      for (const method of ['GET', 'HEAD'] as const) {
        expect([name, (await ask(name, {}, method)).status]).toEqual([name, 404])
      }
    }
  })

  it.each(['aes', 'drm'])(
    'of a video that is to be protected by %s, in whole and in pieces',
    async (type) => {
      place = await newVideo(caller, { content_protection_type: type })
      await publishAll()
      await publisher.setStatus(place, 'Completed')
      for (const path of ['master.m3u8', '240p.m3u8', 'manifest.mpd', small0]) {
        for (const method of ['GET', 'HEAD'] as const) {
          expect((await ask(path, {}, method)).status).toBe(404)
        }
      }
      expect(JSON.parse((await ask('master.m3u8')).text)).toMatchObject({
        detail: expect.stringContaining('protected'),
      })
    },
  )

  it('of a video of another organization, and of one that is deleted', async () => {
    await publishOpening()
    const { organizationId } = await world.newOrganization()
    const mine = place
    for (const strange of [organizationId, 'nobody00', 'x', '%00', 'ACME1234']) {
      place = { ...mine, organizationId: strange }
      expect((await ask('master.m3u8')).status).toBe(404)
      expect((await ask(small0)).status).toBe(404)
    }
    place = { ...mine, assetId: 'not-a-uuid' }
    expect((await ask('master.m3u8')).status).toBe(404)
    place = mine
    expect((await caller.delete(`assets/${mine.assetId}/`)).status).toBe(204)
    expect((await ask(small0)).status).toBe(404)
  })
})

describe('416', () => {
  it('tells how large a piece is to who asks behind its end', async () => {
    await publishOpening()
    const answer = await ask(small0, { range: 'bytes=7-9' })
    expect(answer).toMatchObject({ status: 416, text: '' })
    expect(answer.headers).toMatchObject({
      'content-range': 'bytes */7',
      'cache-control': 'no-store',
    })
  })
})

describe('a page of any origin', () => {
  it.each(['https://anybody.example', 'https://studio.example'])(
    'may read all of it: %s',
    async (origin) => {
      await publishOpening()
      for (const path of ['master.m3u8', small0]) {
        const { headers } = await ask(path, { origin })
        expect(headers['access-control-allow-origin']).toBe('*')
        expect(headers['access-control-expose-headers']).toContain('Content-Range')
        expect(headers['access-control-expose-headers']).toContain('ETag')
        // One answer for everybody is one entry in every cache.
        expect(headers).not.toHaveProperty('vary')
        expect(headers).not.toHaveProperty('access-control-allow-credentials')
      }
    },
  )

  it('204: may ask for parts of it', async () => {
    const { status, headers } = await world.send({
      method: 'OPTIONS',
      path: `/play/${place.organizationId}/${place.assetId}/${small0}`,
      headers: {
        origin: 'https://studio.example',
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'range',
      },
      body: undefined,
    })
    expect(status).toBe(204)
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, HEAD',
      'access-control-allow-headers': 'Range, If-None-Match, If-Range',
    })
  })
})

it('is counted against no limit of the organization', async () => {
  await using strict = await World.open({ RATE_LIMIT_PER_MINUTE: '1' })
  await publishOpening()
  const path = `/play/${place.organizationId}/${place.assetId}/${small0}`
  for (let time = 0; time < 5; time++) {
    expect(await strict.send({ method: 'GET', path, headers: {}, body: undefined })).toMatchObject({
      status: 200,
    })
  }
})

describe('a large piece', () => {
  const MEBIBYTE = 1024 ** 2
  const SIZE = 64 * MEBIBYTE

  it('is read from storage as its viewer takes it, and no further when that one hangs up', async () => {
    const env = stackEnv()
    await using relay = await StorageRelay.open(env.STORAGE_ENDPOINT)
    await using api = await ApiProcess.start({ STORAGE_ENDPOINT: relay.url })
    const { organizationId, assetId } = place
    await publishOpening()
    await publisher.put(`${organizationId}/${assetId}/${small0}`, Buffer.alloc(SIZE))
    const request = get(`${api.baseUrl}/play/${organizationId}/${assetId}/${small0}`)
    const [answer] = (await once(request, 'response')) as [IncomingMessage]
    expect(answer.headers['content-length']).toBe(String(SIZE))
    await once(answer, 'readable')
    // Nobody takes any more of it: what is on the way fills the lines between, and stops.
    let before = -1
    await expect
      .poll(
        () => {
          const isStill = before === relay.bytesAnswered
          before = relay.bytesAnswered
          return isStill
        },
        { interval: 500, timeout: 15_000 },
      )
      .toBe(true)
    expect(relay.bytesAnswered).toBeLessThan(SIZE / 2)
    expect(relay.openAnswers).toBe(1)
    request.destroy()
    await expect.poll(() => relay.openAnswers, { timeout: 15_000 }).toBe(0)
    expect(relay.bytesAnswered).toBeLessThan(SIZE / 2)
  })
})
