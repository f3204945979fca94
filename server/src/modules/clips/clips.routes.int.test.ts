import type { assets, events, Problem } from '@reelkeep/contract'
import {
  assetToken,
  type Caller,
  Objects,
  Publisher,
  Superuser,
  stackEnv,
  TestApi,
  uploadAsset,
} from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'
import type { AssetId, OrganizationId } from '../../kernel/ids.ts'
import { deleteLostOutputs } from '../pipeline/outputs.ts'
import { render } from '../pipeline/render/render.ts'
import type { RenderAttempt } from '../pipeline/render/render-attempt.ts'
import type { RenderDeps } from '../pipeline/render/render-deps.ts'

const testApi = await opened(TestApi.open())
const superuser = await opened(Superuser.open())
const publisher = await opened(Publisher.open())
const objects = new Objects(stackEnv(), testApi.context.config.STORAGE_MEDIA_BUCKET)

/** 40 seconds in ten segments of 120 frames, with a keyframe every two seconds. */
const plan = {
  durationSeconds: 40,
  frameRate: { numerator: 30, denominator: 1 },
  frames: 1200,
  segmentFrames: 120,
  gopFrames: 60,
  audio: { channels: 2, sampleRate: 48_000 },
  rungs: [],
  tracks: [
    { name: 'audio', bitrateMax: 128_000, segmentsTotal: 10, codecs: 'mp4a.40.2' },
    { name: '240p', width: 426, height: 240, bitrateMax: 4e5, segmentsTotal: 10, codecs: 'avc1.64000d' },
  ],
}

let caller: Caller
let parent: string
beforeEach(async () => {
  caller = await testApi.newOrganization()
  parent = await newParent()
})

async function newParent(more: object = {}): Promise<string> {
  const { asset } = await uploadAsset(caller, { content_protection_type: 'disable', ...more })
  const video = { organizationId: caller.organizationId, assetId: asset.id }
  await publisher.plan(video, plan)
  for (const track of ['240p', 'audio']) {
    await publisher.publish(video, {
      ...{ track, firstSegment: 0, attempt: 'video-encode-1', init: `init of ${track}` },
      segments: Array.from({ length: 10 }, (_, number) => ({ body: `${track} ${number}`, seconds: 4 })),
    })
  }
  await publisher.showPictures(video, 'video-pictures-4', {
    ...{ cover: 'cover.jpg', thumbnails: ['thumbnail-1.jpg'], storyboard: 'storyboard.vtt' },
  })
  const tiles = Array.from({ length: 20 }, (_, index) => {
    const at = (seconds: number) => `00:00:${String(seconds).padStart(2, '0')}.000`
    return `${at(2 * index)} --> ${at(2 * index + 2)}\nstoryboard-1.jpg#xywh=${index},0,160,90\n`
  })
  const storyboard = `${video.organizationId}/${video.assetId}/video-pictures-4/storyboard.vtt`
  await publisher.put(storyboard, `WEBVTT\n\n${tiles.join('\n')}`)
  await publisher.setLength(video, 40)
  await publisher.setStatus(video, 'Completed')
  return asset.id
}

const clip = (
  start_seconds: number,
  end_seconds: number,
  { of = parent, ...more }: { of?: string; title?: string } = {},
) => caller.post<assets.Asset & Problem>(`assets/${of}/clips/`, { start_seconds, end_seconds, ...more })
const newClip = async (start: number, end: number, of = parent) => (await clip(start, end, { of })).body.id
const read = async (id: string) => (await caller.get<assets.Asset>(`assets/${id}/`)).body

const play = (id: string, name: string) => {
  const video = { organizationId: caller.organizationId, assetId: id }
  const path = `/play/${assetToken(testApi.context.tokenIssuer, video)}/${video.organizationId}/${id}/${name}`
  return testApi.send({ method: 'GET', path, headers: {}, body: undefined })
}
const segmentOf = (track: string, number: number) => `video-encode-1/${track}/${String(number).padStart(5, '0')}.m4s`
const uris = (playlist: string) => playlist.split('\n').filter((line) => line !== '' && !line.startsWith('#'))

describe('POST assets/<id>/clips/', () => {
  it('201: creates a complete asset that stores nothing', async () => {
    const before = (await objects.versions(`${caller.organizationId}/`)).length
    const { status, body } = await clip(9.5, 21.21, { title: 'The best part' })
    expect([status, body.title]).toEqual([201, 'The best part'])
    expect(body.video).toMatchObject({ status: 'Completed', duration: 351 / 30, trim: null })
    expect(body.video.clip).toEqual({ parent_id: parent, start_seconds: 9.5, end_seconds: 21.2 })
    expect(body.upload_session_uuid).toBeNull()
    expect(await objects.versions(`${caller.organizationId}/`)).toHaveLength(before)
    expect(await read(body.id)).toMatchObject({ id: body.id, video: { duration: 351 / 30 } })
  })

  it('records its events, and counts it in lists', async () => {
    const id = await newClip(1, 2)
    const { body } = await caller.get<{ results: events.Event[] }>('events/')
    const types = body.results.filter(({ data }) => 'id' in data && data.id === id).map(({ type }) => type)
    expect(types).toEqual(expect.arrayContaining(['asset.created', 'asset.completed']))
    expect((await caller.get<{ count: number }>('assets/')).body.count).toBe(2)
  })

  it('lists the whole segments that contain it, and where players start', async () => {
    const id = await newClip(9.5, 21.2)
    const master = (await play(id, 'master.m3u8')).text
    expect(master).toContain('#EXT-X-START:TIME-OFFSET=1.500000,PRECISE=YES')
    expect(uris(master)).toContain('v1/240p.m3u8')
    const media = (await play(id, 'v1/240p.m3u8')).text
    expect(uris(media)).toEqual([2, 3, 4, 5].map((number) => segmentOf('240p', number)))
    expect(JSON.parse((await play(id, 'about.json')).text)).toMatchObject({ start_offset: 1.5, duration: 351 / 30 })
  })

  it('tells DASH players at which time of the files it starts', async () => {
    const dash = (await play(await newClip(9.5, 21.2), 'manifest.mpd')).text
    expect(dash).toContain('mediaPresentationDuration="PT16S"')
    expect(dash).toContain('<SegmentList timescale="30" presentationTimeOffset="240">')
    expect(dash).toContain('<SegmentList timescale="48000" presentationTimeOffset="384000">')
    expect(dash).toContain('<S t="240" d="120"/>')
  })

  it('serves its segments and no others', async () => {
    const id = await newClip(9.5, 21.2)
    expect(await play(id, `v1/${segmentOf('240p', 2)}`)).toMatchObject({ status: 200, text: '240p 2' })
    expect((await play(id, 'v1/video-encode-1/audio/init.mp4')).status).toBe(200)
    for (const number of [1, 6]) expect((await play(id, `v1/${segmentOf('240p', number)}`)).status).toBe(404)
    expect((await play(id, segmentOf('240p', 2))).status).toBe(404)
    expect((await play(parent, segmentOf('240p', 1))).status).toBe(200)
  })

  it('has the chapters, subtitles and storyboard of its part', async () => {
    const chapters = [0, 5, 12, 30].map((start_seconds) => ({ title: `at ${start_seconds}`, start_seconds }))
    await caller.post(`assets/${parent}/chapters/`, { chapters })
    const content = 'WEBVTT\n\n00:03.000 --> 00:04.000\nbefore\n\n00:09.000 --> 00:11.000\nat the start\n'
    await caller.post(`assets/${parent}/subtitles/`, { language: 'de', content })
    const id = await newClip(9.5, 21.2)
    const listed = await caller.get<{ results: { title: string; start_seconds: number }[] }>(`assets/${id}/chapters/`)
    expect(listed.body.results.map(({ title, start_seconds }) => [title, start_seconds])).toEqual([
      ['at 5', 0],
      ['at 12', 2.5],
    ])
    const [track] = (await caller.get<{ results: { id: string }[] }>(`assets/${id}/subtitles/`)).body.results
    expect((await caller.get(`assets/${id}/subtitles/${track?.id}/`)).text).toContain('00:00:00.000 --> 00:00:01.500')
    // The manifests start with a whole segment, 1.5 seconds earlier.
    expect((await play(id, `captions-${track?.id}.vtt`)).text).toContain('00:00:01.500 --> 00:00:03.000')
    expect((await play(id, 'chapters.vtt')).text).toContain('00:00:04.000 --> ')
    const storyboard = (await play(id, 'storyboard.vtt')).text
    expect(storyboard).toContain('00:00:00.000 --> 00:00:00.500\nv1/video-pictures-4/storyboard-1.jpg#xywh=4,0,160,90')
    expect(storyboard).not.toContain('xywh=3,0')
  })

  it('makes a clip of a clip from the same media', async () => {
    const first = await newClip(9.5, 21.2)
    const second = await clip(1, 3, { of: first })
    expect(second.body.video.clip).toEqual({ parent_id: first, start_seconds: 10.5, end_seconds: 12.5 })
    expect(uris((await play(second.body.id, 'v1/240p.m3u8')).text)).toEqual([2, 3].map((n) => segmentOf('240p', n)))
  })

  it.each([
    [5, 5],
    [6, 5],
    [0, 40.1],
    [40, 41],
  ])('400: refuses the part from %d to %d', async (start, end) => {
    expect(await clip(start, end)).toMatchObject({ status: 400, body: { code: 'range_outside_video' } })
  })

  it('409: cannot be replaced by another file, or downloaded', async () => {
    const id = await newClip(1, 2)
    const code = async (path: string, body: object) =>
      (await caller.post<Problem>(`assets/${id}/${path}/`, body)).body.code
    expect(await code('versions', {})).toBe('asset_not_replaceable')
    expect(await code('downloads', { kind: 'source' })).toBe('source_not_available')
    expect(await code('downloads', { kind: 'mp4' })).toBe('rendition_not_available')
  })

  it('404: of another organization gives the same response as of one that does not exist', async () => {
    const other = await testApi.newOrganization()
    const body = { start_seconds: 1, end_seconds: 2 }
    expect((await other.post<Problem>(`assets/${parent}/clips/`, body)).body.code).toBe('asset_not_found')
    expect((await other.put<Problem>(`assets/${parent}/trim/`, body)).body.code).toBe('asset_not_found')
  })
})

/** Rows of assets that are left, with those that hold only media. */
async function rows(): Promise<Record<string, 'retained' | 'asset'>> {
  const found = await superuser.query<{ id: string; isRetained: boolean }>(
    'select id, retained_at is not null as "isRetained" from assets where organization_id = $1',
    [caller.organizationId],
  )
  return Object.fromEntries(found.map(({ id, isRetained }) => [id, isRetained ? 'retained' : 'asset']))
}
const purge = (id: string) => caller.delete(`assets/${id}/?permanently=true`)
const status = async (id: string) => (await play(id, 'master.m3u8')).status
const storedBytes = async () => {
  const [row] = await superuser.query<{ bytes: string }>(
    'select coalesce(sum(stored_bytes), 0) as bytes from usage_counts where organization_id = $1',
    [caller.organizationId],
  )
  return Number(row?.bytes)
}

describe('media to which clips refer', () => {
  it('outlives the parent, and is deleted with the last clip', async () => {
    const before = await storedBytes()
    const [one, two] = [await newClip(1, 2), await newClip(9, 12)]
    expect((await purge(parent)).status).toBe(204)
    expect(await rows()).toEqual({ [parent]: 'retained', [one]: 'asset', [two]: 'asset' })
    expect([await status(parent), await status(one), await status(two)]).toEqual([404, 200, 200])
    expect((await caller.get(`assets/${parent}/`)).status).toBe(404)
    expect((await caller.post(`assets/${parent}/restore/`)).status).toBe(404)
    expect((await caller.get<{ count: number }>('assets/')).body.count).toBe(2)
    expect(await storedBytes()).toBe(before)
    await purge(one)
    expect(await rows()).toEqual({ [parent]: 'retained', [two]: 'asset' })
    await purge(two)
    expect([await rows(), await storedBytes()]).toEqual([{}, 0])
  })

  it('stays with the parent if the clips are purged first', async () => {
    const id = await newClip(1, 2)
    await purge(id)
    expect(await rows()).toEqual({ [parent]: 'asset' })
    await purge(parent)
    expect(await rows()).toEqual({})
  })

  it('can be played while the parent is in the trash, and the clip can be in the trash', async () => {
    const id = await newClip(1, 2)
    await caller.delete(`assets/${parent}/`)
    expect([await status(parent), await status(id)]).toEqual([404, 200])
    expect((await caller.get(`assets/${id}/`)).status).toBe(200)
    await caller.delete(`assets/${id}/`)
    expect(await status(id)).toBe(404)
    await purge(parent)
    expect(await rows()).toEqual({ [parent]: 'retained', [id]: 'asset' })
    await caller.post(`assets/${id}/restore/`)
    expect(await status(id)).toBe(200)
  })

  it('outlives the clip of which a clip was made', async () => {
    const first = await newClip(1, 10)
    const second = await newClip(1, 2, first)
    await purge(first)
    await purge(parent)
    expect(await rows()).toEqual({ [parent]: 'retained', [second]: 'asset' })
    expect(await status(second)).toBe(200)
  })

  it('is deleted if parent and clips are purged together with their folder', async () => {
    const folder = (await caller.post<{ uuid: string }>('assets/folders/', { title: 'folder' })).body.uuid
    const clips = [await newClip(1, 2), await newClip(3, 4)]
    for (const id of [parent, ...clips]) await caller.post(`assets/${id}/move/`, { folder })
    await caller.delete(`assets/folders/${folder}/?recursive=true&permanently=true`)
    expect(await rows()).toEqual({})
  })

  it('keeps nothing else of the parent', async () => {
    await caller.patch(`assets/${parent}/`, { title: 'Secret', external_id: 'x', metadata: { a: 'b' }, tags: ['t'] })
    await caller.post(`assets/${parent}/chapters/`, { chapters: [{ title: 'Secret', start_seconds: 1 }] })
    const id = await newClip(20, 21)
    await purge(parent)
    for (const table of ['chapters', 'asset_tags', 'asset_happenings']) {
      const found = await superuser.query(`select from ${table} where organization_id = $1 and asset_id = $2`, [
        caller.organizationId,
        parent,
      ])
      expect(found).toEqual([])
    }
    const [row] = await superuser.query<{ row: string }>('select assets::text as row from assets where id = $1', [
      parent,
    ])
    expect(row?.row).not.toContain('Secret')
    expect((await caller.patch(`assets/${id}/`, { external_id: 'x' })).status).toBe(200)
  })

  it('409: is not retained instead of an asset on legal hold', async () => {
    const id = await newClip(1, 2)
    await caller.patch(`assets/${parent}/`, { legal_hold: true })
    expect((await purge(parent)).status).toBe(409)
    expect(await rows()).toEqual({ [parent]: 'asset', [id]: 'asset' })
  })

  it('is neither lost nor left behind when clips are created and purged concurrently', async () => {
    for (let round = 0; round < 10; round++) {
      const first = await newClip(1, 5)
      const [, , created] = await Promise.all([purge(parent), purge(first), clip(1, 2)])
      const left = await rows()
      const id = created.status === 201 ? created.body.id : undefined
      expect(left).toEqual(id === undefined ? {} : { [parent]: 'retained', [id]: 'asset' })
      if (id !== undefined) await purge(id)
      expect(await rows()).toEqual({})
      parent = await newParent()
    }
  })
})

const trim = (start_seconds: number, end_seconds: number, headers = {}, id = parent) =>
  caller.send<assets.Asset & Problem>('PUT', `assets/${id}/trim/`, { start_seconds, end_seconds }, headers)

describe('PUT assets/<id>/trim/', () => {
  it('shows a part of the video until it is deleted', async () => {
    const before = await read(parent)
    const { body } = await trim(9.5, 21.2)
    expect(body.video).toMatchObject({ duration: 351 / 30, clip: null })
    expect(body.video.trim).toEqual({ start_seconds: 9.5, end_seconds: 21.2, whole_duration: 40 })
    expect(uris((await play(parent, '240p.m3u8')).text)).toEqual([2, 3, 4, 5].map((n) => segmentOf('240p', n)))
    expect((await play(parent, segmentOf('240p', 1))).status).toBe(404)
    expect((await caller.delete(`assets/${parent}/trim/`)).status).toBe(204)
    expect((await read(parent)).video).toMatchObject({ duration: before.video.duration, trim: null })
    expect((await play(parent, segmentOf('240p', 1))).status).toBe(200)
  })

  it('keeps chapters and subtitles with the times of the whole video', async () => {
    await caller.post(`assets/${parent}/chapters/`, { chapters: [{ title: 'x', start_seconds: 12 }] })
    await trim(9.5, 21.2)
    const { body } = await caller.get<{ results: object[] }>(`assets/${parent}/chapters/`)
    expect(body.results).toMatchObject([{ title: 'x', start_seconds: 12 }])
    expect(JSON.parse((await play(parent, 'about.json')).text).chapters).toEqual([{ title: 'x', start: 2.5 }])
  })

  it('has the times of the whole video, also if it is trimmed or a clip', async () => {
    await trim(9.5, 21.2)
    expect((await trim(0, 30)).body.video.duration).toBe(30)
    const id = await newClip(5, 25)
    const trimmed = await trim(1, 10, {}, id)
    expect(trimmed.body.video).toMatchObject({
      ...{ duration: 9, clip: { parent_id: parent, start_seconds: 5, end_seconds: 25 } },
      trim: { start_seconds: 1, end_seconds: 10, whole_duration: 20 },
    })
    await caller.delete(`assets/${id}/trim/`)
    expect((await read(id)).video.duration).toBe(20)
  })

  it('412: is refused if the asset has changed', async () => {
    const etag = (await caller.get(`assets/${parent}/`)).headers['etag'] ?? ''
    expect((await trim(1, 5, { 'if-match': etag })).status).toBe(200)
    expect(await trim(1, 6, { 'if-match': etag })).toMatchObject({ status: 412, body: { code: 'changed_meanwhile' } })
  })
})

describe('POST assets/<id>/render/ and retry/', () => {
  const act = (id: string, action: 'cancel' | 'retry') => caller.post<assets.Asset & Problem>(`assets/${id}/${action}/`)
  const newPart = async () =>
    (await caller.post<assets.Asset>(`assets/${parent}/render/`, { start_seconds: 1, end_seconds: 9 })).body.id

  it('retry enqueues a cancelled rendering again, and is refused while it is queued', async () => {
    const id = await newPart()
    expect((await act(id, 'retry')).body.code).toBe('nothing_to_retry')
    expect((await act(id, 'cancel')).body.video.status).toBe('Cancelled')
    const jobs = () =>
      superuser.query('select from dbos.workflow_status where queue_partition_key = $1 and name = $2', [
        caller.organizationId,
        'render-part',
      ])
    expect(await jobs()).toHaveLength(1)
    const { status, body } = await act(id, 'retry')
    expect([status, body.video.status]).toEqual([200, 'Queued'])
    expect(await jobs()).toHaveLength(2)
  })

  it('an attempt of an earlier run cannot fail the asset', async () => {
    const id = await newPart()
    const db = testApi.context.database.forOrganization(caller.organizationId as OrganizationId)
    const signal = new AbortController().signal
    const fails = (run: number, duringAttempt: () => Promise<unknown>) => {
      const reserve = async () => {
        await duringAttempt()
        throw new Error('No disk')
      }
      const deps = { scratch: { reserve } } as unknown as RenderDeps
      const attempt = { db, signal, shuttingDown: signal, logger: testApi.context.logger, isLast: true }
      return render(deps, { ...attempt, input: { assetId: id as AssetId, run } } as RenderAttempt)
    }
    const cancelAndRetry = async () => {
      await act(id, 'cancel')
      await act(id, 'retry')
    }
    await expect(fails(0, cancelAndRetry)).rejects.toThrow('No disk')
    expect((await read(id)).video.status).toBe('Queued')
    await fails(0, () => expect.unreachable('it must not start again'))
    await expect(fails(1, async () => undefined)).rejects.toThrow('No disk')
    expect((await read(id)).video.status).toBe('Error')
  })

  it('retry is refused for a clip', async () => {
    expect((await act(await newClip(1, 9), 'retry')).body.code).toBe('nothing_to_retry')
  })

  it('the files of a rendering are not cleaned up before it has ended', async () => {
    const id = await newPart()
    const prefix = `${caller.organizationId}/${id}/`
    await publisher.put(`${prefix}render-1-0123456789abcdef/240p/00000.m4s`, 'encoded')
    const db = testApi.context.database.forOrganization(caller.organizationId as OrganizationId)
    const cleanUp = { assetId: id as AssetId, signal: new AbortController().signal }
    await deleteLostOutputs(testApi.context.media, db, cleanUp)
    expect(await objects.versions(prefix)).toHaveLength(1)
    await act(id, 'cancel')
    await deleteLostOutputs(testApi.context.media, db, cleanUp)
    expect(await objects.versions(prefix)).toEqual([])
  })
})
