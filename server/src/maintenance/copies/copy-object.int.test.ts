/** Copies stored objects to other buckets and back, and relinks their versions. */
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Caller,
  changeResponse,
  formOf,
  HttpProxy,
  latency,
  openOwner,
  openSession,
  type ProxyRequest,
  postByFetch,
  setUpUploads,
  stackEnv,
  storageOf,
  TestApi,
  uploadAsset,
} from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterAll, beforeEach, expect, it } from 'vitest'
import type { AssetId, OrganizationId } from '../../kernel/ids.ts'
import { findSource, storagePrefix } from '../../modules/assets/assets.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { type Buckets, openBuckets } from '../buckets.ts'
import { listStoredItems, type StoredItem } from '../stored-objects.ts'
import { type Copied, copyStoredItem } from './copy-object.ts'
import { relinkVersions } from './relink-versions.ts'

const env = stackEnv()
const elsewhere = {
  STORAGE_UPLOADS_BUCKET: 'reelkeep-elsewhere',
  STORAGE_MEDIA_BUCKET: 'reelkeep-elsewhere-media',
}
await setUpUploads(env, elsewhere)
const world = await opened(TestApi.open())
const owner = await opened(Promise.resolve(openOwner()))
const here = openBuckets(storageOf(env))
const there = openBuckets(storageOf(env, elsewhere))
afterAll(() => {
  here[Symbol.dispose]()
  there[Symbol.dispose]()
})

let caller: Caller
let db: OrganizationDb
beforeEach(async () => {
  caller = await world.newOrganization()
  db = owner.forOrganization(caller.organizationId as OrganizationId)
})

const { signal } = new AbortController()
const items = (...ids: AssetId[]): Promise<StoredItem[]> =>
  Array.fromAsync(listStoredItems(db, ids.length > 0 ? ids : undefined))

async function copyAll(from = here, to = there): Promise<Copied> {
  const copied: Copied[] = []
  for (const item of await items()) copied.push(await copyStoredItem({ from, to, signal }, item))
  const total = (count: 'objects' | 'bytes' | 'objectsKept') => copied.reduce((sum, one) => sum + one[count], 0)
  return {
    objects: total('objects'),
    bytes: total('bytes'),
    objectsKept: total('objectsKept'),
    missing: copied.flatMap(({ missing }) => missing),
  }
}

/** Creates an asset with this file. */
async function uploaded(file: Buffer): Promise<AssetId> {
  const session = await openSession(caller)
  await postByFetch(formOf(session.client_payload, file))
  await caller.post(`assets/upload-sessions/${session.upload_session.uuid}/complete/`)
  return session.asset.id as AssetId
}

const putMedia = (assetId: AssetId, name: string, body: string | Uint8Array) =>
  here.media.put({ key: mediaKey(assetId, name), body, type: 'text/vtt' })
const mediaKey = (assetId: AssetId, name: string) => `${storagePrefix(db.organizationId, assetId)}${name}`

async function readSource(assetId: AssetId): Promise<Buffer> {
  const source = await findSource(db, assetId)
  if (!source) throw new Error('The asset has no file')
  const read = await there.uploads.read(source, { start: 0, end: source.bytes }, signal)
  return Buffer.concat(await Array.fromAsync(read))
}

it('listStoredItems lists the media prefix of each asset, and its source file if it has one', async () => {
  const waiting = (await openSession(caller)).asset.id as AssetId
  const { asset, client_payload } = await uploadAsset(caller)
  const id = asset.id as AssetId
  const source = await findSource(db, id)
  const prefix = (assetId: AssetId) => storagePrefix(db.organizationId, assetId)
  const file = { bucket: 'uploads', key: client_payload.key, bytes: 32 }
  const pin = { version: source?.version, etag: source?.etag }
  expect(await items()).toEqual([
    { bucket: 'media', assetId: waiting, prefix: prefix(waiting) },
    { ...file, ...pin, assetId: id },
    { bucket: 'media', assetId: id, prefix: prefix(id) },
  ])
  expect(await items(waiting)).toEqual([{ bucket: 'media', assetId: waiting, prefix: prefix(waiting) }])
})

it('a copy contains the linked version of a file, even if another version was posted later', async () => {
  const file = Buffer.from('the file that was taken, not the')
  const session = await openSession(caller)
  await postByFetch(formOf(session.client_payload, file))
  await caller.post(`assets/upload-sessions/${session.upload_session.uuid}/complete/`)
  await postByFetch(formOf(session.client_payload, Buffer.from('one that was posted with it late')))
  expect(await copyAll()).toMatchObject({ objects: 1, bytes: 32 })
  expect(await relinkVersions(db, there)).toEqual({ relinked: 1, missing: [] })
  expect((await readSource(session.asset.id as AssetId)).toString()).toBe(file.toString())
  expect(await relinkVersions(db, there)).toEqual({ relinked: 0, missing: [] })
})

it('a large file is copied in parts to another bucket and back without changes', async () => {
  const file = randomBytes(32 * 2 ** 20 + 1)
  const assetId = await uploaded(file)
  expect(await copyAll()).toMatchObject({ objects: 1, bytes: file.byteLength })
  expect(await copyAll(there, here)).toMatchObject({ objects: 0, objectsKept: 1 })
  await relinkVersions(db, there)
  expect((await readSource(assetId)).equals(file)).toBe(true)
  // The row now has the version id of the other bucket. The file is copied back and gets another version id here.
  await here.uploads.deleteAll(storagePrefix(db.organizationId, assetId))
  expect(await copyAll(there, here)).toMatchObject({ objects: 1, bytes: file.byteLength })
  expect(await relinkVersions(db, here)).toEqual({ relinked: 1, missing: [] })
})

it('media files are copied with their type, and again only if they changed', async () => {
  const assetId = await uploaded(Buffer.alloc(64, 1))
  await putMedia(assetId, 'video-encode-1/audio/00000.m4s', 'sound')
  await putMedia(assetId, 'subtitles/x.vtt', 'words')
  await putMedia(assetId, 'video-probe-2/empty.json', new Uint8Array())
  expect(await copyAll()).toEqual({ objects: 4, bytes: 74, objectsKept: 0, missing: [] })
  expect(await copyAll()).toEqual({ objects: 0, bytes: 0, objectsKept: 4, missing: [] })
  const found = await there.media.objects.find({ key: mediaKey(assetId, 'subtitles/x.vtt') })
  expect(found).toMatchObject({ bytes: 5, type: 'text/vtt' })
  await putMedia(assetId, 'subtitles/x.vtt', 'WORDS')
  expect(await copyAll()).toMatchObject({ objects: 1, bytes: 5, objectsKept: 3 })
  expect(await there.media.findText(mediaKey(assetId, 'subtitles/x.vtt'))).toBe('WORDS')
})

it('a copy reports files that are missing in the source bucket', async () => {
  const { asset, client_payload } = await uploadAsset(caller)
  await here.uploads.deleteAll(client_payload.key)
  expect(await copyAll()).toEqual({
    objects: 0,
    bytes: 0,
    objectsKept: 0,
    missing: [client_payload.key],
  })
  expect(await relinkVersions(db, there)).toEqual({ relinked: 0, missing: [asset.id] })
})

/** Returns buckets whose objects are all deleted as soon as one of them has been found. */
function goingFrom(assetId: AssetId): Buckets {
  const goes = (name: 'uploads' | 'media') => {
    const { objects } = here[name]
    const find: typeof objects.find = async (wanted, until) => {
      const found = await objects.find(wanted, until)
      await here[name].deleteAll(storagePrefix(db.organizationId, assetId))
      return found
    }
    const list = (prefix: string) => objects.list(prefix)
    const read: typeof objects.read = (...wanted) => objects.read(...wanted)
    return { objects: { find, list, read } }
  }
  return { uploads: goes('uploads'), media: goes('media') } as unknown as Buckets
}

it.each([
  ['small objects', 64],
  ['objects copied in parts', 17 * 2 ** 20],
])('a copy does not fail if objects are deleted while they are copied: %s', async (_, bytes) => {
  const assetId = await uploaded(Buffer.alloc(bytes, 1))
  await putMedia(assetId, 'video-encode-1/audio/00000.m4s', Buffer.alloc(bytes, 2))
  const source = await findSource(db, assetId)
  expect(await copyAll(goingFrom(assetId))).toEqual({
    ...{ objects: 0, bytes: 0, objectsKept: 0 },
    missing: [source?.key],
  })
  expect(await Array.fromAsync(there.uploads.objects.list(`${db.organizationId}/`))).toEqual([])
  expect(await Array.fromAsync(there.media.objects.list(`${db.organizationId}/`))).toEqual([])
})

it.each([
  ['of another size', 33],
  ['of the same size', 32],
])('a copy reports a missing file although another file %s has the same key', async (_, bytes) => {
  const session = await uploadAsset(caller)
  await here.uploads.deleteAll(session.client_payload.key)
  await postByFetch(formOf(session.client_payload, Buffer.alloc(bytes, 'other')))
  expect(await copyAll()).toMatchObject({ objects: 0, missing: [session.client_payload.key] })
  expect(await relinkVersions(db, here)).toEqual({ relinked: 0, missing: [session.asset.id] })
})

it('a file is copied as a further version if the target has another file of the same size and key', async () => {
  const { asset, client_payload } = await uploadAsset(caller)
  const other = Buffer.alloc(32, 'other')
  await there.uploads.objects.put(client_payload.key, other, 'video/mp4', signal)
  expect(await copyAll()).toMatchObject({ objects: 1, objectsKept: 0, missing: [] })
  expect(await relinkVersions(db, there)).toEqual({ relinked: 1, missing: [] })
  expect((await readSource(asset.id as AssetId)).equals(other)).toBe(false)
})

it('an object in a bucket without versioning is found even with the version id of another bucket', async () => {
  const { client_payload } = await uploadAsset(caller)
  using plain = openBuckets({ ...storageOf(env), keepsVersions: false })
  const name = { key: client_payload.key, version: 'a-version-of-another-storage' }
  expect(await plain.uploads.objects.find(name)).toMatchObject({ bytes: 32 })
  expect(await here.uploads.objects.find(name)).toBeUndefined()
})

/** Latency of the simulated connection, longer than the request timeout of the service. */
const SLOWNESS_SECONDS = 21

it('a copy succeeds even if storing a part takes longer than the request timeout of the service', async () => {
  await uploaded(Buffer.alloc(64, 1))
  await using proxy = await HttpProxy.open(env.STORAGE_ENDPOINT)
  const isPut = ({ method }: ProxyRequest) => method === 'PUT'
  proxy.rules = [{ match: isPut, action: latency(() => sleep(SLOWNESS_SECONDS * 1000)) }]
  using far = openBuckets(storageOf({ ...env, STORAGE_ENDPOINT: proxy.url }, elsewhere))
  expect(await copyAll(here, far)).toMatchObject({ objects: 1, bytes: 64 })
  expect(proxy.requests.filter(isPut)).toHaveLength(1)
})

/**
 * Simulates storage that encrypts with its own keys: ETags are not content hashes, and only a request for an object
 * reveals that.
 */
const encrypt = changeResponse((answer, { method, path }) => {
  const etag = randomBytes(16).toString('hex')
  if (path.includes('list-type=2')) {
    const body = answer.body.toString().replaceAll(/(?<=<ETag>)[^<]*/g, `&quot;${etag}&quot;`)
    return { ...answer, body: Buffer.from(body) }
  }
  if (method !== 'HEAD' || answer.status !== 200) return answer
  const headers = { etag: `"${etag}"`, 'x-amz-server-side-encryption': 'aws:kms' }
  return { ...answer, headers: { ...answer.headers, ...headers } }
})

it('encrypted objects are copied only once, although their ETags are not content hashes', async () => {
  const assetId = await uploaded(Buffer.alloc(64, 1))
  await putMedia(assetId, 'subtitles/x.vtt', 'words')
  await using proxy = await HttpProxy.open(env.STORAGE_ENDPOINT)
  proxy.rules = [{ action: encrypt }]
  using encrypted = openBuckets(storageOf({ ...env, STORAGE_ENDPOINT: proxy.url }, elsewhere))
  expect(await copyAll(here, encrypted)).toMatchObject({ objects: 2, objectsKept: 0 })
  expect(await copyAll(here, encrypted)).toMatchObject({ objects: 0, objectsKept: 2 })
  await putMedia(assetId, 'subtitles/x.vtt', 'longer words')
  expect(await copyAll(here, encrypted)).toMatchObject({ objects: 1, objectsKept: 1 })
})

it('a damaged object does not replace its copy', async () => {
  const { asset } = await uploadAsset(caller)
  const key = `${storagePrefix(db.organizationId, asset.id as AssetId)}video-encode-1/0.m4s`
  const stored = await here.media.put({ key, body: 'a segment', type: 'video/mp4' })
  const [, item] = await items(asset.id as AssetId)
  if (!item) throw new Error('The asset has no media')
  const copy = () => copyStoredItem({ from: here, to: there, signal, published: new Map([[key, stored]]) }, item)
  expect(await copy()).toMatchObject({ objects: 1, missing: [] })
  for (const body of ['b segment', 'short']) {
    await here.media.put({ key, body, type: 'video/mp4' })
    expect(await copy()).toMatchObject({ objects: 0, missing: [key] })
    expect(await there.media.findText(key)).toBe('a segment')
  }
})

it('an object that is read with other bytes than its hash is not copied', async () => {
  const { asset } = await uploadAsset(caller)
  const key = `${storagePrefix(db.organizationId, asset.id as AssetId)}video-encode-1/0.m4s`
  const stored = await here.media.put({ key, body: 'a segment', type: 'video/mp4' })
  await using proxy = await HttpProxy.open(env.STORAGE_ENDPOINT)
  proxy.rules = [
    {
      match: ({ method, path }: ProxyRequest) => method === 'GET' && path.includes('0.m4s'),
      action: changeResponse((response) => ({ ...response, body: Buffer.from('b segment') })),
    },
  ]
  const through = openBuckets(storageOf({ ...env, STORAGE_ENDPOINT: proxy.url }))
  const [, item] = await items(asset.id as AssetId)
  if (!item) throw new Error('The asset has no media')
  const published = new Map([[key, stored]])
  const copied = await copyStoredItem({ from: through, to: there, signal, published }, item)
  through[Symbol.dispose]()
  expect(copied).toMatchObject({ objects: 0, missing: [key] })
  expect(await there.media.findText(key)).toBeUndefined()
})
