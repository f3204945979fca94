/** Manifests, which players read first and poll while a video grows. */
import { PlaybackFixture } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'

const fixture = await opened(PlaybackFixture.open())
const { publisher } = fixture
beforeEach(() => fixture.begin())

describe('GET a manifest', () => {
  it('lists the playable part during processing, with a short cache time', async () => {
    await fixture.publishOpening()
    const { status, headers, text } = await fixture.ask('master.m3u8')
    expect(status).toBe(200)
    expect(headers).toMatchObject({
      'content-type': 'application/vnd.apple.mpegurl; charset=utf-8',
      'cache-control': 'private, max-age=2',
      'x-content-type-options': 'nosniff',
      'content-security-policy': 'sandbox',
    })
    expect(text).toContain('RESOLUTION=426x240,FRAME-RATE=30.000')
    expect(text).not.toContain('720p')
    expect((await fixture.ask('240p.m3u8')).text).toBe(`#EXTM3U
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

  it('lists all tracks after processing, smallest first, for HLS and DASH, with a longer cache time', async () => {
    await fixture.publishAll()
    await publisher.setStatus(fixture.place, 'Completed')
    const { text, headers } = await fixture.ask('master.m3u8')
    expect(headers['cache-control']).toBe('private, max-age=60')
    expect(text.match(/^\w+p\.m3u8$/gm)).toEqual(['240p.m3u8', '720p.m3u8'])
    expect((await fixture.ask('720p.m3u8')).text).toMatch(/00002\.m4s\n#EXT-X-ENDLIST\n$/)
    expect((await fixture.ask('audio.m3u8')).text).toContain('video-encode-2/audio/00002.m4s')
    expect((await fixture.ask('720p-iframes.m3u8')).text).toContain('#EXT-X-BYTERANGE:3@0')
    const dash = await fixture.ask('manifest.mpd')
    expect(dash.headers['content-type']).toBe('application/dash+xml; charset=utf-8')
    expect(dash.text).toContain('<SegmentURL media="video-encode-2/240p/00001.m4s"/>')
  })

  it('ends the playlist after the last segment if processing was cancelled', async () => {
    await fixture.publishOpening()
    const growing = (await fixture.ask('240p.m3u8')).text
    await publisher.setStatus(fixture.place, 'Cancelled')
    expect((await fixture.ask('240p.m3u8')).text).toBe(`${growing}#EXT-X-ENDLIST\n`)
    expect((await fixture.ask('master.m3u8')).headers['cache-control']).toBe('private, max-age=60')
  })

  it('computes the bandwidth with a short last segment counted together with the one before it', async () => {
    const small = fixture.plan.tracks.filter(({ name }) => name !== '720p')
    await fixture.newVideo({}, { ...fixture.plan, durationSeconds: 9, tracks: small })
    const segment = (bytes: number, seconds: number, keyframeBytes: number) => ({
      body: 'x'.repeat(bytes),
      seconds,
      keyframes: [{ offset: 0, bytes: keyframeBytes, seconds }],
    })
    const of = (track: string) => ({ track, attempt: 'video-encode-1', init: 'init' })
    const audio = [4, 4, 1].map((seconds) => ({ body: 'x'.repeat(25 * seconds), seconds }))
    await publisher.publish(fixture.place, { ...of('audio'), firstSegment: 0, segments: audio })
    const [first, ...rest] = [segment(400, 4, 40), segment(800, 4, 30), segment(1000, 1, 2)]
    await publisher.publish(fixture.place, { ...of('240p'), firstSegment: 1, segments: rest })
    await publisher.publish(fixture.place, { ...of('240p'), firstSegment: 0, segments: [first] })
    const { text } = await fixture.ask('master.m3u8')
    expect(text).toContain(`#EXT-X-STREAM-INF:BANDWIDTH=${(1800 * 8) / 5 + 200},AVERAGE-BANDWIDTH=${1956 + 200},`)
    expect(text).toContain('#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=80,AVERAGE-BANDWIDTH=64,')
  })

  it('changes when subtitles are added and removed', async () => {
    await fixture.publishAll()
    const before = (await fixture.ask('master.m3u8')).text
    const path = `assets/${fixture.place.assetId}/subtitles/`
    const content = 'WEBVTT\n\n00:01.000 --> 00:02.000\nGuten Tag\n'
    const { body } = await fixture.caller.post<{ id: string }>(path, { language: 'de', content })
    expect((await fixture.ask('master.m3u8')).text).toContain(body.id)
    await fixture.caller.delete(`${path}${body.id}/`)
    expect((await fixture.ask('master.m3u8')).text).toBe(before)
  })

  it('is linked in the asset response; the DASH manifest only once the audio is complete too', async () => {
    const videoOf = async () => {
      const { body } = await fixture.caller.get<{ video: object }>(`assets/${fixture.place.assetId}/`)
      return body.video
    }
    const own = expect.stringContaining(`/${fixture.place.organizationId}/${fixture.place.assetId}/`)
    await fixture.publishOpening()
    await fixture.publish('240p', 1, 'small 1', 'small 2')
    await fixture.publish('720p', 0, 'large 0', 'large 1', 'large 2')
    expect(await videoOf()).toMatchObject({ playback_url: own, dash_url: null })
    await fixture.publish('audio', 1, 'sound 1', 'sound 2')
    expect(await videoOf()).toMatchObject({ playback_url: own, dash_url: own })
  })

  it('names uploaded subtitles', async () => {
    await fixture.publishAll()
    const content = 'WEBVTT\n\n00:01.000 --> 00:02.000\nGuten Tag\n'
    const path = `assets/${fixture.place.assetId}/subtitles/`
    const { body } = await fixture.caller.post<{ id: string }>(path, { language: 'de', content })
    expect((await fixture.ask('master.m3u8')).text).toContain(`URI="subtitles-${body.id}.m3u8"`)
    const { text } = await fixture.ask(`subtitles-${body.id}.m3u8`)
    expect(text).toContain(`#EXTINF:12.000000,\nsubtitles/${body.id}.vtt\n`)
    expect((await fixture.ask(`subtitles/${body.id}.vtt`)).text).toContain('Guten Tag')
  })

  it('returns the same headers without a body for a HEAD request', async () => {
    await fixture.publishOpening()
    const { headers } = await fixture.ask('master.m3u8')
    const head = await fixture.ask('master.m3u8', {}, 'HEAD')
    expect(head).toMatchObject({ status: 200, text: '' })
    for (const name of ['content-type', 'content-length', 'etag', 'cache-control']) {
      expect(head.headers[name]).toBe(headers[name])
    }
  })
})

describe('GET a manifest: 304', () => {
  it('is returned for a known ETag until the manifest grows', async () => {
    await fixture.publishOpening()
    const etag = (await fixture.ask('240p.m3u8')).headers['etag'] ?? ''
    const again = await fixture.ask('240p.m3u8', { 'if-none-match': `"other", W/${etag}` })
    expect(again).toMatchObject({ status: 304, text: '' })
    expect(again.headers).toMatchObject({ etag, 'cache-control': 'private, max-age=2' })
    await fixture.publish('240p', 1, 'small 1')
    await fixture.publish('audio', 1, 'sound 1')
    expect((await fixture.ask('240p.m3u8', { 'if-none-match': etag })).status).toBe(200)
  })
})

describe('GET a manifest: 404', () => {
  it('is returned for DASH until the whole video is encoded, and suggests HLS', async () => {
    await fixture.publishOpening()
    const response = await fixture.ask('manifest.mpd')
    expect(response.status).toBe(404)
    expect(JSON.parse(response.text)).toMatchObject({ detail: expect.stringContaining('Play HLS') })
  })
})
