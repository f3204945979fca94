/** Versions of an asset, processed by real workers: their events, their playlists, and their files in storage. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { assets, uploadSessions, versions } from '@reelkeep/contract'
import { type Caller, formOf, Objects, openSession, postByFetch, stackEnv } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest'
import { openPipelineFixture, soon, statusOf } from '../pipeline/pipeline-fixture.ts'
import { type EventLogReader, newEventRecorder } from './recorded-events.ts'

const fixture = await opened(openPipelineFixture('recorded_versions'))
const recorder = newEventRecorder()
let caller: Caller
let eventLog: EventLogReader
beforeEach(async () => {
  caller = await fixture.newOrganization()
  eventLog = await recorder.open(caller)
})
afterEach(() => fixture.stopWorkers())
afterAll(() => expect(recorder.unseenTypes('version')).toEqual([]))

const env = stackEnv()
const buckets = ['reelkeep-uploads', 'reelkeep-media'].map((name) => new Objects(env, name))
afterAll(() => {
  for (const bucket of buckets) bucket[Symbol.dispose]()
})

/** The number of objects under the prefix in both buckets. */
const stored = async (id: string) => {
  const found = await Promise.all(buckets.map((bucket) => bucket.versions(`${caller.organizationId}/${id}/`)))
  return found.map((objects) => objects.length)
}

async function makeFilm(seconds: number): Promise<Buffer> {
  const directory = await mkdtemp(join(tmpdir(), 'versions-'))
  try {
    const path = join(directory, 'film.mp4')
    const input = ['-f', 'lavfi', '-i', `testsrc2=size=320x240:rate=25:duration=${seconds}`]
    const options = ['-c:v', 'libx264', '-preset', 'ultrafast', path]
    await promisify(execFile)('ffmpeg', ['-loglevel', 'error', '-nostdin', ...input, ...options])
    return await readFile(path)
  } finally {
    await rm(directory, { recursive: true })
  }
}

async function send({ client_payload, upload_session }: uploadSessions.NewUploadSession, file: Buffer): Promise<void> {
  expect((await postByFetch(formOf(client_payload, file))).status).toBe(204)
  expect((await caller.post(`assets/upload-sessions/${upload_session.uuid}/complete/`)).status).toBe(200)
}

async function newVersion(id: string, file: Buffer): Promise<versions.Version> {
  const { body } = await caller.post<versions.NewVersion>(`assets/${id}/versions/`, {})
  await send(body, file)
  return body.version
}

const read = async (id: string) => (await caller.get<assets.Asset>(`assets/${id}/`)).body
const versionsOf = async (id: string) =>
  (await caller.get<{ results: versions.Version[] }>(`assets/${id}/versions/`)).body.results
const mediaIds = async (id: string) => {
  const rows = await fixture.superuser.query<{ id: string }>(
    'select id from assets where version_of = $1 order by id',
    [id],
  )
  return rows.map((row) => row.id)
}

it('an asset plays its file until another version is complete, is unchanged by one that fails, and frees all of them', async () => {
  const session = await openSession(caller, { resolutions: ['240p'], content_protection_type: 'aes' })
  const { id } = session.asset
  await send(session, await makeFilm(2))
  await fixture.startWorker({}, 'server/src/main/worker.ts')
  await soon(() => statusOf(caller, id)).toBe('Completed')
  const first = await read(id)
  await eventLog.next()

  await newVersion(id, Buffer.from('not a video, but long enough to be accepted'))
  await soon(async () => (await versionsOf(id))[0]?.status).toBe('Error')
  expect(await read(id)).toEqual(first)
  const failed = await eventLog.next()
  expect(failed.map(({ type }) => type)).toEqual([
    'version.created',
    'upload_session.created',
    'upload_session.completed',
    'version.failed',
  ])
  expect(failed.every(({ asset_id }) => asset_id === id)).toBe(true)

  await newVersion(id, await makeFilm(3))
  await soon(async () => (await read(id)).version).toBe(3)
  const events = await eventLog.next()
  expect(events.map(({ type }) => type)).toEqual([
    'version.deleted',
    'version.created',
    'upload_session.created',
    'upload_session.completed',
    'version.completed',
    'version.activated',
  ])
  const second = await read(id)
  expect(second.video).toMatchObject({ status: 'Completed', duration: 3, renditions: [{ status: 'Completed' }] })
  expect(second.video.thumbnails[0]).toContain(`/${id}/v3/video-pictures-`)

  await newVersion(id, await makeFilm(4))
  await soon(async () => (await read(id)).version).toBe(4)
  expect((await eventLog.nextTypes()).at(-1)).toBe('version.deleted')
  // Version 1 has been deleted; the files of the asset's own prefix are gone, those of versions 3 and 4 are not.
  await soon(() => stored(id)).toEqual([0, 0])
  const ids = await mediaIds(id)
  expect(ids).toHaveLength(2)
  for (const media of ids) expect((await stored(media)).every((count) => count > 0)).toBe(true)

  await caller.delete(`assets/${id}/?permanently=true`)
  for (const media of [id, ...ids]) await soon(() => stored(media)).toEqual([0, 0])
})
