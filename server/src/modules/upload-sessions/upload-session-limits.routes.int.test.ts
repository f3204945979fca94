/** The size and the lifetime that a client chooses for an upload session. */
import { randomBytes } from 'node:crypto'
import type { uploadSessions } from '@reelkeep/contract'
import { formOf, openSession, postByFetch, Superuser, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { describe, expect, it } from 'vitest'

const testApi = await opened(TestApi.open())
const superuser = await opened(Superuser.open())
const caller = await testApi.newOrganization()

type Opened = uploadSessions.NewUploadSession

const SESSIONS = 'assets/upload-sessions/'
const pathOf = ({ upload_session }: Opened) => `${SESSIONS}${upload_session.uuid}/`
const create = (more: object) => caller.post(SESSIONS, { title: 'Lecture', resolutions: ['360p'], ...more })
const post = async ({ client_payload }: Opened, bytes: number) =>
  (await postByFetch(formOf(client_payload, randomBytes(bytes)))).status

describe('max_file_size_bytes', () => {
  it('is the limit of the form and of the parts, also after a renewal', async () => {
    const session = await openSession(caller, { max_file_size_bytes: 1000 })
    expect(session.upload_session.max_file_size_bytes).toBe(1000)
    expect(await post(session, 1001)).toBe(400)
    const { body: renewed } = await caller.post<Opened>(`${pathOf(session)}renew/`)
    expect(renewed.upload_session.max_file_size_bytes).toBe(1000)
    expect(await post(renewed, 1001)).toBe(400)
    const parts = await caller.post(`${pathOf(session)}parts/`, { file_size_bytes: 1001, numbers: [1] })
    expect([parts.status, parts.body.code]).toEqual([400, 'file_too_large'])
    expect(await post(renewed, 1000)).toBe(204)
  })

  it('above the limit of a form makes the session accept parts only', async () => {
    const bytes = 6 * 1024 ** 3
    const { upload_session } = await openSession(caller, { max_file_size_bytes: bytes })
    expect(upload_session).toMatchObject({ max_file_size_bytes: bytes, parts_only: true })
  })

  it.each([
    ['0 bytes', { max_file_size_bytes: 0 }, 'invalid_request', 'max_file_size_bytes'],
    [
      'more than an object can have',
      { max_file_size_bytes: 5 * 1024 ** 4 + 1 },
      'invalid_request',
      'max_file_size_bytes',
    ],
    ['less than the file', { max_file_size_bytes: 10, file_size_bytes: 11 }, 'file_too_large', 'file_size_bytes'],
  ])('400: cannot be %s', async (_, fields, code, field) => {
    const { status, body } = await create(fields)
    expect([status, body.code, body.errors[0]?.field]).toEqual([400, code, field])
  })
})

describe('expires_in_seconds', () => {
  const secondsLeft = ({ upload_session }: Opened) => (Date.parse(upload_session.expires_at) - Date.now()) / 1000

  it('is the lifetime of the session after its creation and after a renewal', async () => {
    const session = await openSession(caller, { expires_in_seconds: 600 })
    expect(secondsLeft(session)).toBeGreaterThan(500)
    expect(secondsLeft(session)).toBeLessThan(700)
    await superuser.query('update upload_sessions set expires_at = now() where uuid = $1', [
      session.upload_session.uuid,
    ])
    const { body: renewed } = await caller.post<Opened>(`${pathOf(session)}renew/`)
    expect(secondsLeft(renewed)).toBeGreaterThan(500)
    expect(secondsLeft(renewed)).toBeLessThan(700)
    // The default is six hours.
    expect(secondsLeft(await openSession(caller))).toBeGreaterThan(20_000)
  })

  it.each([299, 21_601, 604_801])('400: cannot be %s seconds', async (seconds) => {
    const { status, body } = await create({ expires_in_seconds: seconds })
    expect([status, body.code, body.errors[0]?.field]).toEqual([400, 'invalid_request', 'expires_in_seconds'])
  })

  it('201: can be 300 seconds and the lifetime of the service', async () => {
    expect((await create({ expires_in_seconds: 300 })).status).toBe(201)
    expect((await create({ expires_in_seconds: 21_600 })).status).toBe(201)
  })
})
