/**
 * Videos that are protected with AES-128 through the whole service: what lies in storage, and what
 * those see who are let in.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { assets } from '@reelkeep/contract'
import { film } from '@reelkeep/media/film'
import { readPictures } from '@reelkeep/media/film-reader'
import { makeFilms } from '@reelkeep/media/films'
import { Objects } from '@reelkeep/testkit'
import { root } from '@reelkeep/testkit/settings'
import { opened } from '@reelkeep/testkit/vitest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPlayers } from '../browser/players.ts'
import { faultsOfCounts, faultsOfForm, faultsOfGrid, toRate } from './judge-pictures.ts'
import { faultsOfFrames } from './judge-sound.ts'
import { isCompleted, openMediaStage, uploadVideo, videoBecomes } from './media-stage.ts'
import { fetchSealed, type SealedTrack } from './sealed-video.ts'
import { probePackets } from './streams-of.ts'

const run = promisify(execFile)

/** Three parts, two periods of keys. */
const SECONDS = 76
const source = film({
  ...{ name: 'sealed.mp4', trap: 'none', size: '640x360', rate: '25/1', seconds: SECONDS },
})
const rate = toRate('25/1')
const wish = { resolutions: ['240p', '360p'], content_protection_type: 'aes' }
const SECONDS_MAX = 400

const stage = await opened(openMediaStage('protection'))
const players = await opened(openPlayers())
const caller = await stage.newCaller()
const objects = new Objects(stage.env, 'reelkeep-media')

let scratch: string
let path: string
const assetIds: string[] = []
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'reelkeep-protection-test-'))
  path = join(await makeFilms([source]), source.name)
  await stage.startWorker()
  // One whose master key is rotated while it is made, and one that is made then.
  assetIds.push(await uploadVideo(caller, path, wish))
  await videoBecomes(caller, assetIds[0] ?? '', ({ playback_url }) => playback_url !== null, 120)
  await rotate()
  expect(await countOfOpenSteps(assetIds[0])).toBeGreaterThan(0)
  assetIds.push(await uploadVideo(caller, path, wish))
}, 240_000)
afterAll(async () => {
  objects[Symbol.dispose]()
  await rm(scratch, { recursive: true, force: true })
})

const countOf = async (query: string, assetId: string | undefined) => {
  const [row] = await stage.superuser.query<{ count: number }>(query, [assetId])
  return Number(row?.count)
}
const countOfOpenSteps = (assetId: string | undefined) =>
  countOf(
    `select count(*) from pipeline_steps where asset_id = $1 and step = 'video-encode' and state <> 'done'`,
    assetId,
  )

/** As the operator does it. */
async function rotate(): Promise<void> {
  const admin = [join(root, 'server/src/main/admin.ts'), 'rotate-master-key', caller.organizationId]
  const { stdout } = await run(process.execPath, admin, { env: stage.env })
  expect(stdout).toBe('generation=2\n')
}

/** By a program that tries whatever it can. */
async function decodedFrames(file: string): Promise<number> {
  const { stdout } = await run('ffprobe', [
    ...['-v', 'quiet', '-count_frames', '-show_entries', 'stream=nb_read_frames'],
    ...['-of', 'csv=p=0', file],
  ]).catch(() => ({ stdout: '' }))
  return Number.parseInt(stdout, 10) || 0
}

describe.each([
  ['whose master key is rotated in the middle of it', 0, 1],
  ['that is made after the rotation', 1, 2],
])('a video %s', (_, index, generation) => {
  let assetId: string
  let video: assets.Asset['video']
  let tracks: SealedTrack[]
  beforeAll(async () => {
    assetId = assetIds[index] ?? ''
    video = await videoBecomes(caller, assetId, isCompleted, SECONDS_MAX)
    const directory = await mkdtemp(join(scratch, 'video-'))
    tracks = await fetchSealed(video.playback_url ?? '', directory)
  }, SECONDS_MAX * 1000)

  it('keeps the master key that was the newest when its first segment was made', async () => {
    const query = 'select generation as count from asset_protections where asset_id = $1'
    expect(await countOf(query, assetId)).toBe(generation)
    expect(video.dash_url).toBeNull()
  })

  it('lies in storage without a segment in the clear', async () => {
    const stored = await objects.versions(`${caller.organizationId}/${assetId}/`)
    const segments = stored.filter(({ key }) => key.endsWith('.m4s'))
    // Two sizes and the sound, in segments of four seconds.
    expect(segments.length).toBeGreaterThanOrEqual((3 * SECONDS) / 4)
    for (const segment of segments) {
      const body = await objects.read(segment)
      expect(body.length % 16).toBe(0)
      expect(['styp', 'sidx', 'moof']).not.toContain(body.toString('latin1', 4, 8))
    }
    for (const { sealed, clear } of tracks.flatMap((track) => track.segments)) {
      expect(clear.toString('latin1', 4, 8)).toMatch(/styp|sidx|moof/)
      // Of what can be told apart from chance, nothing.
      for (let at = 0; at + 32 <= clear.length; at += 4096) {
        expect(sealed.includes(clear.subarray(at, at + 32))).toBe(false)
      }
    }
    // What is neither encrypted nor a header is a picture, a text about one, or what the probe found.
    const others = stored.filter(({ key }) => !key.endsWith('.m4s') && !key.endsWith('/init.mp4'))
    expect(others.filter(({ key }) => !/\.(jpg|vtt)$|\/probe\.json$/.test(key))).toEqual([])
  })

  it('cannot be decoded without its keys', async () => {
    for (const { path: clear, sealedPath } of tracks) {
      expect(await decodedFrames(sealedPath)).toBe(0)
      expect(await decodedFrames(clear)).toBeGreaterThan(SECONDS * 24)
    }
  })

  it('has a key for every minute, and a vector for every segment', () => {
    expect(tracks.map(({ name }) => name).sort()).toEqual(['240p', '360p', 'audio'])
    const segments = tracks.flatMap((track) => track.segments)
    expect(new Set(segments.map(({ iv }) => iv)).size).toBe(segments.length)
    for (const track of tracks) {
      const periods = track.segments.map(({ keyUrl }) => keyUrl.split('/').at(-1))
      expect(periods).toEqual(track.segments.map((_, n) => (n < 15 ? '0.key' : '1.key')))
    }
  })

  it('is the film with its keys: every picture and every frame of the sound', async () => {
    const pictures = await readPictures(path)
    for (const track of tracks) {
      const probed = await probePackets(track.path)
      if (track.name === 'audio') {
        expect(faultsOfFrames(probed, SECONDS)).toEqual([])
        continue
      }
      const seen = await readPictures(track.path, { isStrict: true })
      const height = Number.parseInt(track.name, 10)
      const size = { width: height === 240 ? 426 : 640, height }
      expect([
        ...faultsOfForm(probed, size),
        ...faultsOfGrid(probed, rate, SECONDS * 25),
        ...faultsOfCounts(seen, pictures, rate),
      ]).toEqual([])
    }
  })

  it('is decoded from its address by a player that we did not write', async () => {
    const { stdout } = await run('ffprobe', [
      ...['-v', 'error', '-protocol_whitelist', 'http,tcp,crypto', '-select_streams', 'v:0'],
      ...['-count_frames', '-show_entries', 'stream=nb_read_frames', '-of', 'csv=p=0'],
      video.playback_url ?? '',
    ])
    expect(stdout).toContain(String(SECONDS * 25))
  })

  it.each(['hls.js', 'shaka'] as const)(
    'plays to its end in Chromium, by %s',
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

  it('has its pictures, made of what is encrypted', async () => {
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

  it('is sent to nobody who has not been let in', async () => {
    const [track] = tracks
    const pieces = (track?.segments ?? []).flatMap(({ url, keyUrl }) => [url, keyUrl])
    for (const url of new Set([video.playback_url, video.cover_thumbnail_url, ...pieces])) {
      const withoutPass = (url ?? '').replace(/\/play\/[^/]+\//, '/play/open/')
      expect(withoutPass).toContain('/play/open/')
      expect([withoutPass, (await fetch(withoutPass)).status]).toEqual([withoutPass, 403])
    }
  })
})
