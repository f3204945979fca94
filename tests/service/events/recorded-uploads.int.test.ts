/** Events about upload sessions, and about their assets until processing begins. */
import {
  type Caller,
  formOf,
  openSession,
  openUploadFixture,
  postByFetch,
  postForm,
  TestApi,
  uploadAsset,
} from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { type EventLogReader, newEventRecorder } from './recorded-events.ts'

const SESSIONS = 'assets/upload-sessions/'
/** Seconds after which a session is closed with default settings. */
const CLOSED_SECONDS = 21_600 + 43_200 + 1

const fixture = await opened(openUploadFixture('recorded'))

const recorder = newEventRecorder()
let caller: Caller
let eventLog: EventLogReader
beforeEach(async () => {
  await fixture.reset()
  caller = await fixture.testApi.newOrganization()
  eventLog = await recorder.open(caller)
})

afterAll(() => expect(recorder.unseenTypes('upload_session')).toEqual([]))

describe('events about an upload session', () => {
  it('are recorded for its creation, together with the creation of its asset', async () => {
    const folder = await caller.post<{ uuid: string }>('assets/folders/', { title: 'Talks' })
    await eventLog.next()
    const { asset, upload_session } = await openSession(caller, { folder: folder.body.uuid })
    const about = { asset_id: asset.id }
    expect(await eventLog.next()).toMatchObject([
      {
        ...about,
        type: 'upload_session.created',
        data: { uuid: upload_session.uuid, asset_id: asset.id, status: 'Created', error: null },
      },
      {
        ...about,
        type: 'asset.created',
        data: {
          id: asset.id,
          title: 'A video',
          parent_id: folder.body.uuid,
          status: 'Not Started',
          duration: null,
          error: null,
        },
      },
    ])
  })

  it('are recorded when it is completed and its asset queued', async () => {
    const { upload_session } = await uploadAsset(caller)
    const [, , completed, queued, ...others] = await eventLog.next()
    expect([completed, queued]).toMatchObject([
      { type: 'upload_session.completed', data: { uuid: upload_session.uuid, status: 'Completed' } },
      { type: 'asset.queued', data: { status: 'Queued', error: null } },
    ])
    expect(others).toEqual([])
  })

  it('are recorded when it is cancelled with its asset', async () => {
    const { upload_session } = await openSession(caller)
    await eventLog.next()
    await caller.delete(`${SESSIONS}${upload_session.uuid}/`)
    expect(await eventLog.next()).toMatchObject([
      { type: 'upload_session.cancelled', data: { status: 'Cancelled', error: null } },
      { type: 'asset.cancelled', data: { status: 'Cancelled', error: { code: 'upload_cancelled' } } },
    ])
  })

  it('have the reason when it fails with its asset', async () => {
    const { client_payload, upload_session } = await openSession(caller)
    await postByFetch(formOf(client_payload, Buffer.from('x')))
    await eventLog.next()
    await caller.post(`${SESSIONS}${upload_session.uuid}/complete/`)
    const error = { code: 'upload_empty' }
    expect(await eventLog.next()).toMatchObject([
      { type: 'upload_session.failed', data: { status: 'Failed', error } },
      { type: 'asset.failed', data: { status: 'Error', error } },
    ])
  })

  it('are recorded when the sweep expires it, and when the sweep completes it with a late file', async () => {
    const session = await openSession(caller)
    await eventLog.next()
    await fixture.pass(CLOSED_SECONDS, session.upload_session.uuid)
    await fixture.sweep()
    expect(await eventLog.next()).toMatchObject([
      { type: 'upload_session.expired', data: { status: 'Expired', error: null } },
      { type: 'asset.cancelled', data: { error: { code: 'upload_expired' } } },
    ])
    await postForm(session)
    await fixture.pass(100, session.upload_session.uuid)
    await fixture.sweep()
    expect(await eventLog.nextTypes()).toEqual(['upload_session.completed', 'asset.queued'])
  })

  it('are recorded when the sweep deletes its asset days after it ended without a file', async () => {
    const { asset, upload_session } = await openSession(caller)
    await caller.delete(`${SESSIONS}${upload_session.uuid}/`)
    await fixture.sweep()
    await eventLog.next()
    await fixture.pass(8 * 86_400, upload_session.uuid)
    await fixture.sweep()
    expect(await eventLog.next()).toMatchObject([
      { type: 'asset.deleted', data: { id: asset.id, status: 'Cancelled', error: { code: 'upload_cancelled' } } },
    ])
  })
})

describe('no event is recorded', () => {
  it('for checks that find no file, and for requests after the session has ended', async () => {
    const session = await openSession(caller)
    const { uuid } = session.upload_session
    await eventLog.next()
    expect((await caller.post(`${SESSIONS}${uuid}/complete/`)).status).toBe(409)
    await fixture.pass(20, uuid)
    await fixture.sweep()
    await caller.post(`${SESSIONS}${uuid}/renew/`)
    expect(await eventLog.next()).toEqual([])
    await postForm(session)
    await Promise.all([1, 2, 3].map(() => caller.post(`${SESSIONS}${uuid}/complete/`)))
    await fixture.pass(20, uuid)
    await fixture.sweep()
    expect((await caller.delete(`${SESSIONS}${uuid}/`)).status).toBe(409)
    expect(await eventLog.nextTypes()).toEqual(['upload_session.completed', 'asset.queued'])
  })

  it('for rejected requests to create a session', async () => {
    const input = { title: 'A video', resolutions: ['360p'] }
    const rejected = await Promise.all([
      caller.post(SESSIONS, { ...input, folder: '11111111111' }),
      caller.post(SESSIONS, { ...input, title: '' }),
    ])
    expect(rejected.map(({ body }) => body.code)).toEqual(['target_folder_not_found', 'invalid_title'])
    expect(await eventLog.next()).toEqual([])
  })

  it('for a session that is not created because DRM is not configured', async () => {
    await using testApi = await TestApi.open({ DRM_PROVIDER: 'none' })
    const unprotected = await testApi.newOrganization()
    const own = await recorder.open(unprotected)
    const input = { title: 'A video', resolutions: ['360p'], content_protection_type: 'drm' }
    expect((await unprotected.post(SESSIONS, input)).body.code).toBe('drm_not_configured')
    expect(await own.next()).toEqual([])
  })

  it('again for requests repeated with their idempotency keys', async () => {
    const input = { title: 'A video', resolutions: ['360p'] }
    for (let time = 0; time < 2; time++) {
      const { status } = await caller.post(SESSIONS, input, { 'idempotency-key': 'a' })
      expect(status).toBe(201)
    }
    expect(await eventLog.nextTypes()).toEqual(['upload_session.created', 'asset.created'])
  })

  it('for another organization', async () => {
    const neighbour = await recorder.open(await fixture.testApi.newOrganization())
    await uploadAsset(caller)
    expect(await neighbour.next()).toEqual([])
  })
})

it('no event contains upload credentials or the storage key of the file', async () => {
  const { asset, client_payload, upload_session } = await openSession(caller)
  const parts = { file_size_bytes: 20_000_000, numbers: [1] }
  await caller.post(`${SESSIONS}${upload_session.uuid}/parts/`, parts)
  const [row] = await fixture.superuser.query<{ id: string }>(
    'select multipart_upload_id as id from upload_sessions where uuid = $1',
    [upload_session.uuid],
  )
  await caller.delete(`${SESSIONS}${upload_session.uuid}/`)
  const log = JSON.stringify(await eventLog.next())
  expect(log).toContain(upload_session.uuid)
  const { policy, key, ...fields } = client_payload as Record<string, string>
  expect(row?.id.length).toBeGreaterThan(8)
  for (const secret of [policy, key, row?.id, `${caller.organizationId}/${asset.id}`, caller.token])
    expect(log).not.toContain(secret)
  expect(Object.keys(fields).filter((name) => log.includes(name))).toEqual([])
})
