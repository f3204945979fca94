/** Tests videos protected with AES-128 in the whole service: the stored files, and the responses to viewers. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { assets } from '@reelkeep/contract'
import { film } from '@reelkeep/media/film'
import { readFrames } from '@reelkeep/media/film-reader'
import { createFilms } from '@reelkeep/media/films'
import { Objects } from '@reelkeep/testkit'
import { root } from '@reelkeep/testkit/settings'
import { opened } from '@reelkeep/testkit/vitest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPlayers } from '../browser/players.ts'
import { findFrameErrors } from './check-audio.ts'
import { findCountErrors, findFormatErrors, findGridErrors, toRate } from './check-video.ts'
import { type EncryptedTrack, fetchEncrypted } from './encrypted-video.ts'
import { probePackets } from './ffprobe.ts'
import { isCompleted, openMediaFixture, uploadVideo, waitForVideo } from './media-fixture.ts'

const run = promisify(execFile)

/** Length of the film: enough for three encoded parts and two key periods. */
const SECONDS = 76
const source = film({
  ...{ name: 'protected.mp4', difficulty: 'none', size: '640x360', rate: '25/1', seconds: SECONDS },
})
const rate = toRate('25/1')
const options = { resolutions: ['240p', '360p'], content_protection_type: 'aes' }
const SECONDS_MAX = 400

const fixture = await opened(openMediaFixture('protection'))
const players = await opened(openPlayers())
const caller = await fixture.newCaller()
const objects = new Objects(fixture.env, 'reelkeep-media')

let scratch: string
let path: string
const assetIds: string[] = []
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'reelkeep-protection-test-'))
  path = join(await createFilms([source]), source.name)
  await fixture.startWorker()
  // The master key is rotated while the first video is encoded, and before the second video is uploaded.
  assetIds.push(await uploadVideo(caller, path, options))
  await waitForVideo(caller, assetIds[0] ?? '', ({ playback_url }) => playback_url !== null, 120)
  await rotate()
  expect(await countOfOpenSteps(assetIds[0])).toBeGreaterThan(0)
  assetIds.push(await uploadVideo(caller, path, options))
}, 240_000)
afterAll(async () => {
  objects[Symbol.dispose]()
  await rm(scratch, { recursive: true, force: true })
})

const countOf = async (query: string, assetId: string | undefined) => {
  const [row] = await fixture.superuser.query<{ count: number }>(query, [assetId])
  return Number(row?.count)
}
const countOfOpenSteps = (assetId: string | undefined) =>
  countOf(
    `select count(*) from pipeline_steps where asset_id = $1 and step = 'video-encode' and state <> 'done'`,
    assetId,
  )

/** Rotates the master key with the admin command. */
async function rotate(): Promise<void> {
  const admin = [join(root, 'server/src/main/admin.ts'), 'rotate-master-key', caller.organizationId]
  const { stdout } = await run(process.execPath, admin, { env: fixture.env })
  expect(stdout).toBe('generation=2\n')
}

/** Counts frames with ffprobe, which ignores errors. */
async function decodedFrames(file: string): Promise<number> {
  const { stdout } = await run('ffprobe', [
    ...['-v', 'quiet', '-count_frames', '-show_entries', 'stream=nb_read_frames'],
    ...['-of', 'csv=p=0', file],
  ]).catch(() => ({ stdout: '' }))
  return Number.parseInt(stdout, 10) || 0
}

describe.each([
  ['whose master key is rotated while it is encoded', 0, 1],
  ['that is encoded after the rotation of the master key', 1, 2],
])('a video %s', (_, index, generation) => {
  let assetId: string
  let video: assets.Asset['video']
  let tracks: EncryptedTrack[]
  beforeAll(async () => {
    assetId = assetIds[index] ?? ''
    video = await waitForVideo(caller, assetId, isCompleted, SECONDS_MAX)
    const directory = await mkdtemp(join(scratch, 'video-'))
    tracks = await fetchEncrypted(video.playback_url ?? '', directory)
  }, SECONDS_MAX * 1000)

  it('keeps the master key that was current when its first segment was encoded', async () => {
    const query = 'select generation as count from asset_protections where asset_id = $1'
    expect(await countOf(query, assetId)).toBe(generation)
    expect(video.dash_url).toBeNull()
  })

  it('has no unencrypted segment in storage', async () => {
    const stored = await objects.versions(`${caller.organizationId}/${assetId}/`)
    const segments = stored.filter(({ key }) => key.endsWith('.m4s'))
    // There are segments of two rungs and of the audio, each four seconds long.
    expect(segments.length).toBeGreaterThanOrEqual((3 * SECONDS) / 4)
    for (const segment of segments) {
      const body = await objects.read(segment)
      expect(body.length % 16).toBe(0)
      expect(['styp', 'sidx', 'moof']).not.toContain(body.toString('latin1', 4, 8))
    }
    for (const { encrypted, clear } of tracks.flatMap((track) => track.segments)) {
      expect(clear.toString('latin1', 4, 8)).toMatch(/styp|sidx|moof/)
      // No part of the clear segment occurs in the encrypted one.
      for (let at = 0; at + 32 <= clear.length; at += 4096) {
        expect(encrypted.includes(clear.subarray(at, at + 32))).toBe(false)
      }
    }
    // Every other stored object is a header, an image, a WebVTT file, or the probe's result.
    const others = stored.filter(({ key }) => !key.endsWith('.m4s') && !key.endsWith('/init.mp4'))
    expect(others.filter(({ key }) => !/\.(jpg|vtt)$|\/probe\.json$/.test(key))).toEqual([])
  })

  it('cannot be decoded without its keys', async () => {
    for (const { path: clear, encryptedPath } of tracks) {
      expect(await decodedFrames(encryptedPath)).toBe(0)
      expect(await decodedFrames(clear)).toBeGreaterThan(SECONDS * 24)
    }
  })

  it('has one key per minute, and one IV per segment', () => {
    expect(tracks.map(({ name }) => name).sort()).toEqual(['240p', '360p', 'audio'])
    const segments = tracks.flatMap((track) => track.segments)
    expect(new Set(segments.map(({ iv }) => iv)).size).toBe(segments.length)
    for (const track of tracks) {
      const periods = track.segments.map(({ keyUrl }) => keyUrl.split('/').at(-1))
      expect(periods).toEqual(track.segments.map((_, n) => (n < 15 ? '0.key' : '1.key')))
    }
  })

  it('has all video and audio frames when decrypted', async () => {
    const frames = await readFrames(path)
    for (const track of tracks) {
      const probed = await probePackets(track.path)
      if (track.name === 'audio') {
        expect(findFrameErrors(probed, SECONDS)).toEqual([])
        continue
      }
      const seen = await readFrames(track.path, { isStrict: true })
      const height = Number.parseInt(track.name, 10)
      const size = { width: height === 240 ? 426 : 640, height }
      expect([
        ...findFormatErrors(probed, size),
        ...findGridErrors(probed, rate, SECONDS * 25),
        ...findCountErrors(seen, frames, rate),
      ]).toEqual([])
    }
  })

  it('can be decoded by ffprobe from its playback URL', async () => {
    const { stdout } = await run('ffprobe', [
      ...['-v', 'error', '-protocol_whitelist', 'http,tcp,crypto', '-select_streams', 'v:0'],
      ...['-count_frames', '-show_entries', 'stream=nb_read_frames', '-of', 'csv=p=0'],
      video.playback_url ?? '',
    ])
    expect(stdout).toContain(String(SECONDS * 25))
  })

  it.each(['hls.js', 'shaka'] as const)(
    'plays to its end in Chromium with %s',
    async (engine) => {
      const url = video.playback_url ?? ''
      await using viewer = await players.play({ engine, url, rate: 4 })
      const seen = await viewer.watchUntil(({ hasEnded }) => hasEnded)
      expect(seen).toMatchObject({ errors: [], hasEnded: true, heights: [240, 360] })
      expect(seen.currentSeconds).toBeCloseTo(SECONDS, 0)
      expect(seen.audioBytes).toBeGreaterThan(0)
    },
    300_000,
  )

  it('has thumbnails', async () => {
    const urls = [video.cover_thumbnail_url ?? '', ...video.thumbnails]
    expect(urls.length).toBeGreaterThan(1)
    for (const url of urls) {
      const { stdout } = await run('ffprobe', [
        ...['-v', 'error', '-show_entries', 'stream=codec_name,height', '-of', 'csv=p=0'],
        url,
      ])
      expect(stdout.trim()).toBe('mjpeg,360')
    }
    expect(video.tracks.map(({ kind }) => kind)).toContain('storyboard')
  })

  it('is not served without a playback token', async () => {
    const [track] = tracks
    const urls = (track?.segments ?? []).flatMap(({ url, keyUrl }) => [url, keyUrl])
    for (const url of new Set([video.playback_url, video.cover_thumbnail_url, ...urls])) {
      const withoutToken = (url ?? '').replace(/\/play\/[^/]+\//, '/play/open/')
      expect(withoutToken).toContain('/play/open/')
      expect([withoutToken, (await fetch(withoutToken)).status]).toEqual([withoutToken, 403])
    }
  })
})
