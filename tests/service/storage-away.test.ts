/**
 * Storage goes away, or takes a request and never answers: the service says so in time, and does
 * what it can without it.
 */
import type { uploadSessions } from '@reelkeep/contract'
import {
  ApiProcess,
  Caller,
  newOrganization,
  openOwner,
  openSession,
  postForm,
  type Received,
  StorageRelay,
  stackEnv,
} from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const SESSIONS = 'assets/upload-sessions/'
const env = stackEnv()
const relay = await opened(StorageRelay.open(env.STORAGE_ENDPOINT))
const api = await opened(
  ApiProcess.start({
    STORAGE_ENDPOINT: relay.url,
    STORAGE_PUBLIC_ENDPOINT: env.STORAGE_ENDPOINT,
  }),
)
let caller: Caller
beforeEach(async () => {
  caller = await newCaller(api)
})
afterEach(() => relay.forget())

async function newCaller({ send }: ApiProcess): Promise<Caller> {
  await using owner = openOwner()
  const { organizationId, token } = await newOrganization(owner)
  return new Caller(send, organizationId, token)
}

const part = { file_size_bytes: 50_000, numbers: [1] }
const newPath = async () => `${SESSIONS}${(await openSession(caller)).upload_session.uuid}/`
const read = async (path: string) =>
  (await caller.get<uploadSessions.UploadSessionDetails>(path)).body

/** Everything that cannot be answered without storage. */
async function askAll(plain: string, inParts: string): Promise<Received<unknown>[]> {
  return Promise.all([
    caller.post(`${plain}complete/`),
    caller.post(`${plain}parts/`, part),
    caller.get(`${inParts}parts/`),
    caller.post(`${inParts}complete/`),
  ])
}

function expectStorageAway({ status, body, headers }: Received<unknown>): void {
  expect({ status, body }).toMatchObject({
    status: 503,
    body: { code: 'unavailable', detail: expect.stringContaining('Storage') },
  })
  expect((body as { detail: string }).detail).not.toMatch(/database|ECONN|127\.0\.0\.1/i)
  expect(headers['content-type']).toBe('application/problem+json; charset=utf-8')
  expect(Number(headers['retry-after'])).toBeGreaterThan(0)
}

/** One that waits for its form, and one that is uploaded in parts. */
async function twoSessions() {
  const [plain, inParts] = [await newPath(), await newPath()]
  expect((await caller.post(`${inParts}parts/`, part)).status).toBe(200)
  return { plain, inParts }
}

/** What the service does without storage: nothing of it waits. */
async function expectTheRestWorks(path: string): Promise<void> {
  const start = performance.now()
  const session = await openSession(caller)
  expect(session.client_payload.policy).not.toBe('')
  expect((await caller.get(path)).status).toBe(200)
  expect((await caller.get(SESSIONS)).status).toBe(200)
  expect((await caller.post(`${path}renew/`)).status).toBe(200)
  expect((await caller.get(`assets/${session.asset.id}/`)).status).toBe(200)
  const doomed = await newPath()
  expect((await caller.delete(doomed)).status).toBe(204)
  expect((await fetch(`${api.operationsUrl}/readyz`)).status).toBe(200)
  expect(performance.now() - start).toBeLessThan(10_000)
}

describe.each([
  ['answers 503', 503],
  ['answers 500', 500],
  ['breaks every line', 'cut off'],
] as const)('while storage %s', (_, fate) => {
  it('503: says that it is storage, and when to come back; nothing changes', async () => {
    const { plain, inParts } = await twoSessions()
    relay.fateOf = () => fate
    const start = performance.now()
    for (const answer of await askAll(plain, inParts)) expectStorageAway(answer)
    expect(performance.now() - start).toBeLessThan(5000)
    expect((await read(plain)).status).toBe('Created')
    expect((await read(inParts)).status).toBe('Uploading')
    await expectTheRestWorks(plain)
  })
})

it('goes on by itself when storage is there again', async () => {
  const session = await openSession(caller)
  const path = `${SESSIONS}${session.upload_session.uuid}/`
  await postForm(session)
  relay.fateOf = () => 'cut off'
  expect((await caller.post(`${path}complete/`)).status).toBe(503)
  relay.forget()
  expect((await caller.post(`${path}complete/`)).status).toBe(200)
  expect((await read(path)).status).toBe('Completed')
})

describe('while nothing listens where storage should be', () => {
  it('201: a session is created; 503: what needs storage', async () => {
    await using alone = await ApiProcess.start({ STORAGE_ENDPOINT: 'http://127.0.0.1:9' })
    caller = await newCaller(alone)
    const path = await newPath()
    const start = performance.now()
    expectStorageAway(await caller.post(`${path}complete/`))
    expectStorageAway(await caller.post(`${path}parts/`, part))
    expect(performance.now() - start).toBeLessThan(5000)
    expect((await read(path)).status).toBe('Created')
  })
})

describe('while storage takes requests and never answers', () => {
  it('503: within twice the time that one try is given; nothing else waits', async () => {
    const { plain, inParts } = await twoSessions()
    const many = await Promise.all(Array.from({ length: 40 }, newPath))
    relay.fateOf = () => new Promise(() => {})
    const start = performance.now()
    const stuck = askAll(plain, inParts)
    const crowd = Promise.all(many.map((path) => caller.post(`${path}complete/`)))
    // More of them than the database has connections: none may be held while storage is waited for.
    await expectTheRestWorks(plain)
    for (const answer of [...(await stuck), ...(await crowd)]) expectStorageAway(answer)
    expect(performance.now() - start).toBeLessThan(50_000)
    expect((await read(plain)).status).toBe('Created')
    expect((await read(inParts)).status).toBe('Uploading')
  })
})
