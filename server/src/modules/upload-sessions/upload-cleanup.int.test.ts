/** The sweep deletes files of ended sessions from storage; these tests show which, when, and which it never deletes. */
import { createHash, randomBytes } from 'node:crypto'
import { type Caller, formOf, openSession, openUploadFixture, postByFetch, postForm, respond } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const fixture = await opened(openUploadFixture('tidying'))
let caller: Caller
beforeEach(async () => {
  caller = await fixture.testApi.newOrganization()
})
afterEach(() => fixture.reset())

/** Default settings. */
const EXPIRES = 21_600
const DAY = 86_400
const CLOSES = EXPIRES + 43_200
const FILE_BYTES = 50_000

type Opened = Awaited<ReturnType<typeof openSession>>

const pathOf = ({ upload_session }: Opened) => `assets/upload-sessions/${upload_session.uuid}/`
const uuidOf = ({ upload_session }: Opened) => upload_session.uuid
const row = (session: Opened) => fixture.find(uuidOf(session))

async function post({ client_payload }: Opened, file: Uint8Array): Promise<void> {
  expect((await postByFetch(formOf(client_payload, file))).status).toBe(204)
}

/** Sends the last part of a file of one or two parts, and does not join them. */
async function sendPart(session: Opened, number: 1 | 2 = 2): Promise<void> {
  const input = { file_size_bytes: (number - 1) * 16 * 1024 ** 2 + FILE_BYTES, numbers: [number] }
  const { body } = await caller.post<{ parts: { url: string }[] }>(`${pathOf(session)}parts/`, input)
  const response = await fetch(body.parts[0]?.url ?? '', {
    method: 'PUT',
    body: new Uint8Array(FILE_BYTES),
  })
  expect(response.status).toBe(200)
  expect(await unfinished(session)).toHaveLength(1)
}

const stored = ({ client_payload }: Opened) => fixture.objects.versions(client_payload.key)
const unfinished = ({ client_payload }: Opened) => fixture.objects.unfinished(client_payload.key)

async function expectNothingStored(session: Opened): Promise<void> {
  expect([await stored(session), await unfinished(session)]).toEqual([[], []])
}

/** Large files are compared by their hashes: the difference between two buffers takes minutes to print. */
const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const hashOfStored = async (object: Parameters<typeof fixture.objects.read>[0] | undefined) =>
  object && hashOf(await fixture.objects.read(object))

/** Runs a sweep and expects no failures. */
async function sweep(): Promise<void> {
  expect(await fixture.sweep()).toMatchObject({ failures: 0, failed: [] })
}

/** Sweeps when the session closes, and expects no later check, except the deletion of an asset without a file. */
async function closeFor(session: Opened): Promise<void> {
  await fixture.pass(CLOSES, uuidOf(session))
  await sweep()
  const { status, checkInSeconds } = (await row(session)) ?? {}
  if (status === 'Completed') expect(checkInSeconds).toBeNull()
  else expect(checkInSeconds).toBeGreaterThan(6 * DAY)
  expect(await fixture.sweep()).toMatchObject({ checks: 0 })
}

describe('a Completed session', () => {
  it('keeps the accepted version; later uploads are deleted after a minute and when the session closes', async () => {
    const session = await openSession(caller)
    const file = randomBytes(70_000)
    await post(session, file)
    expect((await caller.post(`${pathOf(session)}complete/`)).status).toBe(200)
    await post(session, randomBytes(80_000))
    await post(session, randomBytes(90_000))
    expect(await stored(session)).toHaveLength(3)
    expect(await fixture.sweep()).toMatchObject({ checks: 0 })
    await fixture.pass(60, uuidOf(session))
    await sweep()
    expect(await stored(session)).toHaveLength(1)
    expect((await row(session))?.checkInSeconds).toBeLessThanOrEqual(900)
    await post(session, randomBytes(80_000))
    await fixture.pass(EXPIRES, uuidOf(session))
    await sweep()
    const { checkInSeconds, closesInSeconds } = (await row(session)) ?? {}
    expect(checkInSeconds).toBe(closesInSeconds)
    await closeFor(session)
    const remaining = await stored(session)
    expect(remaining).toHaveLength(1)
    expect(await pinned(session)).toEqual(remaining[0])
    expect(await hashOfStored(remaining[0])).toBe(hashOf(file))
  })

  it('keeps a file that a restore has stored again as another version', async () => {
    const session = await openSession(caller)
    const file = randomBytes(70_000)
    await post(session, file)
    expect((await caller.post(`${pathOf(session)}complete/`)).status).toBe(200)
    const [lost] = await stored(session)
    if (!lost) throw new Error('The file was not stored')
    await post(session, file)
    await fixture.objects.delete(lost)
    await fixture.pass(60, uuidOf(session))
    await sweep()
    await closeFor(session)
    expect(await stored(session)).toHaveLength(1)
  })

  it('keeps the first of two files that arrived before the check', async () => {
    const session = await openSession(caller)
    const file = randomBytes(70_000)
    await post(session, file)
    await post(session, randomBytes(80_000))
    await fixture.pass(15, uuidOf(session))
    await sweep()
    expect(await row(session)).toMatchObject({ status: 'Completed', completions: 1 })
    await closeFor(session)
    const remaining = await stored(session)
    expect(remaining).toHaveLength(1)
    expect(await hashOfStored(remaining[0])).toBe(hashOf(file))
  })

  it('keeps a file sent with the form and deletes parts sent before', async () => {
    const session = await openSession(caller)
    await sendPart(session)
    const file = randomBytes(70_000)
    await post(session, file)
    await fixture.pass(15, uuidOf(session))
    await sweep()
    expect(await row(session)).toMatchObject({ status: 'Completed' })
    await closeFor(session)
    expect(await unfinished(session)).toEqual([])
    expect(await stored(session)).toHaveLength(1)
  })

  async function pinned({ asset }: Opened) {
    const [source] = await fixture.superuser.query(
      'select source_key as key, source_version as version from assets where id = $1',
      [asset.id],
    )
    return source
  }
})

describe('a Cancelled session', () => {
  it('loses its file and its parts at once', async () => {
    const session = await openSession(caller)
    await sendPart(session)
    await postForm(session)
    expect((await caller.delete(pathOf(session))).status).toBe(204)
    await sweep()
    await expectNothingStored(session)
    expect(await row(session)).toMatchObject({ status: 'Cancelled', assetStatus: 'Cancelled' })
  })

  it('loses files that are uploaded later', async () => {
    const session = await openSession(caller)
    await caller.delete(pathOf(session))
    await sweep()
    expect(await postForm(session)).toBe(204)
    expect(await fixture.sweep()).toMatchObject({ checks: 0 })
    expect(await stored(session)).toHaveLength(1)
    await fixture.pass(900, uuidOf(session))
    await sweep()
    await expectNothingStored(session)
    await closeFor(session)
    expect(await row(session)).toMatchObject({ status: 'Cancelled', completions: 0 })
  })

  it('is checked again soon and then cleaned up if storage was unavailable', async () => {
    const session = await openSession(caller)
    await postForm(session)
    await caller.delete(pathOf(session))
    fixture.storageProxy.rules = [{ action: respond(503) }]
    expect(await fixture.sweep()).toMatchObject({ checks: 1, failures: 1 })
    expect((await row(session))?.checkInSeconds).toBeLessThanOrEqual(15)
    fixture.storageProxy.reset()
    await fixture.pass(15, uuidOf(session))
    await sweep()
    await expectNothingStored(session)
  })
})

describe('an Expired session', () => {
  it('loses its parts, and is completed by a late file', async () => {
    const session = await openSession(caller)
    await sendPart(session)
    await fixture.pass(CLOSES, uuidOf(session))
    await sweep()
    expect(await row(session)).toMatchObject({ status: 'Expired', assetStatus: 'Cancelled' })
    await expectNothingStored(session)
    const file = randomBytes(70_000)
    await post(session, file)
    await fixture.pass(60, uuidOf(session))
    await sweep()
    expect(await row(session)).toMatchObject({
      status: 'Completed',
      assetStatus: 'Queued',
      assetError: null,
      completions: 1,
    })
    await sweep()
    const remaining = await stored(session)
    expect(remaining).toHaveLength(1)
    expect(await hashOfStored(remaining[0])).toBe(hashOf(file))
  })

  it('loses its parts later if storage fails to delete them at first', async () => {
    const session = await openSession(caller)
    await sendPart(session)
    await fixture.pass(CLOSES, uuidOf(session))
    fixture.storageProxy.rules = [{ match: ({ method }) => method === 'DELETE', action: respond(503) }]
    expect(await fixture.sweep()).toMatchObject({ checks: 1, failures: 1 })
    expect(await row(session)).toMatchObject({ status: 'Expired' })
    expect(await unfinished(session)).toHaveLength(1)
    fixture.storageProxy.reset()
    await fixture.pass(15, uuidOf(session))
    await sweep()
    await expectNothingStored(session)
  })
})

describe('a session whose parts have all arrived without a call of complete/', () => {
  it('is completed when it has expired and not before', async () => {
    const session = await openSession(caller)
    await sendPart(session, 1)
    await fixture.pass(15, uuidOf(session))
    await sweep()
    expect(await row(session)).toMatchObject({ status: 'Uploading' })
    await fixture.pass(EXPIRES, uuidOf(session))
    await sweep()
    expect(await row(session)).toMatchObject({ status: 'Completed', completions: 1 })
    expect(await stored(session)).toHaveLength(1)
  })
})

describe('a Failed session', () => {
  it('loses the rejected file at once, and files that are uploaded later when it closes', async () => {
    const session = await openSession(caller)
    await post(session, Buffer.from('x'))
    expect((await caller.post(`${pathOf(session)}complete/`)).status).toBe(409)
    expect(await row(session)).toMatchObject({ status: 'Failed', assetError: 'upload_empty' })
    expect(await stored(session)).toHaveLength(1)
    await sweep()
    await expectNothingStored(session)
    await post(session, randomBytes(1000))
    await closeFor(session)
    await expectNothingStored(session)
    expect(await row(session)).toMatchObject({ status: 'Failed', completions: 0 })
  })
})

describe('the cleanup of a session', () => {
  it('deletes nothing of other sessions, in the same organization or another', async () => {
    const others = [await openSession(caller), await openSession(await fixture.testApi.newOrganization())]
    const cancelled = await openSession(caller)
    await Promise.all([...others, cancelled].map(postForm))
    await caller.delete(pathOf(cancelled))
    await sweep()
    await expectNothingStored(cancelled)
    for (const other of others) expect(await stored(other)).toHaveLength(1)
  })
})
