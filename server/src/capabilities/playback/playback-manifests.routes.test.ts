/** What players read first, and again while a video grows. */
import { PlaybackStage } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'

const stage = await opened(PlaybackStage.open())
const { publisher } = stage
beforeEach(() => stage.begin())

describe('200 of a manifest', () => {
  it('lists what can be played while the video is made, and asks to be read again soon', async () => {
    await stage.publishOpening()
    const { status, headers, text } = await stage.ask('master.m3u8')
    expect(status).toBe(200)
    expect(headers).toMatchObject({
      'content-type': 'application/vnd.apple.mpegurl; charset=utf-8',
      'cache-control': 'private, max-age=2',
      'x-content-type-options': 'nosniff',
    })
    expect(text).toContain('RESOLUTION=426x240,FRAME-RATE=30.000')
    expect(text).not.toContain('720p')
    expect((await stage.ask('240p.m3u8')).text).toBe(`#EXTM3U
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
    await stage.publishAll()
    await publisher.setStatus(stage.place, 'Completed')
    const { text, headers } = await stage.ask('master.m3u8')
    expect(headers['cache-control']).toBe('private, max-age=60')
    expect(text.match(/^\w+p\.m3u8$/gm)).toEqual(['240p.m3u8', '720p.m3u8'])
    expect((await stage.ask('720p.m3u8')).text).toMatch(/00002\.m4s\n#EXT-X-ENDLIST\n$/)
    expect((await stage.ask('audio.m3u8')).text).toContain('video-encode-2/audio/00002.m4s')
    expect((await stage.ask('720p-iframes.m3u8')).text).toContain('#EXT-X-BYTERANGE:3@0')
    const dash = await stage.ask('manifest.mpd')
    expect(dash.headers['content-type']).toBe('application/dash+xml; charset=utf-8')
    expect(dash.text).toContain('<SegmentURL media="video-encode-2/240p/00001.m4s"/>')
  })

  it('has an end where the work ended, and goes on if it is taken up again', async () => {
    await stage.publishOpening()
    const growing = (await stage.ask('240p.m3u8')).text
    await publisher.setStatus(stage.place, 'Cancelled')
    expect((await stage.ask('240p.m3u8')).text).toBe(`${growing}#EXT-X-ENDLIST\n`)
    expect((await stage.ask('master.m3u8')).headers['cache-control']).toBe('private, max-age=60')
  })

  it('tells what a line must bear: a last moment counts with what comes before it', async () => {
    const small = stage.plan.tracks.filter(({ name }) => name !== '720p')
    await stage.newVideo({}, { ...stage.plan, durationSeconds: 9, tracks: small })
    const piece = (bytes: number, seconds: number, keyframeBytes: number) => ({
      body: 'x'.repeat(bytes),
      seconds,
      keyframes: [{ offset: 0, bytes: keyframeBytes, seconds }],
    })
    const of = (track: string) => ({ track, attempt: 'video-encode-1', init: 'init' })
    const sound = [4, 4, 1].map((seconds) => ({ body: 'x'.repeat(25 * seconds), seconds }))
    await publisher.publish(stage.place, { ...of('audio'), firstSegment: 0, segments: sound })
    const [first, ...rest] = [piece(400, 4, 40), piece(800, 4, 30), piece(1000, 1, 2)]
    await publisher.publish(stage.place, { ...of('240p'), firstSegment: 1, segments: rest })
    await publisher.publish(stage.place, { ...of('240p'), firstSegment: 0, segments: [first] })
    const { text } = await stage.ask('master.m3u8')
    expect(text).toContain(
      `#EXT-X-STREAM-INF:BANDWIDTH=${(1800 * 8) / 5 + 200},AVERAGE-BANDWIDTH=${1956 + 200},`,
    )
    expect(text).toContain('#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=80,AVERAGE-BANDWIDTH=64,')
  })

  it('is another one when subtitles come and go', async () => {
    await stage.publishAll()
    const before = (await stage.ask('master.m3u8')).text
    const path = `assets/${stage.place.assetId}/subtitles/`
    const content = 'WEBVTT\n\n00:01.000 --> 00:02.000\nGuten Tag\n'
    const { body } = await stage.caller.post<{ id: string }>(path, { language: 'de', content })
    expect((await stage.ask('master.m3u8')).text).toContain(body.id)
    await stage.caller.delete(`${path}${body.id}/`)
    expect((await stage.ask('master.m3u8')).text).toBe(before)
  })

  it('is told of with the asset: that of DASH once the sound is there as well', async () => {
    const told = async () => {
      const { body } = await stage.caller.get<{ video: object }>(`assets/${stage.place.assetId}/`)
      return body.video
    }
    const own = expect.stringContaining(`/${stage.place.organizationId}/${stage.place.assetId}/`)
    await stage.publishOpening()
    await stage.publish('240p', 1, 'small 1', 'small 2')
    await stage.publish('720p', 0, 'large 0', 'large 1', 'large 2')
    expect(await told()).toMatchObject({ playback_url: own, dash_url: null })
    await stage.publish('audio', 1, 'sound 1', 'sound 2')
    expect(await told()).toMatchObject({ playback_url: own, dash_url: own })
  })

  it('names subtitles that somebody keeps', async () => {
    await stage.publishAll()
    const content = 'WEBVTT\n\n00:01.000 --> 00:02.000\nGuten Tag\n'
    const path = `assets/${stage.place.assetId}/subtitles/`
    const { body } = await stage.caller.post<{ id: string }>(path, { language: 'de', content })
    expect((await stage.ask('master.m3u8')).text).toContain(`URI="subtitles-${body.id}.m3u8"`)
    const { text } = await stage.ask(`subtitles-${body.id}.m3u8`)
    expect(text).toContain(`#EXTINF:12.000000,\nsubtitles/${body.id}.vtt\n`)
    expect((await stage.ask(`subtitles/${body.id}.vtt`)).text).toContain('Guten Tag')
  })

  it('HEAD: tells the same without it', async () => {
    await stage.publishOpening()
    const { headers } = await stage.ask('master.m3u8')
    const head = await stage.ask('master.m3u8', {}, 'HEAD')
    expect(head).toMatchObject({ status: 200, text: '' })
    for (const name of ['content-type', 'content-length', 'etag', 'cache-control']) {
      expect(head.headers[name]).toBe(headers[name])
    }
  })
})

describe('304', () => {
  it('to who has the manifest as it is, until it grows', async () => {
    await stage.publishOpening()
    const etag = (await stage.ask('240p.m3u8')).headers['etag'] ?? ''
    const again = await stage.ask('240p.m3u8', { 'if-none-match': `"other", W/${etag}` })
    expect(again).toMatchObject({ status: 304, text: '' })
    expect(again.headers).toMatchObject({ etag, 'cache-control': 'private, max-age=2' })
    await stage.publish('240p', 1, 'small 1')
    await stage.publish('audio', 1, 'sound 1')
    expect((await stage.ask('240p.m3u8', { 'if-none-match': etag })).status).toBe(200)
  })
})

describe('404', () => {
  it('of DASH before the whole video is made, with a word on what to do', async () => {
    await stage.publishOpening()
    const answer = await stage.ask('manifest.mpd')
    expect(answer.status).toBe(404)
    expect(JSON.parse(answer.text)).toMatchObject({ detail: expect.stringContaining('Play HLS') })
  })
})
