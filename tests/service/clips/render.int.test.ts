/**
 * Rendered parts of videos, with real encoding: every frame, with and without encryption, and independent of the
 * parent.
 */
import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { assets, Problem } from '@reelkeep/contract'
import { type Caller, Objects, stackEnv } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeNumberedFilm, numbersIn } from '../../../media/testing/rendered/numbered-film.ts'
import { isCompleted, openMediaFixture, uploadVideo, waitForVideo } from '../../media/media-fixture.ts'

const SECONDS = 20
const RATE = 30
const fixture = await opened(openMediaFixture('clips_render'))
const objects = new Objects(stackEnv(), 'reelkeep-media')
const folder = await mkdtemp(join(tmpdir(), 'reelkeep-render-'))
afterAll(() => rm(folder, { recursive: true }))

const film = join(folder, 'numbers.mp4')
let caller: Caller
beforeAll(async () => {
  await makeNumberedFilm({ path: film, rate: String(RATE), seconds: SECONDS })
  await fixture.startWorker()
  caller = await fixture.newCaller()
})

const subtitles = 'WEBVTT\n\n00:06.000 --> 00:08.000\nSix to eight\n\n00:15.000 --> 00:16.000\nLate\n'

async function newVideo(content_protection_type: string): Promise<string> {
  const options = { title: 'Numbers', resolutions: ['240p'], content_protection_type }
  const id = await uploadVideo(caller, film, options)
  await waitForVideo(caller, id, isCompleted, 240)
  const chapters = [0, 9].map((start_seconds) => ({ title: `at ${start_seconds}`, start_seconds }))
  await caller.post(`assets/${id}/chapters/`, { chapters })
  await caller.post(`assets/${id}/subtitles/`, { language: 'en', content: subtitles })
  return id
}

const render = (id: string, body: object = {}) => caller.post<assets.Asset & Problem>(`assets/${id}/render/`, body)

async function rendered(id: string, body: object = {}) {
  const { status, body: asset } = await render(id, body)
  expect([status, asset.video.status, asset.video.playback_url]).toEqual([201, 'Queued', null])
  const video = await waitForVideo(caller, asset.id, isCompleted, 120)
  return { id: asset.id, video }
}

const framesFrom = (first: number, count: number) => Array.from({ length: count }, (_, index) => first + index)
const textOf = async (url: string) => (await fetch(url)).text()

describe.each(['disable', 'aes'])('a rendered part of a video with the protection %s', (protection) => {
  let parent: string
  beforeAll(async () => {
    parent = await newVideo(protection)
  })

  it('has exactly its frames, chapters, captions and images, in every player', async () => {
    // From the middle of one segment to that of another.
    const { id, video } = await rendered(parent, { start_seconds: 5.3, end_seconds: 13.1, title: 'Rendered' })
    expect(video).toMatchObject({ duration: 234 / RATE, clip: null, trim: null, content_protection_type: protection })
    const master = video.playback_url ?? ''
    expect(await numbersIn(master)).toEqual(framesFrom(159, 234))
    expect(await textOf(master)).not.toContain('EXT-X-START')
    const playlist = await textOf(new URL('240p.m3u8', master).href)
    const lengths = [...playlist.matchAll(/#EXTINF:([\d.]+)/g)].map(([, seconds]) => Number(seconds))
    expect(lengths).toEqual([81 / RATE, 4, 33 / RATE])

    const { body: chapters } = await caller.get<{ results: { start_seconds: number }[] }>(`assets/${id}/chapters/`)
    expect(chapters.results.map(({ start_seconds }) => start_seconds)).toEqual([0, 3.7])
    const [track] = video.tracks.filter(({ kind }) => kind === 'subtitles')
    expect(await textOf(track?.url ?? '')).toContain('00:00:00.700 --> 00:00:02.700')
    const storyboard = video.tracks.find(({ kind }) => kind === 'storyboard')
    const tiles = await textOf(storyboard?.url ?? '')
    expect(tiles).toContain('00:00:00.000 --> ')
    const [sheet = ''] = tiles.split('\n').filter((line) => line.includes('#xywh'))
    expect((await fetch(new URL(sheet, storyboard?.url))).status).toBe(200)
    expect((await fetch(video.waveform_url ?? '')).status).toBe(200)
  })

  it('can be clipped, and trimmed, exactly', async () => {
    const { id } = await rendered(parent, { start_seconds: 5.3, end_seconds: 13.1 })
    const { body: clip } = await caller.post<assets.Asset>(`assets/${id}/clips/`, {
      start_seconds: 0.5,
      end_seconds: 4,
    })
    expect(clip.video.clip).toEqual({ parent_id: id, start_seconds: 0.5, end_seconds: 4 })
    expect(await shownBy(clip)).toEqual(framesFrom(174, 105))
    const { body: later } = await caller.post<assets.Asset>(`assets/${id}/clips/`, { start_seconds: 3, end_seconds: 7 })
    expect(await shownBy(later)).toEqual(framesFrom(249, 120))
    const { body: trimmed } = await caller.put<assets.Asset>(`assets/${id}/trim/`, { start_seconds: 1, end_seconds: 6 })
    expect(await shownBy(trimmed)).toEqual(framesFrom(189, 150))
    const refused = await render(id, { start_seconds: 1, end_seconds: 2 })
    expect([refused.status, refused.body.code]).toEqual([409, 'render_not_available'])
  })

  it('is independent: it plays after the parent and the clip were purged, whose files are deleted', async () => {
    const { body: clip } = await caller.post<assets.Asset>(`assets/${parent}/clips/`, {
      start_seconds: 4,
      end_seconds: 8,
    })
    const { id, video } = await rendered(clip.id)
    for (const purged of [parent, clip.id]) await caller.delete(`assets/${purged}/?permanently=true`)
    await expect.poll(() => storedFor(parent), { timeout: 60_000 }).toBe(0)
    // At borders of segments, nothing is encoded again.
    expect(await numbersIn(video.playback_url ?? '')).toEqual(framesFrom(120, 120))
    await caller.delete(`assets/${id}/?permanently=true`)
    await expect.poll(() => storedFor(id), { timeout: 60_000 }).toBe(0)
  })
})

const storedFor = async (id: string) => (await objects.versions(`${caller.organizationId}/${id}/`)).length

/** The frames that the player of this service shows: those of the playlist from the offset on. */
async function shownBy({ video }: assets.Asset): Promise<number[]> {
  const master = video.playback_url ?? ''
  const about = (await (await fetch(new URL('about.json', master))).json()) as { start_offset?: number }
  const first = Math.round((about.start_offset ?? 0) * RATE)
  // ffmpeg would seek to the start that the multivariant playlist names.
  const [track = ''] = (await textOf(master)).split('\n').filter((line) => line.endsWith('240p.m3u8'))
  return (await numbersIn(new URL(track, master).href)).slice(first, first + Math.round((video.duration ?? 0) * RATE))
}

it('a part that was rendered without encryption can be downloaded as MP4', async () => {
  const { id } = await rendered(await newVideo('disable'), { start_seconds: 1.5, end_seconds: 6.2 })
  const { body } = await caller.post<{ url: string }>(`assets/${id}/downloads/`, { kind: 'mp4' })
  expect(await numbersIn(body.url)).toEqual(framesFrom(45, 141))
  const source = await caller.post<Problem>(`assets/${id}/downloads/`, { kind: 'source' })
  expect([source.status, source.body.code]).toEqual([409, 'source_not_available'])
})

/** A file of a video, which can be replaced together with its checksum. */
async function publishedFile(assetId: string, name: string) {
  const stored = await objects.versions(`${caller.organizationId}/${assetId}/`)
  const version = stored.find(({ key }) => key.endsWith(name))
  if (!version) throw new Error(`The video has no ${name}.`)
  const { key } = version
  const rows = await fixture.superuser.query<{ prefix: string; names: string[] }>(
    'select prefix, names from published_files where asset_id = $1',
    [assetId],
  )
  const row = rows.find(({ prefix, names }) => names.some((file) => prefix + file === key))
  if (!row) throw new Error(`${key} has no checksum.`)
  const index = row.names.indexOf(key.slice(row.prefix.length))
  const replace = async (content: Buffer) => {
    await objects.put(key, content)
    await fixture.superuser.query(
      `update published_files set bytes[$3] = $4, md5 = overlay(md5 placing $5 from 16 * ($3 - 1) + 1)
       where asset_id = $1 and prefix = $2`,
      [assetId, row.prefix, index + 1, content.length, createHash('md5').update(content).digest()],
    )
  }
  return { content: await objects.read(version), replace }
}

it('a part whose rendering failed is rendered completely by a retry', async () => {
  const parent = await newVideo('disable')
  const init = await publishedFile(parent, '/240p/init.mp4')
  // As if another version of the encoder had made the segments.
  await init.replace(Buffer.concat([init.content, Buffer.from([0, 0, 0, 8, 0x66, 0x72, 0x65, 0x65])]))
  const { body: part } = await render(parent, { start_seconds: 1.5, end_seconds: 13.1 })
  const failed = await waitForVideo(caller, part.id, ({ status }) => status === 'Error', 120)
  expect(failed.error).toMatchObject({ code: 'encoding_failed' })

  await init.replace(init.content)
  const { status, body: queued } = await caller.post<assets.Asset>(`assets/${part.id}/retry/`)
  expect([status, queued.video.status, queued.video.error]).toEqual([200, 'Queued', null])
  const video = await waitForVideo(caller, part.id, isCompleted, 120)
  expect(await numbersIn(video.playback_url ?? '')).toEqual(framesFrom(45, 348))
  expect((await caller.post<Problem>(`assets/${part.id}/retry/`)).body.code).toBe('nothing_to_retry')
})

it('a part whose video is deleted during the rendering is completed, and one that is cancelled is not', async () => {
  const parent = await newVideo('disable')
  const [kept, cancelled] = [await render(parent, { start_seconds: 1, end_seconds: 9 }), await render(parent)]
  await caller.delete(`assets/${parent}/?permanently=true`)
  const { status } = await caller.post(`assets/${cancelled.body.id}/cancel/`)
  const video = await waitForVideo(caller, kept.body.id, isCompleted, 120)
  expect(await numbersIn(video.playback_url ?? '')).toEqual(framesFrom(30, 240))
  if (status === 200) {
    const { body } = await caller.get<assets.Asset>(`assets/${cancelled.body.id}/`)
    expect(body.video.status).toBe('Cancelled')
    await caller.delete(`assets/${cancelled.body.id}/?permanently=true`)
    await expect.poll(() => storedFor(parent), { timeout: 60_000 }).toBe(0)
  }
})
