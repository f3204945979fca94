/**
 * Tests the service while storage is unreachable, or accepts requests and never responds: requests that need storage
 * fail in time, and all other requests succeed.
 */
import type { uploadSessions } from '@reelkeep/contract'
import {
  ApiProcess,
  type ApiResponse,
  type Caller,
  HttpProxy,
  newCaller,
  openSession,
  postForm,
  resetPeer,
  respond,
  stackEnv,
  timeout,
} from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const SESSIONS = 'assets/upload-sessions/'
const DATABASE_CONNECTIONS_MAX = 8
const env = stackEnv()
const storageProxy = await opened(HttpProxy.open(env.STORAGE_ENDPOINT))
const api = await opened(
  ApiProcess.start({
    DATABASE_CONNECTIONS_MAX: String(DATABASE_CONNECTIONS_MAX),
    STORAGE_ENDPOINT: storageProxy.url,
    STORAGE_PUBLIC_ENDPOINT: env.STORAGE_ENDPOINT,
  }),
)
let caller: Caller
beforeEach(async () => {
  caller = await newCaller(api.send)
})
afterEach(() => storageProxy.reset())

const part = { file_size_bytes: 50_000, numbers: [1] }
const newPath = async () => `${SESSIONS}${(await openSession(caller)).upload_session.uuid}/`
const read = async (path: string) => (await caller.get<uploadSessions.UploadSessionDetails>(path)).body

/** Sends every request that needs storage. */
async function sendAll(plain: string, inParts: string): Promise<ApiResponse<unknown>[]> {
  return Promise.all([
    caller.post(`${plain}complete/`),
    caller.post(`${plain}parts/`, part),
    caller.get(`${inParts}parts/`),
    caller.post(`${inParts}complete/`),
  ])
}

function expectStorageUnavailable({ status, body, headers }: ApiResponse<unknown>): void {
  expect({ status, body }).toMatchObject({
    status: 503,
    body: { code: 'unavailable', detail: expect.stringContaining('Storage') },
  })
  expect((body as { detail: string }).detail).not.toMatch(/database|ECONN|127\.0\.0\.1/i)
  expect(headers['content-type']).toBe('application/problem+json; charset=utf-8')
  expect(Number(headers['retry-after'])).toBeGreaterThan(0)
}

/** Creates a session without an upload, and a session with a multipart upload. */
async function twoSessions() {
  const [plain, inParts] = [await newPath(), await newPath()]
  expect((await caller.post(`${inParts}parts/`, part)).status).toBe(200)
  return { plain, inParts }
}

/** Checks that requests that do not need storage succeed. */
async function expectTheRestWorks(path: string): Promise<void> {
  const session = await openSession(caller)
  expect(session.client_payload.policy).not.toBe('')
  expect((await caller.get(path)).status).toBe(200)
  expect((await caller.get(SESSIONS)).status).toBe(200)
  expect((await caller.post(`${path}renew/`)).status).toBe(200)
  expect((await caller.get(`assets/${session.asset.id}/`)).status).toBe(200)
  const deleted = await newPath()
  expect((await caller.delete(deleted)).status).toBe(204)
  expect((await fetch(`${api.operationsUrl}/readyz`)).status).toBe(200)
}

describe.each([
  ['returns 503', respond(503)],
  ['returns 500', respond(500)],
  ['breaks every connection', resetPeer],
] as const)('while storage %s', (_, action) => {
  it('requests that need storage get 503 with Retry-After, and change nothing', async () => {
    const { plain, inParts } = await twoSessions()
    storageProxy.rules = [{ action }]
    for (const response of await sendAll(plain, inParts)) expectStorageUnavailable(response)
    expect((await read(plain)).status).toBe('Created')
    expect((await read(inParts)).status).toBe('Uploading')
    await expectTheRestWorks(plain)
  })
})

it('requests that need storage succeed again as soon as storage is back', async () => {
  const session = await openSession(caller)
  const path = `${SESSIONS}${session.upload_session.uuid}/`
  await postForm(session)
  storageProxy.rules = [{ action: resetPeer }]
  expect((await caller.post(`${path}complete/`)).status).toBe(503)
  storageProxy.reset()
  expect((await caller.post(`${path}complete/`)).status).toBe(200)
  expect((await read(path)).status).toBe('Completed')
})

describe('while storage refuses connections', () => {
  it('a session is created (201), and requests that need storage get 503', async () => {
    await using alone = await ApiProcess.start({ STORAGE_ENDPOINT: 'http://127.0.0.1:9' })
    caller = await newCaller(alone.send)
    const path = await newPath()
    expectStorageUnavailable(await caller.post(`${path}complete/`))
    expectStorageUnavailable(await caller.post(`${path}parts/`, part))
    expect((await read(path)).status).toBe('Created')
  })
})

describe('while storage accepts requests and never responds', () => {
  it('requests that need storage get 503, and other requests do not wait for storage', async () => {
    const { plain, inParts } = await twoSessions()
    const many = await Promise.all(Array.from({ length: 40 }, newPath))
    const requests = storageProxy.requests.length
    storageProxy.rules = [{ action: timeout }]
    const stuck = sendAll(plain, inParts)
    const crowd = Promise.all(many.map((path) => caller.post(`${path}complete/`)))
    // More requests than database connections: a request must not occupy a connection while it waits for storage.
    await expect.poll(() => storageProxy.requests.length - requests).toBeGreaterThan(DATABASE_CONNECTIONS_MAX)
    await expectTheRestWorks(plain)
    for (const response of [...(await stuck), ...(await crowd)]) expectStorageUnavailable(response)
    expect((await read(plain)).status).toBe('Created')
    expect((await read(inParts)).status).toBe('Uploading')
  })
})
