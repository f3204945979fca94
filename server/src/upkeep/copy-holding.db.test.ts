/** What rows say lies in storage, copied to buckets that know nothing of it and back, and pinned there. */
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Caller,
  formOf,
  openOwner,
  openSession,
  postByFetch,
  type Spoil,
  SpoilingRelay,
  StorageRelay,
  setUpUploads,
  stackEnv,
  storageOf,
  uploadAsset,
  World,
} from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterAll, beforeEach, expect, it } from 'vitest'
import { findSource, storagePrefix } from '../capabilities/assets/assets.ts'
import type { AssetId, OrganizationId } from '../kernel/ids.ts'
import type { OrganizationDb } from '../platform/db/database.ts'
import { type Buckets, openBuckets } from './buckets.ts'
import { type Copied, copyHolding } from './copy-holding.ts'
import { type Holding, listHoldings } from './holdings.ts'
import { repin } from './repin.ts'

const env = stackEnv()
const elsewhere = {
  STORAGE_UPLOADS_BUCKET: 'reelkeep-elsewhere',
  STORAGE_MEDIA_BUCKET: 'reelkeep-elsewhere-media',
}
await setUpUploads(env, elsewhere)
const world = await opened(World.open())
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
const holdings = (...ids: AssetId[]): Promise<Holding[]> =>
  Array.fromAsync(listHoldings(db, ids.length > 0 ? ids : undefined))

async function copyAll(from = here, to = there): Promise<Copied> {
  const copied: Copied[] = []
  for (const holding of await holdings()) copied.push(await copyHolding(from, to, holding, signal))
  const total = (count: 'objects' | 'bytes' | 'objectsKept') =>
    copied.reduce((sum, one) => sum + one[count], 0)
  return {
    objects: total('objects'),
    bytes: total('bytes'),
    objectsKept: total('objectsKept'),
    missing: copied.flatMap(({ missing }) => missing),
  }
}

/** An asset whose file this is. */
async function uploaded(file: Buffer): Promise<AssetId> {
  const session = await openSession(caller)
  await postByFetch(formOf(session.client_payload, file))
  await caller.post(`assets/upload-sessions/${session.upload_session.uuid}/complete/`)
  return session.asset.id as AssetId
}

const putMedia = (assetId: AssetId, name: string, body: string | Uint8Array) =>
  here.media.put({ key: mediaKey(assetId, name), body, type: 'text/vtt' })
const mediaKey = (assetId: AssetId, name: string) =>
  `${storagePrefix(db.organizationId, assetId)}${name}`

async function readSource(assetId: AssetId): Promise<Buffer> {
  const source = await findSource(db, assetId)
  if (!source) throw new Error('The asset has no file')
  const read = await there.uploads.read(source, { start: 0, end: source.bytes }, signal)
  return Buffer.concat(await Array.fromAsync(read))
}

it('lists the file of each asset that has one, and the place of whatever is made of it', async () => {
  const waiting = (await openSession(caller)).asset.id as AssetId
  const { asset, client_payload } = await uploadAsset(caller)
  const id = asset.id as AssetId
  const source = await findSource(db, id)
  const prefix = (assetId: AssetId) => storagePrefix(db.organizationId, assetId)
  const file = { bucket: 'uploads', key: client_payload.key, bytes: 32 }
  const pin = { version: source?.version, etag: source?.etag }
  expect(await holdings()).toEqual([
    { bucket: 'media', assetId: waiting, prefix: prefix(waiting) },
    { ...file, ...pin, assetId: id },
    { bucket: 'media', assetId: id, prefix: prefix(id) },
  ])
  expect(await holdings(waiting)).toEqual([
    { bucket: 'media', assetId: waiting, prefix: prefix(waiting) },
  ])
})

it('copies the version that was taken, whatever was posted later, and pins it where it was copied to', async () => {
  const file = Buffer.from('the file that was taken, not the')
  const session = await openSession(caller)
  await postByFetch(formOf(session.client_payload, file))
  await caller.post(`assets/upload-sessions/${session.upload_session.uuid}/complete/`)
  await postByFetch(formOf(session.client_payload, Buffer.from('one that was posted with it late')))
  expect(await copyAll()).toMatchObject({ objects: 1, bytes: 32 })
  expect(await repin(db, there)).toEqual({ repinned: 1, missing: [] })
  expect((await readSource(session.asset.id as AssetId)).toString()).toBe(file.toString())
  expect(await repin(db, there)).toEqual({ repinned: 0, missing: [] })
})

it('copies a large file in parts, byte for byte, and back again from where it has another version', async () => {
  const file = randomBytes(32 * 2 ** 20 + 1)
  const assetId = await uploaded(file)
  expect(await copyAll()).toMatchObject({ objects: 1, bytes: file.byteLength })
  expect(await copyAll(there, here)).toMatchObject({ objects: 0, objectsKept: 1 })
  await repin(db, there)
  expect((await readSource(assetId)).equals(file)).toBe(true)
  // Now the rows know only the other bucket's version; here the same file lies under the one it had before.
  await here.uploads.free(storagePrefix(db.organizationId, assetId))
  expect(await copyAll(there, here)).toMatchObject({ objects: 1, bytes: file.byteLength })
  expect(await repin(db, here)).toEqual({ repinned: 1, missing: [] })
})

it('copies what is made of a video with its type, and nothing twice but what has become another', async () => {
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

it('tells what is not there to be copied, and whose file is in neither bucket', async () => {
  const { asset, client_payload } = await uploadAsset(caller)
  await here.uploads.free(client_payload.key)
  expect(await copyAll()).toEqual({
    objects: 0,
    bytes: 0,
    objectsKept: 0,
    missing: [client_payload.key],
  })
  expect(await repin(db, there)).toEqual({ repinned: 0, missing: [asset.id] })
})

/** Buckets whose objects go, all of them, as soon as one has been found to be there. */
function goingFrom(assetId: AssetId): Buckets {
  const goes = (name: 'uploads' | 'media') => {
    const { objects } = here[name]
    const find: typeof objects.find = async (wanted, until) => {
      const found = await objects.find(wanted, until)
      await here[name].free(storagePrefix(db.organizationId, assetId))
      return found
    }
    const list = (prefix: string) => objects.list(prefix)
    const read: typeof objects.read = (...wanted) => objects.read(...wanted)
    return { objects: { find, list, read } }
  }
  return { uploads: goes('uploads'), media: goes('media') } as unknown as Buckets
}

it.each([
  ['small', 64],
  ['in parts', 17 * 2 ** 20],
])('does not fail over what is deleted while it is copied, %s', async (_, bytes) => {
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
])('takes no other file for it that was posted under the same name, %s', async (_, bytes) => {
  const session = await uploadAsset(caller)
  await here.uploads.free(session.client_payload.key)
  await postByFetch(formOf(session.client_payload, Buffer.alloc(bytes, 'other')))
  expect(await copyAll()).toMatchObject({ objects: 0, missing: [session.client_payload.key] })
  expect(await repin(db, here)).toEqual({ repinned: 0, missing: [session.asset.id] })
})

it('finds the file among others of its size, and puts it beside another that is there already', async () => {
  const { asset, client_payload } = await uploadAsset(caller)
  const other = Buffer.alloc(32, 'other')
  await there.uploads.objects.put(client_payload.key, other, 'video/mp4', signal)
  expect(await copyAll()).toMatchObject({ objects: 1, objectsKept: 0, missing: [] })
  expect(await repin(db, there)).toEqual({ repinned: 1, missing: [] })
  expect((await readSource(asset.id as AssetId)).equals(other)).toBe(false)
})

it('asks a bucket that keeps no versions for the object, whatever version rows name', async () => {
  const { client_payload } = await uploadAsset(caller)
  using plain = openBuckets({ ...storageOf(env), keepsVersions: false })
  const name = { key: client_payload.key, version: 'a-version-of-another-storage' }
  expect(await plain.uploads.objects.find(name)).toMatchObject({ bytes: 32 })
  expect(await here.uploads.objects.find(name)).toBeUndefined()
})

/** Longer than a caller of the service is let wait. */
const SLOWNESS_SECONDS = 21

it('copies over a line on which a part takes longer than a caller would wait', async () => {
  await uploaded(Buffer.alloc(64, 1))
  await using relay = await StorageRelay.open(env.STORAGE_ENDPOINT)
  relay.fateOf = async ({ method }) => {
    if (method === 'PUT') await sleep(SLOWNESS_SECONDS * 1000)
    return 'pass' as const
  }
  using far = openBuckets(storageOf({ ...env, STORAGE_ENDPOINT: relay.url }, elsewhere))
  expect(await copyAll(here, far)).toMatchObject({ objects: 1, bytes: 64 })
  expect(relay.asked.filter(({ method }) => method === 'PUT')).toHaveLength(1)
})

/**
 * As storage answers that encrypts with keys of its own: no ETag is a hash of the content, and only
 * who asks for an object is told so.
 */
const encrypting: Spoil = async ({ method, path }, ask) => {
  const answer = await ask()
  const etag = randomBytes(16).toString('hex')
  if (path.includes('list-type=2')) {
    const body = answer.body.toString().replaceAll(/(?<=<ETag>)[^<]*/g, `&quot;${etag}&quot;`)
    return { ...answer, body: Buffer.from(body) }
  }
  if (method !== 'HEAD' || answer.status !== 200) return answer
  const headers = { etag: `"${etag}"`, 'x-amz-server-side-encryption': 'aws:kms' }
  return { ...answer, headers: { ...answer.headers, ...headers } }
}

it('copies what storage encrypts once, though its lists have other hashes', async () => {
  const assetId = await uploaded(Buffer.alloc(64, 1))
  await putMedia(assetId, 'subtitles/x.vtt', 'words')
  await using relay = await SpoilingRelay.open(env.STORAGE_ENDPOINT, encrypting)
  using encrypted = openBuckets(storageOf({ ...env, STORAGE_ENDPOINT: relay.url }, elsewhere))
  expect(await copyAll(here, encrypted)).toMatchObject({ objects: 2, objectsKept: 0 })
  expect(await copyAll(here, encrypted)).toMatchObject({ objects: 0, objectsKept: 2 })
  await putMedia(assetId, 'subtitles/x.vtt', 'longer words')
  expect(await copyAll(here, encrypted)).toMatchObject({ objects: 1, objectsKept: 1 })
})
