/** What the sweep frees of sessions that have ended, when, and what it never touches. */
import { randomBytes } from 'node:crypto'
import {
  type Caller,
  formOf,
  openSession,
  postByFetch,
  postForm,
  UploadStage,
} from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const stage = await opened(UploadStage.open('tidying'))
let caller: Caller
beforeEach(async () => {
  caller = await stage.world.newOrganization()
})
afterEach(() => stage.forget())

/** The service's own settings, as they are when nobody sets them. */
const EXPIRES = 21_600
const CLOSES = EXPIRES + 43_200
const FILE_BYTES = 50_000

type Opened = Awaited<ReturnType<typeof openSession>>

const pathOf = ({ upload_session }: Opened) => `assets/upload-sessions/${upload_session.uuid}/`
const uuidOf = ({ upload_session }: Opened) => upload_session.uuid
const row = (session: Opened) => stage.find(uuidOf(session))

async function post({ client_payload }: Opened, file: Uint8Array): Promise<void> {
  expect((await postByFetch(formOf(client_payload, file))).status).toBe(204)
}

/** The last part of a file of two, or the only one; it is there and not joined. */
async function sendPart(session: Opened, number: 1 | 2 = 2): Promise<void> {
  const wish = { file_size_bytes: (number - 1) * 16 * 1024 ** 2 + FILE_BYTES, numbers: [number] }
  const { body } = await caller.post<{ parts: { url: string }[] }>(`${pathOf(session)}parts/`, wish)
  const answer = await fetch(body.parts[0]?.url ?? '', {
    method: 'PUT',
    body: new Uint8Array(FILE_BYTES),
  })
  expect(answer.status).toBe(200)
  expect(await unfinished(session)).toHaveLength(1)
}

const stored = ({ client_payload }: Opened) => stage.objects.versions(client_payload.key)
const unfinished = ({ client_payload }: Opened) => stage.objects.unfinished(client_payload.key)

async function expectNothingStored(session: Opened): Promise<void> {
  expect([await stored(session), await unfinished(session)]).toEqual([[], []])
}

/** The sweep does its work without a fault. */
async function sweep(): Promise<void> {
  expect(await stage.sweep()).toMatchObject({ failures: 0, failed: [] })
}

/** At its closing time, and never afterwards. */
async function closeFor(session: Opened): Promise<void> {
  await stage.pass(CLOSES, uuidOf(session))
  await sweep()
  expect(await row(session)).toMatchObject({ lookInSeconds: null })
  expect(await stage.sweep()).toMatchObject({ looks: 0 })
}

describe('a Completed session', () => {
  it('keeps the pinned version byte for byte; what was posted later goes at its closing time', async () => {
    const session = await openSession(caller)
    const file = randomBytes(70_000)
    await post(session, file)
    expect((await caller.post(`${pathOf(session)}complete/`)).status).toBe(200)
    await post(session, randomBytes(80_000))
    await post(session, randomBytes(90_000))
    expect(await stored(session)).toHaveLength(3)
    expect(await stage.sweep()).toMatchObject({ looks: 0 })
    const { lookInSeconds, closesInSeconds } = (await row(session)) ?? {}
    expect(lookInSeconds).toBe(closesInSeconds)
    await closeFor(session)
    const kept = await stored(session)
    expect(kept).toHaveLength(1)
    expect(await pinned(session)).toEqual(kept[0])
    expect(await stage.objects.read(kept[0] ?? { key: '', version: '' })).toEqual(file)
  })

  it('keeps the first of two that were there when somebody looked', async () => {
    const session = await openSession(caller)
    const file = randomBytes(70_000)
    await post(session, file)
    await post(session, randomBytes(80_000))
    await stage.pass(15, uuidOf(session))
    await sweep()
    expect(await row(session)).toMatchObject({ status: 'Completed', completions: 1 })
    await closeFor(session)
    const kept = await stored(session)
    expect(kept).toHaveLength(1)
    expect(await stage.objects.read(kept[0] ?? { key: '', version: '' })).toEqual(file)
  })

  it('keeps a file that came by the form, and loses the parts that were sent before', async () => {
    const session = await openSession(caller)
    await sendPart(session)
    const file = randomBytes(70_000)
    await post(session, file)
    await stage.pass(15, uuidOf(session))
    await sweep()
    expect(await row(session)).toMatchObject({ status: 'Completed' })
    await closeFor(session)
    expect(await unfinished(session)).toEqual([])
    expect(await stored(session)).toHaveLength(1)
  })

  async function pinned({ asset }: Opened) {
    const [source] = await stage.superuser.query(
      'select source_key as key, source_version as version from assets where id = $1',
      [asset.id],
    )
    return source
  }
})

describe('a Cancelled session', () => {
  it('is freed of its file and its parts at once', async () => {
    const session = await openSession(caller)
    await sendPart(session)
    await postForm(session)
    expect((await caller.delete(pathOf(session))).status).toBe(204)
    await sweep()
    await expectNothingStored(session)
    expect(await row(session)).toMatchObject({ status: 'Cancelled', assetStatus: 'Error' })
  })

  it('and of what is posted afterwards at its closing time, and not before', async () => {
    const session = await openSession(caller)
    await caller.delete(pathOf(session))
    await sweep()
    expect(await postForm(session)).toBe(204)
    expect(await stage.sweep()).toMatchObject({ looks: 0 })
    expect(await stored(session)).toHaveLength(1)
    await closeFor(session)
    await expectNothingStored(session)
    expect(await row(session)).toMatchObject({ status: 'Cancelled', completions: 0 })
  })

  it('is looked at again soon when storage is away, and freed then', async () => {
    const session = await openSession(caller)
    await postForm(session)
    await caller.delete(pathOf(session))
    stage.relay.fateOf = () => 503
    expect(await stage.sweep()).toMatchObject({ looks: 1, failures: 1 })
    expect((await row(session))?.lookInSeconds).toBeLessThanOrEqual(15)
    stage.relay.forget()
    await stage.pass(15, uuidOf(session))
    await sweep()
    await expectNothingStored(session)
  })
})

describe('an Expired session', () => {
  it('is freed of its parts, and completed by a file that turns up late', async () => {
    const session = await openSession(caller)
    await sendPart(session)
    await stage.pass(CLOSES, uuidOf(session))
    await sweep()
    expect(await row(session)).toMatchObject({ status: 'Expired', assetStatus: 'Error' })
    await expectNothingStored(session)
    const file = randomBytes(70_000)
    await post(session, file)
    await stage.pass(60, uuidOf(session))
    await sweep()
    expect(await row(session)).toMatchObject({
      status: 'Completed',
      assetStatus: 'Queued',
      assetError: null,
      completions: 1,
    })
    await sweep()
    const kept = await stored(session)
    expect(kept).toHaveLength(1)
    expect(await stage.objects.read(kept[0] ?? { key: '', version: '' })).toEqual(file)
  })

  it('is freed of its parts later when storage does not do it at once', async () => {
    const session = await openSession(caller)
    await sendPart(session)
    await stage.pass(CLOSES, uuidOf(session))
    stage.relay.fateOf = ({ method }) => (method === 'DELETE' ? 503 : 'pass')
    expect(await stage.sweep()).toMatchObject({ looks: 1, failures: 1 })
    expect(await row(session)).toMatchObject({ status: 'Expired' })
    expect(await unfinished(session)).toHaveLength(1)
    stage.relay.forget()
    await stage.pass(15, uuidOf(session))
    await sweep()
    await expectNothingStored(session)
  })
})

describe('a session whose parts are all there, though nobody said so', () => {
  it('is completed once nothing more can be sent, and not before', async () => {
    const session = await openSession(caller)
    await sendPart(session, 1)
    await stage.pass(15, uuidOf(session))
    await sweep()
    expect(await row(session)).toMatchObject({ status: 'Uploading' })
    await stage.pass(EXPIRES, uuidOf(session))
    await sweep()
    expect(await row(session)).toMatchObject({ status: 'Completed', completions: 1 })
    expect(await stored(session)).toHaveLength(1)
  })
})

describe('a Failed session', () => {
  it('is freed at once of what made it fail, and of what is posted afterwards when it closes', async () => {
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

describe('freeing', () => {
  it('touches nothing of a neighbour, of the same organization or another', async () => {
    const neighbours = [
      await openSession(caller),
      await openSession(await stage.world.newOrganization()),
    ]
    const doomed = await openSession(caller)
    await Promise.all([...neighbours, doomed].map(postForm))
    await caller.delete(pathOf(doomed))
    await sweep()
    await expectNothingStored(doomed)
    for (const neighbour of neighbours) expect(await stored(neighbour)).toHaveLength(1)
  })
})
