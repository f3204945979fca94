/** Plays published videos in Chromium with the common players. */
import type { assets } from '@reelkeep/contract'
import {
  ApiProcess,
  Caller,
  newOrganization,
  openOwner,
  openSession,
  Publisher,
  type VideoRef,
} from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { describe, expect, it } from 'vitest'
import { FRAMES_PER_SECOND, packageVideo, SEGMENT_SECONDS } from './packaged-video.ts'
import { type Engine, openPlayers } from './players.ts'

const SEGMENTS = 6
const SECONDS = SEGMENTS * SEGMENT_SECONDS

const api = await opened(ApiProcess.start())
const publisher = await opened(Publisher.open())
const players = await opened(openPlayers())
const packaged = await packageVideo(SEGMENTS)

type NewVideo = VideoRef & { readonly caller: Caller }

async function newVideo({ plan } = packaged): Promise<NewVideo> {
  await using owner = openOwner()
  const { organizationId, token } = await newOrganization(owner)
  const caller = new Caller(api.send, organizationId, token)
  const { asset } = await openSession(caller, { content_protection_type: 'disable' })
  const video = { organizationId, assetId: asset.id, caller }
  await publisher.plan(video, plan)
  return video
}

async function publish(video: VideoRef, tracks: readonly string[], first: number, end: number) {
  for (const track of tracks) await publisher.publish(video, packaged.part(track, first, end))
}

async function manifestUrl({ caller, assetId }: NewVideo, manifest: string): Promise<string> {
  const { body } = await caller.get<assets.Asset>(`assets/${assetId}/`)
  return new URL(manifest, body.video.playback_url ?? '').href
}

/** Browsers may drop a few frames at the end. */
const FRAMES_MISSED_MAX = 3

describe('a completed video', async () => {
  const video = await newVideo()
  await publish(video, ['240p', '480p', 'audio'], 0, SEGMENTS)
  await publisher.setStatus(video, 'Completed')

  it.each<[Engine, string]>([
    ['hls.js', 'master.m3u8'],
    ['shaka', 'master.m3u8'],
    ['shaka', 'manifest.mpd'],
    ['dash.js', 'manifest.mpd'],
  ])('plays to its end in %s from %s', async (engine, manifest) => {
    await using viewer = await players.play({
      engine,
      url: await manifestUrl(video, manifest),
      rate: 3,
    })
    const seen = await viewer.watchUntil(({ hasEnded }) => hasEnded)
    expect(seen).toMatchObject({ errors: [], hasEnded: true, heights: [240, 480] })
    expect(seen.currentSeconds).toBeCloseTo(SECONDS, 0)
    expect(seen.frames).toBeGreaterThanOrEqual(SECONDS * FRAMES_PER_SECOND - FRAMES_MISSED_MAX)
    expect(seen.audioBytes).toBeGreaterThan(0)
  })
})

it.each<[Engine, string]>([
  ['hls.js', 'master.m3u8'],
  ['shaka', 'manifest.mpd'],
  ['dash.js', 'manifest.mpd'],
])('a video of a single segment plays to its end in %s from %s', async (engine, manifest) => {
  const short = await packageVideo(1)
  const video = await newVideo(short)
  for (const track of ['240p', '480p', 'audio']) {
    await publisher.publish(video, short.part(track, 0, 1))
  }
  await using viewer = await players.play({ engine, url: await manifestUrl(video, manifest) })
  const seen = await viewer.watchUntil(({ hasEnded }) => hasEnded)
  expect(seen).toMatchObject({ errors: [], hasEnded: true, heights: [240, 480] })
  expect(seen.currentSeconds).toBeCloseTo(SEGMENT_SECONDS, 0)
  expect(seen.frames).toBeGreaterThanOrEqual(SEGMENT_SECONDS * FRAMES_PER_SECOND - FRAMES_MISSED_MAX)
})

describe('a video that is still being processed', () => {
  it.each<Engine>(['hls.js', 'shaka'])(
    'plays in %s from its start to its end while segments are added',
    async (engine) => {
      const video = await newVideo()
      const opening = 4
      await publish(video, ['240p', 'audio'], 0, opening)
      await using viewer = await players.play({
        engine,
        url: await manifestUrl(video, 'master.m3u8'),
        rate: 3,
      })
      const edge = opening * SEGMENT_SECONDS
      const first = await viewer.watchUntil(({ currentSeconds }) => currentSeconds > edge - 1)
      expect(first).toMatchObject({ errors: [], hasEnded: false, heights: [240] })
      // A player that treats the video as a live stream would start near the end.
      expect(first.firstSeconds).toBeLessThan(0.5)

      await publish(video, ['240p', 'audio'], opening, SEGMENTS)
      await publish(video, ['480p'], 0, SEGMENTS)
      await publisher.setStatus(video, 'Completed')
      const last = await viewer.watchUntil(({ hasEnded }) => hasEnded)
      expect(last).toMatchObject({ errors: [], hasEnded: true })
      expect(last.currentSeconds).toBeCloseTo(SECONDS, 0)
      expect(last.frames).toBeGreaterThanOrEqual(SECONDS * FRAMES_PER_SECOND - FRAMES_MISSED_MAX)
    },
  )
})

it('a cancelled video plays up to its last segment', async () => {
  const video = await newVideo()
  await publish(video, ['240p', 'audio'], 0, 2)
  await publisher.setStatus(video, 'Cancelled')
  const url = await manifestUrl(video, 'master.m3u8')
  await using viewer = await players.play({ engine: 'hls.js', url, rate: 3 })
  const seen = await viewer.watchUntil(({ hasEnded }) => hasEnded)
  expect(seen).toMatchObject({ errors: [], hasEnded: true })
  expect(seen.currentSeconds).toBeCloseTo(2 * SEGMENT_SECONDS, 0)
})

describe('subtitles', () => {
  const content = `WEBVTT

00:00:00.500 --> 00:00:02.500
Guten Tag

00:00:03.000 --> 00:00:05.000
Auf Wiedersehen
`
  const addText = ({ caller, assetId }: NewVideo) =>
    caller.post(`assets/${assetId}/subtitles/`, { language: 'de', label: 'Deutsch "neu"', content })

  it.each<[Engine, string]>([
    ['hls.js', 'master.m3u8'],
    ['shaka', 'master.m3u8'],
    ['shaka', 'manifest.mpd'],
    ['dash.js', 'manifest.mpd'],
  ])('of a completed video are loaded in %s from %s', async (engine, manifest) => {
    const video = await newVideo()
    await addText(video)
    await publish(video, ['240p', '480p', 'audio'], 0, SEGMENTS)
    const url = await manifestUrl(video, manifest)
    await using viewer = await players.play({ engine, url, rate: 3 })
    const seen = await viewer.watchUntil(({ cues }) => cues > 0)
    expect(seen).toMatchObject({ errors: [], cues: 2 })
  })

  it.each<Engine>(['hls.js', 'shaka'])(
    'do not interrupt the playback of a video that is still being processed, in %s',
    async (engine) => {
      const video = await newVideo()
      await addText(video)
      await publish(video, ['240p', 'audio'], 0, 2)
      const url = await manifestUrl(video, 'master.m3u8')
      await using viewer = await players.play({ engine, url, rate: 3 })
      const early = await viewer.watchUntil(({ cues, currentSeconds }) => cues > 0 && currentSeconds > 3)
      expect(early).toMatchObject({ errors: [], cues: 2 })
      await publish(video, ['240p', 'audio'], 2, SEGMENTS)
      await publish(video, ['480p'], 0, SEGMENTS)
      await publisher.setStatus(video, 'Completed')
      const last = await viewer.watchUntil(({ hasEnded }) => hasEnded)
      expect(last).toMatchObject({ errors: [], hasEnded: true })
    },
  )
})
