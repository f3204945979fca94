/** The documents about a video that players read besides its manifests. */
import { assetToken, type Caller, Publisher, probedAsset, TestApi, type VideoRef } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'

const testApi = await opened(TestApi.open())
const publisher = await opened(Publisher.open())

const DURATION_SECONDS = 12.5

const plan = {
  durationSeconds: DURATION_SECONDS,
  frameRate: { numerator: 30, denominator: 1 },
  segmentFrames: 120,
  gopFrames: 60,
  audio: null,
  tracks: [
    {
      name: '240p',
      width: 426,
      height: 240,
      bitrateMax: 4e5,
      segmentsTotal: 1,
      codecs: 'avc1.64000d',
    },
  ],
}

let caller: Caller
let video: VideoRef
beforeEach(async () => {
  caller = await testApi.newOrganization()
  const { asset } = await probedAsset(caller, { durationSeconds: DURATION_SECONDS })
  video = { organizationId: caller.organizationId, assetId: asset.id }
})

async function publish() {
  await publisher.plan(video, plan)
  await publisher.publish(video, {
    track: '240p',
    firstSegment: 0,
    attempt: 'video-encode-1',
    init: 'init',
    segments: [{ body: 'small', seconds: DURATION_SECONDS }],
  })
}

const addChapters = (chapters: object[]) => caller.post(`assets/${video.assetId}/chapters/`, { chapters })

const get = (name: string, method: 'GET' | 'HEAD' = 'GET') => {
  const token = assetToken(testApi.context.tokenIssuer, video)
  const path = `/play/${token}/${video.organizationId}/${video.assetId}/${name}`
  return testApi.send({ method, path, headers: {}, body: undefined })
}

const about = async () => JSON.parse((await get('about.json')).text) as object

describe('GET about.json', () => {
  it('returns everything a player needs, with relative URLs', async () => {
    await publish()
    await publisher.setStatus(video, 'Completed')
    await publisher.showPictures(video, 'video-pictures-4', {
      cover: 'cover.jpg',
      thumbnails: [],
      storyboard: 'storyboard.vtt',
    })
    await caller.patch(`assets/${video.assetId}/`, { title: 'A "<b>" day' })
    const content = 'WEBVTT\n\n00:01.000 --> 00:02.000\nGuten Tag\n'
    const { body } = await caller.post<{ id: string }>(`assets/${video.assetId}/subtitles/`, {
      language: 'de',
      content,
    })
    await addChapters([{ title: 'Beginning', start_time: '00:00:02' }])
    expect(await about()).toEqual({
      id: video.assetId,
      title: 'A "<b>" day',
      status: 'complete',
      duration: DURATION_SECONDS,
      width: 64,
      height: 48,
      frame_rate: { numerator: 30, denominator: 1 },
      heights: [240],
      protection: expect.any(String),
      hls: 'master.m3u8',
      dash: 'manifest.mpd',
      licenses: {},
      poster: 'video-pictures-4/cover.jpg',
      storyboard: 'video-pictures-4/storyboard.vtt',
      start_offset: 0,
      chapters: [{ title: 'Beginning', start: 2 }],
      subtitles: [
        {
          id: body.id,
          language: 'de',
          label: 'Deutsch',
          is_automatic: false,
          uri: `subtitles/${body.id}.vtt`,
        },
      ],
      watermark: null,
    })
  })

  it('describes a video that is not playable yet and one that failed', async () => {
    expect(await about()).toMatchObject({ status: 'pending', hls: null, dash: null, poster: null })
    await publisher.setStatus(video, 'Cancelled')
    expect(await about()).toMatchObject({ status: 'failed', hls: null })
  })

  it('describes a video that grows and one that stopped growing', async () => {
    await publisher.plan(video, {
      ...plan,
      tracks: plan.tracks.map((track) => ({ ...track, segmentsTotal: 2 })),
    })
    await publisher.publish(video, {
      track: '240p',
      firstSegment: 0,
      attempt: 'video-encode-1',
      init: 'init',
      segments: [{ body: 'small', seconds: 4 }],
    })
    expect(await about()).toMatchObject({ status: 'processing', hls: 'master.m3u8', dash: null })
    await publisher.setStatus(video, 'Cancelled')
    expect(await about()).toMatchObject({ status: 'incomplete', hls: 'master.m3u8' })
  })

  it('is not cached and is readable from any origin', async () => {
    const { headers } = await get('about.json')
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'access-control-allow-origin': '*',
    })
    const head = await get('about.json', 'HEAD')
    expect(head).toMatchObject({ status: 200, text: '' })
    expect(head.headers['content-length']).toBe(headers['content-length'])
  })
})

describe('GET chapters', () => {
  beforeEach(async () => {
    await addChapters([
      { title: 'Arrows --> & <tags>', start_time: '00:00:02' },
      { title: 'End', start_time: '00:00:07' },
    ])
  })

  it('returns an escaped WebVTT track without gaps', async () => {
    const { headers, text } = await get('chapters.vtt')
    expect(headers['content-type']).toBe('text/vtt; charset=utf-8')
    expect(text).toBe(`WEBVTT

00:00:00.000 --> 00:00:07.000
Arrows --&gt; &amp; &lt;tags&gt;

00:00:07.000 --> 00:00:12.500
End
`)
  })

  it("returns the JSON format of Apple's players", async () => {
    const { headers, text } = await get('chapters.json')
    expect(headers['content-type']).toBe('application/json; charset=utf-8')
    expect(JSON.parse(text)).toEqual([
      {
        chapter: 1,
        'start-time': 2,
        duration: 5,
        titles: [{ language: 'und', title: 'Arrows --> & <tags>' }],
      },
      {
        chapter: 2,
        'start-time': 7,
        duration: 5.5,
        titles: [{ language: 'und', title: 'End' }],
      },
    ])
  })
})

it('the multivariant playlist links to the chapters if the video has any', async () => {
  const { asset } = await probedAsset(caller, { durationSeconds: DURATION_SECONDS })
  video = { organizationId: caller.organizationId, assetId: asset.id }
  await publish()
  const line = '#EXT-X-SESSION-DATA:DATA-ID="com.apple.hls.chapters",URI="chapters.json"\n'
  expect((await get('master.m3u8')).text).not.toContain(line)
  await addChapters([{ title: 'Beginning', start_time: '00:00:02' }])
  expect((await get('master.m3u8')).text).toContain(line)
  await caller.delete(`assets/${video.assetId}/chapters/1/`)
  expect((await get('master.m3u8')).text).not.toContain(line)
})

it('a video without chapters has empty chapter documents', async () => {
  expect((await get('chapters.vtt')).text).toBe('WEBVTT\n')
  expect((await get('chapters.json')).text).toBe('[]')
})

describe('GET a document about a video: 404', () => {
  it.each(['about.json', 'chapters.vtt', 'chapters.json'])(
    'is returned for %s of a video that does not exist',
    async (name) => {
      const { organizationId } = await testApi.newOrganization()
      video = { ...video, organizationId }
      expect((await get(name)).status).toBe(404)
    },
  )
})
