/** Reads objects of Ceph through a proxy that breaks connections and changes responses. */
import { buffer } from 'node:stream/consumers'
import { type Exchange, HttpProxy, resetPeer, respond, setUpUploads, stackEnv, storageOf } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterEach, beforeAll, expect, it } from 'vitest'
import { isNotFound, isStorageUnavailable, responseWithoutBody } from '../availability.ts'
import { MediaBucket } from '../media-bucket.ts'
import { ObjectReader } from './object-reader.ts'

const env = stackEnv()
await setUpUploads(env)
const proxy = await opened(HttpProxy.open(env.STORAGE_ENDPOINT))
afterEach(() => proxy.reset())
const outcomes: string[] = []
const onResponse = (operation: string, outcome: string) => outcomes.push(`${operation} ${outcome}`)
const options = { ...storageOf({ ...env, STORAGE_ENDPOINT: proxy.url }), onResponse }
const reader = new ObjectReader(options, options.mediaBucket, 4)
const key = "tests/object-reader/a key with spaces, 'quotes' (and more)+ü.bin"
const body = Buffer.from(Array.from({ length: 100_000 }, (_, index) => index % 251))
const signal = new AbortController().signal
const whole = { range: undefined, knownEtag: undefined }

beforeAll(async () => {
  using media = new MediaBucket(storageOf(env))
  await media.put({ key, body, type: 'application/octet-stream' })
})

const errorOf = (request: Promise<unknown>): Promise<unknown> =>
  request.then(
    () => undefined,
    (error: unknown) => error,
  )

it('reads a whole object and a range of one', async () => {
  const found = await reader.get(key, whole, signal)
  expect(found).toMatchObject({ bytes: body.length, contentRange: undefined })
  expect((await buffer(found.body)).equals(body)).toBe(true)
  const part = await reader.get(key, { ...whole, range: 'bytes=1000-1999' }, signal)
  expect(part).toMatchObject({ bytes: 1000, contentRange: `bytes 1000-1999/${body.length}`, etag: found.etag })
  expect((await buffer(part.body)).equals(body.subarray(1000, 2000))).toBe(true)
  const { body: _, readAll: __, ...head } = found
  expect(await reader.head(key, signal)).toEqual(head)
})

it('throws for unchanged and missing objects, and for ranges outside of one', async () => {
  const { etag } = await reader.head(key, signal)
  expect(responseWithoutBody(await errorOf(reader.get(key, { ...whole, knownEtag: etag }, signal)))).toBe('unchanged')
  const outside = { ...whole, range: `bytes=${body.length}-` }
  expect(responseWithoutBody(await errorOf(reader.get(key, outside, signal)))).toBe('outside')
  expect(isNotFound(await errorOf(reader.get(`${key}x`, whole, signal)))).toBe(true)
  expect(isNotFound(await errorOf(reader.head(`${key}x`, signal)))).toBe(true)
})

it('throws "unavailable" for a missing bucket and a refused key', async () => {
  const elsewhere = new ObjectReader(options, 'reelkeep-does-not-exist', 1)
  const withoutBucket = await errorOf(elsewhere.get(key, whole, signal))
  expect([isStorageUnavailable(withoutBucket), isNotFound(withoutBucket)]).toEqual([true, false])
  const wrong = new ObjectReader({ ...options, secretAccessKey: 'wrong' }, options.mediaBucket, 1)
  expect(isStorageUnavailable(await errorOf(wrong.get(key, whole, signal)))).toBe(true)
  elsewhere.close()
  wrong.close()
})

it.each([
  ['is reset', resetPeer],
  ['gets 503', respond(503)],
])('sends a request that %s once more', async (_, action) => {
  proxy.rules = [{ action, times: 1 }]
  const found = await reader.get(key, whole, signal)
  expect((await buffer(found.body)).equals(body)).toBe(true)
  expect(proxy.requests).toHaveLength(2)
  proxy.rules = [{ action }]
  outcomes.length = 0
  expect(isStorageUnavailable(await errorOf(reader.get(key, whole, signal)))).toBe(true)
  expect(proxy.requests).toHaveLength(4)
  expect(outcomes).toEqual(['GetObject unavailable'])
})

it('ends the body with an error if storage disconnects while it is read', async () => {
  const action = ({ response }: Exchange) =>
    response.writeHead(200, { 'content-length': 1000 }).write('some', () => response.destroy())
  proxy.rules = [{ action }]
  const { body: stream } = await reader.get(key, whole, signal)
  await expect(buffer(stream)).rejects.toThrow()
})

it('reads a whole object into memory', async () => {
  expect(Buffer.from(await (await reader.get(key, whole, signal)).readAll()).equals(body)).toBe(true)
  const action = ({ response }: Exchange) =>
    response.writeHead(200, { 'content-length': 1000 }).write('some', () => response.destroy())
  proxy.rules = [{ action }]
  const broken = await reader.get(key, whole, signal)
  expect(isStorageUnavailable(await errorOf(broken.readAll()))).toBe(true)
})

it('closes the connection if the body is destroyed or abandoned', async () => {
  const controller = new AbortController()
  const destroyed = await reader.get(key, whole, signal)
  destroyed.body.destroy()
  const abandoned = await reader.get(key, whole, controller.signal)
  controller.abort()
  await expect.poll(() => [destroyed.body.closed, abandoned.body.closed]).toEqual([true, true])
  await expect.poll(() => proxy.openResponses).toBe(0)
})

it('stops when the caller aborts, and does not count that as an outcome', async () => {
  proxy.rules = [{ action: () => undefined }]
  const controller = new AbortController()
  outcomes.length = 0
  const request = errorOf(reader.get(key, whole, controller.signal))
  await expect.poll(() => proxy.requests.length).toBe(1)
  controller.abort()
  expect(await request).toHaveProperty('name', 'AbortError')
  expect(outcomes).toEqual([])
})
