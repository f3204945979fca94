/**
 * Storage without forms and versions (`STORAGE_FORMS=off`, `STORAGE_VERSIONS=off`): the real one
 * behind a proxy that responds to both with 501.
 */
import { randomBytes } from 'node:crypto'
import { PutObjectCommand } from '@aws-sdk/client-s3'
import type { ResponseOf, uploadSessions } from '@reelkeep/contract'
import { type Caller, formOf, openSession, openUploadFixture, postByFetch, stackEnv } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeAll, describe, expect, it } from 'vitest'

const fixture = await opened(openUploadFixture('partsonly', { isPartsOnly: true }))
const { bucket } = fixture.testApi.context.uploads
const PART_BYTES = 16 * 1024 ** 2
const file = randomBytes(PART_BYTES + 1000)
const small = randomBytes(2000)

let caller: Caller
beforeAll(async () => {
  caller = await fixture.testApi.newOrganization()
})

type Opened = uploadSessions.NewUploadSession
type Signed = ResponseOf<typeof uploadSessions.signUploadParts>

const pathOf = ({ upload_session }: Opened) => `assets/upload-sessions/${upload_session.uuid}/`
const complete = (session: Opened) =>
  caller.post<{ status: string; code: string; detail: string }>(`${pathOf(session)}complete/`)

async function sign(session: Opened, bytes: Uint8Array): Promise<Signed> {
  const count = Math.ceil(bytes.length / PART_BYTES)
  const numbers = Array.from({ length: count }, (_, index) => index + 1)
  const input = { file_size_bytes: bytes.length, numbers }
  return (await caller.post<Signed>(`${pathOf(session)}parts/`, input)).body
}

const put = (url: string, bytes: Uint8Array) => fetch(url, { method: 'PUT', body: new Uint8Array(bytes) })

/** Uploads a file in parts and returns the parts with their URLs. */
async function send(session: Opened, bytes: Uint8Array): Promise<Signed['parts']> {
  const { parts } = await sign(session, bytes)
  for (const { number, url } of parts) {
    const begin = (number - 1) * PART_BYTES
    expect((await put(url, bytes.subarray(begin, begin + PART_BYTES))).status).toBe(200)
  }
  return parts
}

/** Reads the accepted file as a pipeline step does. */
async function readSource({ asset }: Opened, { start, end }: { start: number; end: number }) {
  const [source] = await fixture.superuser.query<{ key: string; version: string; etag: string }>(
    'select source_key as key, source_version as version, source_etag as etag from assets where id = $1',
    [asset.id],
  )
  if (!source) throw new Error('The asset has no source')
  const chunks = await bucket.read(source, { start, end }, new AbortController().signal)
  return Buffer.concat(await Array.fromAsync(chunks))
}

describe('creating a session for storage without forms', () => {
  it('returns asset, session and form, with parts_only', async () => {
    const session = await openSession(caller)
    expect(Object.keys(session)).toEqual(['asset', 'upload_session', 'client_payload'])
    expect(session.upload_session).toEqual({
      uuid: expect.any(String),
      max_file_size_bytes: 5 * 1024 ** 3,
      expires_at: expect.stringMatching(/Z$/),
      status: 'Created',
      parts_only: true,
    })
    expect(Object.keys(session.client_payload)).toEqual([
      ...['upload_link', 'key', 'x-amz-algorithm', 'x-amz-credential', 'x-amz-date', 'policy'],
      'x-amz-signature',
    ])
    for (const field of Object.values(session.client_payload)) expect(field).not.toBe('')
  })

  it('returns a form that even storage with forms rejects', async () => {
    const session = await openSession(caller)
    const form = formOf(session.client_payload, small)
    expect((await postByFetch(form)).status).toBe(501)
    const direct = `${stackEnv().STORAGE_ENDPOINT}/${new URL(form.link).pathname.slice(1)}`
    expect((await postByFetch({ ...form, link: direct })).status).toBe(403)
    expect(await bucket.exists(session.client_payload.key)).toBe(false)
  })
})

describe('uploading to storage without forms', () => {
  it.each([
    ['small', small],
    ['large', file],
  ])('stores a %s file sent in parts', async (_, bytes) => {
    const session = await openSession(caller)
    await send(session, bytes)
    expect(await complete(session)).toMatchObject({ status: 200, body: { status: 'Completed' } })
    const asset = await caller.get<{ bytes: number }>(`assets/${session.asset.id}/`)
    expect(asset.body.bytes).toBe(bytes.length)
    const end = bytes.length - 1
    expect((await readSource(session, { start: 1, end })).equals(bytes.subarray(1, end))).toBe(true)
  })

  it('is completed by the sweep if the client does not call complete/', async () => {
    const session = await openSession(caller)
    await send(session, small)
    await fixture.pass(30_000, session.upload_session.uuid)
    await fixture.sweep()
    expect(await fixture.find(session.upload_session.uuid)).toMatchObject({ status: 'Completed' })
  })

  it('still requires parts after the session is renewed', async () => {
    const session = await openSession(caller)
    const renewed = await caller.post<Opened>(`${pathOf(session)}renew/`)
    expect(renewed.body.upload_session.parts_only).toBe(true)
  })
})

describe('an accepted file in storage without versions', () => {
  it('is not replaced when its parts are sent or completed again', async () => {
    const session = await openSession(caller)
    const parts = await send(session, small)
    await complete(session)
    const again = await put(parts[0]?.url ?? '', randomBytes(small.length))
    expect(again.status).toBe(404)
    await complete(session)
    const read = await readSource(session, { start: 0, end: small.length })
    expect(read.equals(small)).toBe(true)
  })

  it('cannot be read once another file has replaced it in storage', async () => {
    const session = await openSession(caller)
    await send(session, small)
    await complete(session)
    const { STORAGE_UPLOADS_BUCKET: Bucket } = fixture.testApi.context.config
    const other = { Bucket, Key: session.client_payload.key, Body: randomBytes(small.length) }
    await fixture.objects.client.send(new PutObjectCommand(other))
    const reading = readSource(session, { start: 0, end: 10 })
    await expect(reading).rejects.toMatchObject({ name: 'PreconditionFailed' })
  })

  it('is deleted with its asset, and no other file is deleted', async () => {
    const [deleted, other] = [await openSession(caller), await openSession(caller)]
    for (const session of [deleted, other]) {
      await send(session, small)
      await complete(session)
    }
    const prefix = deleted.client_payload.key.replace(/[^/]+$/, '')
    expect(await bucket.deleteAll(prefix)).toBe(true)
    expect(await bucket.exists(deleted.client_payload.key)).toBe(false)
    expect(await bucket.exists(other.client_payload.key)).toBe(true)
  })

  it('is kept when the sweep cleans up its session', async () => {
    const session = await openSession(caller)
    await send(session, small)
    await complete(session)
    await fixture.pass(100_000, session.upload_session.uuid)
    expect(await fixture.sweep()).toMatchObject({ failures: 0 })
    expect(await bucket.exists(session.client_payload.key)).toBe(true)
    expect(await fixture.find(session.upload_session.uuid)).toMatchObject({ checkInSeconds: null })
  })
})

describe('complete/ for storage without forms', () => {
  it('409: says to send parts if there is no file', async () => {
    const response = await complete(await openSession(caller))
    expect(response).toMatchObject({ status: 409, body: { code: 'upload_not_arrived' } })
    expect(response.body.detail).toContain('in parts only')
  })
})
