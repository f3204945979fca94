import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { accessTokens, assets, Problem, uploadSessions, versions } from '@reelkeep/contract'
import {
  assetToken,
  type Caller,
  openSession,
  Publisher,
  postForm,
  Superuser,
  TestApi,
  uploadAsset,
} from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import type { AssetId, OrganizationId } from '../../kernel/ids.ts'
import { activateCompleted } from './versions.ts'

/** The embed page needs a built player. */
const folder = mkdtempSync(join(tmpdir(), 'reelkeep-player-files-'))
afterAll(() => rmSync(folder, { recursive: true }))
writeFileSync(join(folder, 'embed-AbCd_12-.js'), 'page')

const testApi = await opened(TestApi.open({ PLAYER_FOLDER: folder }))
const superuser = await opened(Superuser.open())
const publisher = await opened(Publisher.open())

const SESSIONS = 'assets/upload-sessions/'
const SETTINGS = { formSecondsMax: 60 }

const plan = (durationSeconds: number) => ({
  durationSeconds,
  frameRate: { numerator: 30, denominator: 1 },
  segmentFrames: 120,
  gopFrames: 60,
  audio: null,
  tracks: [{ name: '240p', width: 426, height: 240, bitrateMax: 4e5, segmentsTotal: 1, codecs: 'avc1.64000d' }],
})

let caller: Caller
let id: string
beforeEach(async () => {
  caller = await testApi.newOrganization()
  id = (await uploadAsset(caller)).asset.id
  await process(id, 'first', 12)
})

/** Does what processing does to the row of an asset or version, but shows nothing. */
async function process(mediaId: string, text: string, seconds: number): Promise<void> {
  const video = { organizationId: caller.organizationId, assetId: mediaId }
  await publisher.plan(video, plan(seconds))
  await publisher.publish(video, {
    ...{ track: '240p', firstSegment: 0, attempt: 'video-encode-1', init: `init of ${text}` },
    segments: [{ body: text, seconds }],
  })
  await publisher.showPictures(video, 'video-pictures-2', { cover: 'cover.jpg', thumbnails: [], storyboard: 's.vtt' })
  await publisher.setLength(video, seconds)
  await publisher.setStatus(video, 'Completed')
}

const newVersion = async (body: object = {}, headers: Record<string, string> = {}) =>
  caller.post<versions.NewVersion & Problem>(`assets/${id}/versions/`, body, headers)
const list = async () => (await caller.get<{ results: versions.Version[] }>(`assets/${id}/versions/`)).body.results
const summary = async () => (await list()).map(({ number, status, is_active }) => `${number} ${status} ${is_active}`)
const asset = async () => (await caller.get<assets.Asset>(`assets/${id}/`)).body
/** The tokens of two responses differ if a full hour is between them. */
const withoutTokens = (body: assets.Asset): unknown =>
  JSON.parse(JSON.stringify(body).replaceAll(/\/play\/[^/]+\//g, '/play/-/'))
const activate = (number: number) => caller.post<assets.Asset & Problem>(`assets/${id}/versions/${number}/activate/`)
const complete = ({ upload_session }: uploadSessions.NewUploadSession) =>
  caller.post<uploadSessions.CompletedUploadSession>(`${SESSIONS}${upload_session.uuid}/complete/`)

const mediaIdOf = async (number: number) => {
  const [row] = await superuser.query<{ id: string }>(
    'select media_id as id from asset_versions where organization_id = $1 and asset_id = $2 and number = $3',
    [caller.organizationId, id, number],
  )
  return row?.id ?? ''
}

/** Uploads and processes a version; shows it as the worker's job does. */
async function publishVersion(text: string, seconds = 8): Promise<number> {
  const { body } = await newVersion()
  await postForm(body)
  await complete(body)
  const { number } = body.version
  await process(await mediaIdOf(number), text, seconds)
  await activateCompleted(SETTINGS, db(), { assetId: id as AssetId, number })
  return number
}
const db = () => testApi.context.database.forOrganization(caller.organizationId as OrganizationId)

const play = (name: string) => {
  const video = { organizationId: caller.organizationId, assetId: id }
  const path = `/play/${assetToken(testApi.context.tokenIssuer, video)}/${video.organizationId}/${id}/${name}`
  return testApi.send({ method: 'GET', path, headers: {}, body: undefined })
}

describe('POST assets/<id>/versions/', () => {
  it('201: opens a session under the same asset, which does not change until the file is processed', async () => {
    const before = await asset()
    const { status, body } = await newVersion({ file_size_bytes: 1000 })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      asset: { id, upload_session_uuid: before.upload_session_uuid, version: 1 },
      version: { number: 2, status: 'Not Started', is_active: false, bytes: null, activated_at: null, error: null },
      upload_session: { status: 'Created', max_file_size_bytes: 1000 },
    })
    expect(body.version.upload_session_uuid).toBe(body.upload_session.uuid)
    expect((await caller.get(`${SESSIONS}${body.upload_session.uuid}/`)).body).toMatchObject({ asset_id: id })
    await postForm(body)
    const completed = await complete(body)
    expect(completed.status).toBe(200)
    expect(completed.body).toMatchObject({ status: 'Completed', asset_id: id, asset: before })
    expect(await asset()).toEqual(before)
    expect(await summary()).toEqual(['2 Queued false', '1 Completed true'])
  })

  it('201: repeats the response for the same Idempotency-Key', async () => {
    const responses = [
      await newVersion({}, { 'Idempotency-Key': 'once' }),
      await newVersion({}, { 'Idempotency-Key': 'once' }),
    ]
    expect(responses.map(({ status, body }) => [status, body.version.number])).toEqual([
      [201, 2],
      [201, 2],
    ])
    expect(await list()).toHaveLength(2)
  })

  it('201: hides the row of the version from lists, counts, searches and requests by id', async () => {
    await publishVersion('second')
    await newVersion()
    const ids = [await mediaIdOf(2), await mediaIdOf(3)]
    for (const query of ['', '?q=video', '?folder=root', `?id=${ids[0]}`, '?status=Completed', '?order=title']) {
      const { body } = await caller.get<{ count: number; results: assets.Asset[] }>(`assets/${query}`)
      const expected = query.startsWith('?id') ? [] : [id]
      expect([query, body.count, body.results.map((listed) => listed.id)]).toEqual([query, expected.length, expected])
    }
    for (const hidden of ids) {
      expect((await caller.get(`assets/${hidden}/`)).status).toBe(404)
      expect((await caller.delete(`assets/${hidden}/?permanently=true`)).status).toBe(404)
      expect((await caller.post(`assets/${hidden}/versions/`, {})).status).toBe(404)
    }
    const { body } = await caller.get<{ results: { asset_id: string; data: object }[] }>('events/?limit=1000')
    expect(body.results.filter((event) => ids.some((hidden) => JSON.stringify(event).includes(hidden)))).toEqual([])
  })

  it('409: is refused if the asset has no file or is still being processed', async () => {
    id = (await openSession(caller)).asset.id
    expect((await newVersion()).body.code).toBe('asset_not_replaceable')
    id = (await uploadAsset(caller)).asset.id
    expect((await newVersion()).body.code).toBe('asset_not_replaceable')
  })

  it('cancelling, expiring or failing a new version does not change the asset', async () => {
    const before = await asset()
    const cancelled = await newVersion()
    expect((await caller.delete(`${SESSIONS}${cancelled.body.upload_session.uuid}/`)).status).toBe(204)
    expect(await summary()).toEqual(['2 Cancelled false', '1 Completed true'])
    expect((await list())[0]?.error?.code).toBe('upload_cancelled')
    expect(await asset()).toEqual(before)
    expect((await activate(2)).body.code).toBe('version_not_playable')
    // The next version removes the failed one.
    expect((await newVersion()).body.version.number).toBe(3)
    expect(await summary()).toEqual(['3 Not Started false', '1 Completed true'])
  })
})

describe('activation', () => {
  it('a processed version is shown with its own media, and the id and all links stay', async () => {
    const before = await asset()
    await publishVersion('second', 8)
    const after = await asset()
    expect(after).toMatchObject({ id, version: 2, title: before.title, created_at: before.created_at })
    expect(after.video).toMatchObject({ status: 'Completed', duration: 8 })
    expect(after.upload_session_uuid).toBe((await list())[0]?.upload_session_uuid)
    expect(after.video.playback_url?.split('/').at(-1)).toBe('master.m3u8')
    expect(after.video.cover_thumbnail_url).toContain(`/${id}/v2/video-pictures-2/cover.jpg`)
    expect(await summary()).toEqual(['2 Completed true', '1 Completed false'])
    expect((await play('master.m3u8')).text).toContain('\nv2/240p.m3u8\n')
    expect((await play('v2/240p.m3u8')).text).toContain('\nvideo-encode-1/240p/00000.m4s\n')
    expect((await play('v2/video-encode-1/240p/00000.m4s')).text).toBe('second')
    expect((await play('v2/video-pictures-2/cover.jpg')).status).toBe(200)
    expect((await play('manifest.mpd')).text).toContain('<BaseURL>v2/</BaseURL>')
    expect(JSON.parse((await play('about.json')).text)).toMatchObject({
      duration: 8,
      poster: 'v2/video-pictures-2/cover.jpg',
    })
  })

  it('a playback token that was created before the switch plays the new version, and its embed page shows it', async () => {
    const created = await caller.post<accessTokens.NewAccessToken>(`assets/${id}/access-tokens/`, {})
    const { token } = created.body
    await publishVersion('second', 8)
    const get = (path: string) => testApi.send({ method: 'GET', path, headers: {}, body: undefined })
    const playlist = await get(`/play/${token}/${caller.organizationId}/${id}/master.m3u8`)
    expect([playlist.status, playlist.text]).toEqual([200, expect.stringContaining('\nv2/240p.m3u8')])
    const page = await get(`/embed/${caller.organizationId}/${id}/?token=${token}`)
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('/v2/video-pictures-2/cover.jpg"')])
  })

  it('a viewer of the earlier version can continue with its playlists, segments and images', async () => {
    const playlist = (await play('240p.m3u8')).text
    await publishVersion('second', 8)
    expect((await play('240p.m3u8')).text).toBe(playlist)
    expect((await play('video-encode-1/240p/00000.m4s')).text).toBe('first')
    expect((await play('video-pictures-2/s.vtt')).status).toBe(200)
  })

  it('no file of a version can be fetched before the version is shown', async () => {
    const { body } = await newVersion()
    await postForm(body)
    await complete(body)
    await process(await mediaIdOf(2), 'second', 8)
    for (const name of ['v2/master.m3u8', 'v2/240p.m3u8', 'v2/video-encode-1/240p/00000.m4s', 'v3/master.m3u8']) {
      expect([name, (await play(name)).status]).toEqual([name, 404])
    }
    expect((await play('master.m3u8')).text).not.toContain('v2/')
  })

  it('POST activate/ rolls back and forward, with all fields of the version', async () => {
    const first = await asset()
    await publishVersion('second', 8)
    const second = await asset()
    const rolledBack = await activate(1)
    expect(rolledBack.status).toBe(200)
    expect(withoutTokens({ ...rolledBack.body, updated_at: first.updated_at })).toEqual(withoutTokens(first))
    expect((await play('master.m3u8')).text).toContain('\n240p.m3u8\n')
    expect((await activate(1)).status).toBe(200)
    const { body: again } = await activate(2)
    expect(withoutTokens(again)).toEqual(withoutTokens({ ...second, updated_at: again.updated_at }))
    const { body } = await caller.get<{ results: { data: { number: number } }[] }>('events/?types=version.activated')
    expect(body.results.map(({ data }) => data.number)).toEqual([2, 1, 2])
  })

  it('404: a version that does not exist', async () => {
    expect((await activate(2)).body.code).toBe('version_not_found')
    expect((await activate(1)).status).toBe(200)
  })

  it('of two concurrent uploads, the newer version is shown, whichever is processed first', async () => {
    const [older, newer] = [await newVersion(), await newVersion()]
    for (const { body } of [newer, older]) {
      await postForm(body)
      await complete(body)
      await process(await mediaIdOf(body.version.number), `v${body.version.number}`, 8)
      await activateCompleted(SETTINGS, db(), { assetId: id as AssetId, number: body.version.number })
    }
    expect((await asset()).version).toBe(3)
    expect(await summary()).toEqual(['3 Completed true', '2 Completed false'])
    expect((await activate(2)).body.version).toBe(2)
  })

  it('chapters and uploaded subtitles stay, and are flagged if they are beyond the end', async () => {
    const chapters = [
      { title: 'Early', start_time: '00:00:07' },
      { title: 'Late', start_time: '00:00:10' },
    ]
    await caller.post(`assets/${id}/chapters/`, { chapters })
    const content = 'WEBVTT\n\n00:01.000 --> 00:11.000\nHello\n\n00:09.000 --> 00:10.000\nBye\n'
    const track = await caller.post<{ id: string }>(`assets/${id}/subtitles/`, { language: 'en', content })
    await publishVersion('second', 8)
    const readAll = async (name: string) =>
      (await caller.get<{ results: object[] }>(`assets/${id}/${name}/`)).body.results
    expect(await readAll('chapters')).toEqual([
      { id: 1, title: 'Early', start_time: '00:00:07', start_seconds: 7 },
      { id: 2, title: 'Late', start_time: '00:00:10', start_seconds: 10, beyond_end: true },
    ])
    expect(await readAll('subtitles')).toMatchObject([{ id: track.body.id, beyond_end: true }])
    expect((await play(`v2/subtitles-${track.body.id}.m3u8`)).text).toContain(`subtitles/${track.body.id}.vtt`)
    expect((await play(`v2/subtitles/${track.body.id}.vtt`)).text).toContain('Hello')
    expect((await asset()).video.tracks[0]?.url).toContain(`/${id}/subtitles/${track.body.id}.vtt`)
    expect(JSON.parse((await play('about.json')).text)).toMatchObject({ chapters: [{ title: 'Early' }] })
    await activate(1)
    expect(await readAll('chapters')).toMatchObject([{ id: 1 }, { id: 2, start_time: '00:00:10' }])
    expect(JSON.stringify([await readAll('chapters'), await readAll('subtitles')])).not.toContain('beyond_end')
  })
})

describe('versions_kept', () => {
  const jobs = (name: string) =>
    superuser.query('select from dbos.workflow_status where queue_partition_key = $1 and name = $2', [
      caller.organizationId,
      name,
    ])

  const storedBytes = async () => {
    const [row] = await superuser.query<{ bytes: number }>(
      'select sum(stored_bytes)::float8 as bytes from usage_counts where organization_id = $1',
      [caller.organizationId],
    )
    return row?.bytes
  }

  it('deletes the oldest version beyond the limit, with its file, and counts the stored bytes of all others', async () => {
    const one = await storedBytes()
    await publishVersion('second')
    expect(await storedBytes()).toBe(2 * (one ?? 0))
    await publishVersion('third')
    expect(await summary()).toEqual(['3 Completed true', '2 Completed false'])
    expect(await storedBytes()).toBe(2 * (one ?? 0))
    expect((await play('video-encode-1/240p/00000.m4s')).status).toBe(404)
    // Twice: until the form of its upload expires, storage accepts the file again.
    expect([await jobs('free-version-file'), await jobs('tidy-outputs')]).toEqual([[{}, {}], [{}]])
    const second = await mediaIdOf(2)
    await publishVersion('fourth')
    expect(await summary()).toEqual(['4 Completed true', '3 Completed false'])
    expect(await superuser.query('select from assets where id = $1', [second])).toEqual([])
    expect(await storedBytes()).toBe(2 * (one ?? 0))
    expect((await caller.delete(`assets/${id}/?permanently=true`)).status).toBe(204)
    expect(await storedBytes()).toBe(0)
    expect(await superuser.query('select from assets where organization_id = $1', [caller.organizationId])).toEqual([])
  })

  it('deletes the checksums of the first version with its files, and keeps those of files that were added', async () => {
    for (const [name, step] of [
      ['video-encode-1/', 'video-encode'],
      ['subtitles/en.vtt', null],
    ]) {
      const prefix = `${caller.organizationId}/${id}/${name}`
      await superuser.query(
        `insert into published_files (organization_id, asset_id, prefix, step, part, names, bytes, md5)
         values ($1, $2, $3, $4, $4, '{}', '{}', '')`,
        [caller.organizationId, id, prefix, step],
      )
    }
    await publishVersion('second')
    await publishVersion('third')
    expect(await superuser.query('select step from published_files where asset_id = $1', [id])).toEqual([
      { step: null },
    ])
  })

  it('a legal hold keeps all versions, and refuses a new one that would delete one', async () => {
    await publishVersion('second')
    const third = await newVersion()
    await caller.patch(`assets/${id}/`, { legal_hold: true })
    await postForm(third.body)
    await complete(third.body)
    await process(await mediaIdOf(3), 'third', 8)
    await activateCompleted(SETTINGS, db(), { assetId: id as AssetId, number: 3 })
    expect(await summary()).toEqual(['3 Completed true', '2 Completed false', '1 Completed false'])
    expect((await newVersion()).body.code).toBe('legal_hold')
    const refusal = superuser.query('delete from assets where id = $1', [await mediaIdOf(2)])
    await expect(refusal).rejects.toMatchObject({ code: 'RK002' })
  })

  it('409: a legal hold keeps failed versions too, so their number is limited', async () => {
    await caller.patch(`assets/${id}/`, { legal_hold: true })
    for (let failed = 0; failed < 10; failed++) {
      const { status, body } = await newVersion()
      expect(status).toBe(201)
      await caller.delete(`${SESSIONS}${body.upload_session.uuid}/`)
    }
    expect((await newVersion()).body.code).toBe('too_many_versions')
    await caller.patch(`assets/${id}/`, { legal_hold: false })
    expect((await newVersion()).status).toBe(201)
    expect(await summary()).toEqual(['12 Not Started false', '1 Completed true'])
  })
})

describe('the trash', () => {
  it('takes all versions: sessions and playback are refused, and come back with the asset', async () => {
    await publishVersion('second')
    const before = await asset()
    const open = await newVersion()
    await caller.delete(`assets/${id}/`)
    expect((await play('v2/240p.m3u8')).status).toBe(404)
    expect((await caller.get(`${SESSIONS}${open.body.upload_session.uuid}/`)).status).toBe(404)
    expect((await caller.delete(`${SESSIONS}${open.body.upload_session.uuid}/`)).status).toBe(404)
    expect((await caller.get(`assets/${id}/versions/`)).status).toBe(404)
    expect((await activate(1)).status).toBe(404)
    await caller.post(`assets/${id}/restore/`)
    expect(await asset()).toEqual(before)
    expect((await play('v2/240p.m3u8')).status).toBe(200)
    expect((await caller.delete(`${SESSIONS}${open.body.upload_session.uuid}/`)).status).toBe(204)
  })
})
