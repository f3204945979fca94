/** Events recorded during processing by real workers: every status, and the renditions. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Caller, formOf, openSession, postByFetch } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openPipelineFixture, statusOf } from '../pipeline/pipeline-fixture.ts'
import { type EventLogReader, newEventRecorder } from './recorded-events.ts'

const fixture = await opened(openPipelineFixture('recorded_processing'))

const recorder = newEventRecorder()
let caller: Caller
let eventLog: EventLogReader
beforeEach(async () => {
  caller = await fixture.newOrganization()
  eventLog = await recorder.open(caller)
})
afterEach(() => fixture.stopWorkers())

afterAll(() => expect(recorder.unseenTypes('asset')).toEqual([]))
afterAll(() => expect(recorder.unseenTypes('rendition')).toEqual([]))

const soon = <Value>(read: () => Value) => expect.poll(read, { interval: 50 })
const becomes = (assetId: string, status: string) => soon(() => statusOf(caller, assetId)).toBe(status)

const uploaded = ['upload_session.created', 'asset.created', 'upload_session.completed', 'asset.queued']

/** Two seconds of video and audio, with two chapters and a subtitle track. */
async function makeFilm(): Promise<Buffer> {
  const directory = await mkdtemp(join(tmpdir(), 'recorded-'))
  try {
    await writeFile(join(directory, 'de.srt'), '1\n00:00:00,500 --> 00:00:01,500\nGuten Tag\n')
    const chapter = (title: string, start: number) =>
      `[CHAPTER]\nTIMEBASE=1/1\nSTART=${start}\nEND=${start + 1}\ntitle=${title}\n`
    const about = `;FFMETADATA1\n${chapter('Beginning', 0)}${chapter('End', 1)}`
    await writeFile(join(directory, 'about.txt'), about)
    const given = [
      ...['-f', 'lavfi', '-i', 'testsrc2=size=640x360:rate=25:duration=2'],
      ...['-f', 'lavfi', '-i', 'sine=duration=2', '-i', 'de.srt', '-i', 'about.txt'],
      ...['-map', '0', '-map', '1', '-map', '2', '-map_chapters', '3'],
      ...['-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'aac', '-c:s', 'srt'],
      ...['-metadata:s:s:0', 'language=ger', 'film.mkv'],
    ]
    await promisify(execFile)('ffmpeg', ['-loglevel', 'error', '-nostdin', ...given], {
      cwd: directory,
    })
    return await readFile(join(directory, 'film.mkv'))
  } finally {
    await rm(directory, { recursive: true })
  }
}

describe('events of a video', () => {
  it('are recorded from its session to the end, in order', async () => {
    const film = await makeFilm()
    const session = await openSession(caller, { resolutions: ['240p', '360p'] })
    const { asset, upload_session, client_payload } = session
    await caller.patch(`assets/${asset.id}/`, { title: 'Film' })
    expect((await postByFetch(formOf(client_payload, film))).status).toBe(204)
    await caller.post(`assets/upload-sessions/${upload_session.uuid}/complete/`)
    await fixture.startWorker({}, 'server/src/main/worker.ts')
    await becomes(asset.id, 'Completed')
    const events = await eventLog.next()
    expect(events.every(({ asset_id }) => asset_id === asset.id)).toBe(true)
    const types = events.map(({ type }) => type)
    expect(types.slice(0, 7)).toEqual([
      ...['upload_session.created', 'asset.created', 'asset.updated'],
      ...['upload_session.completed', 'asset.queued', 'asset.processing', 'chapter.created'],
    ])
    // The subtitle step runs in parallel, so the position of `subtitle.created` varies.
    expect(types.slice(7, -1).filter((type) => type !== 'subtitle.created')).toEqual([
      'asset.playable',
      'rendition.completed',
      'rendition.completed',
    ])
    expect(types.filter((type) => type === 'subtitle.created')).toHaveLength(1)
    expect(events.at(-1)).toMatchObject({
      type: 'asset.completed',
      data: { title: 'Film', status: 'Completed', duration: expect.closeTo(2, 0), error: null },
    })
    const renditions = events.filter(({ type }) => type === 'rendition.completed')
    const names = renditions.map(({ data }) => (data as { name: string }).name)
    expect(names.toSorted()).toEqual(['240p', '360p'])
    expect(JSON.stringify(events)).not.toContain(`${caller.organizationId}/`)
  })

  it('include a failure, with the renditions that were not encoded', async () => {
    await fixture.startWorker()
    const assetId = await fixture.upload(caller, { isUnusable: true })
    await becomes(assetId, 'upload_empty')
    const events = await eventLog.next()
    expect(events.map(({ type }) => type)).toEqual([
      ...uploaded,
      'asset.processing',
      'rendition.failed',
      'asset.failed',
    ])
    expect(events.slice(-2)).toMatchObject([
      { data: { asset_id: assetId, name: '360p', status: 'Error' } },
      { data: { id: assetId, status: 'Error', error: { code: 'upload_empty' } } },
    ])
  })

  it('include one cancellation, and continue after a retry', async () => {
    await fixture.startWorker()
    const assetId = await fixture.upload(caller, { isGated: true })
    await soon(async () => (await fixture.step(assetId, 'encode'))?.state).toBe('running')
    for (let time = 0; time < 2; time++) await caller.post(`assets/${assetId}/cancel/`)
    expect((await eventLog.nextTypes()).slice(4)).toEqual(['asset.processing', 'asset.cancelled'])
    await caller.post(`assets/${assetId}/retry/`)
    expect((await caller.post(`assets/${assetId}/retry/`)).status).toBe(409)
    await fixture.openGate(assetId)
    await becomes(assetId, 'Completed')
    expect(await eventLog.nextTypes()).toEqual(['asset.queued', 'asset.processing', 'asset.completed'])
  })

  it('are not repeated when attempts fail and are retried', async () => {
    await fixture.startWorker()
    const assetId = await fixture.upload(caller, { failsToToken: 2 })
    await becomes(assetId, 'Completed')
    expect((await eventLog.nextTypes()).slice(4)).toEqual(['asset.processing', 'asset.completed'])
  })

  it('continue in the trash, and end with the purge, which has the last state', async () => {
    await fixture.startWorker()
    const assetId = await fixture.upload(caller, { isGated: true, ignoresAbort: true })
    await soon(async () => (await fixture.step(assetId, 'encode'))?.state).toBe('running')
    await caller.delete(`assets/${assetId}/`)
    await caller.post(`assets/${assetId}/restore/`, {})
    await caller.delete(`assets/${assetId}/`)
    await caller.delete(`assets/${assetId}/?permanently=true`)
    await fixture.openGate(assetId)
    await soon(async () => fixture.jobs(assetId, 'encode')).toEqual({ 1: 'SUCCESS' })
    const events = await eventLog.next()
    expect(events.slice(4).map(({ type }) => type)).toEqual([
      ...['asset.processing', 'asset.deleted', 'asset.restored', 'asset.deleted', 'asset.purged'],
    ])
    expect(events.at(-1)).toMatchObject({ data: { status: 'Processing' } })
  })
})
