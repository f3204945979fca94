/** Tests that damaged published files are found and then refused, and that lost files of attempts are found. */
import type { subtitles } from '@reelkeep/contract'
import type { AssetId, OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import { administer } from '@reelkeep/server/main/admin.ts'
import { reconcileMedia } from '@reelkeep/server/maintenance/scrub/reconcile-media.ts'
import { scrub as scrubFiles } from '@reelkeep/server/maintenance/scrub/scrub.ts'
import {
  listPublished,
  recordPublished,
  removePublished,
} from '@reelkeep/server/modules/published-files/published-files.ts'
import { MediaBucket } from '@reelkeep/server/platform/storage/media-bucket.ts'
import { UploadsBucket } from '@reelkeep/server/platform/storage/uploads-bucket.ts'
import {
  assetToken,
  type Caller,
  Objects,
  openOwner,
  resetDatabase,
  runInProcess,
  Superuser,
  stackEnv,
  storageOf,
  TestApi,
  uploadAsset,
  withDatabase,
} from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'

const env = withDatabase(stackEnv(), 'scrub')
await resetDatabase(env)
const testApi = await opened(TestApi.open({}, env))
const superuser = await opened(Superuser.open(env))
const owner = openOwner(env)
const objects = new Objects(env, 'reelkeep-media')
const buckets = { media: new MediaBucket(storageOf(env)), uploads: new UploadsBucket(storageOf(env)) }
afterAll(async () => {
  for (const bucket of [objects, buckets.media, buckets.uploads]) bucket[Symbol.dispose]()
  await owner[Symbol.asyncDispose]()
})

const content = 'WEBVTT\n\n00:01.000 --> 00:02.000\nHello\n'

let caller: Caller
let assetId: string
let key: string
let path: string
let textPath: string
/** The subtitles as they were stored. */
let stored: string
beforeEach(async () => {
  caller = await testApi.newOrganization()
  assetId = (await uploadAsset(caller)).asset.id
  const { body } = await caller.post<subtitles.Subtitle>(`assets/${assetId}/subtitles/`, { language: 'en', content })
  const name = `subtitles/${body.id}.vtt`
  key = `${caller.organizationId}/${assetId}/${name}`
  const token = assetToken(testApi.context.tokenIssuer, { organizationId: caller.organizationId, assetId })
  textPath = `assets/${assetId}/subtitles/${body.id}/`
  stored = (await objects.find(key)) ?? ''
  path = `/play/${token}/${caller.organizationId}/${assetId}/${name}`
})

const play = () => testApi.send({ method: 'GET', path, headers: {}, body: undefined })
const scrub = () => runInProcess((io) => administer(['scrub-storage'], io), env)
const jobs = () =>
  superuser.query<{ name: string }>(
    `select name from dbos.workflow_status where workflow_uuid like $1 || '/%' and name in ('repair-files', 'tidy-outputs')`,
    [caller.organizationId],
  )
/** The keys that are recorded as damaged, of this organization. */
async function damagedKeys(): Promise<string[]> {
  const rows = await superuser.query<{ key: string }>(
    'select prefix || unnest(damaged) as key from published_files where organization_id = $1',
    [caller.organizationId],
  )
  return rows.map((row) => row.key)
}

describe('a scrub', () => {
  it('finds no damage in files that storage has as they were sent', async () => {
    const { code } = await scrub()
    expect({ code, damaged: await damagedKeys() }).toEqual({ code: 0, damaged: [] })
    expect((await play()).status).toBe(200)
  })

  it.each([
    ['has other bytes of the same length', () => objects.put(key, stored.replace('Hello', 'Jello'))],
    ['is shorter', () => objects.put(key, stored.slice(1))],
    ['is missing', async () => objects.delete({ key, version: 'null' })],
  ])('finds a file that %s, which is refused until it is repaired', async (_, damage) => {
    await damage()
    const { code, output } = await scrub()
    expect(code).toBe(1)
    expect(output).toContain(key)
    expect(await damagedKeys()).toEqual([key])
    const { status, headers } = await play()
    expect({ status, retryAfter: headers['retry-after'] }).toEqual({ status: 503, retryAfter: '10' })
    expect((await caller.get(textPath)).status).toBe(503)
    await objects.put(key, stored)
    await scrub()
    expect((await play()).status).toBe(200)
    expect((await caller.get(textPath)).status).toBe(200)
  })
})

/** The media bucket with changed answers to some requests. */
function changed(change: Partial<MediaBucket['objects']>): MediaBucket {
  const { media } = buckets
  const objects = Object.assign(Object.create(media.objects), bound(media.objects), change)
  return Object.assign(Object.create(media), { objects })
}

/** The methods of a class with private fields work only on its own instances. */
const bound = (objects: MediaBucket['objects']) => ({
  list: objects.list.bind(objects),
  prefixes: objects.prefixes.bind(objects),
  find: objects.find.bind(objects),
  read: objects.read.bind(objects),
})

it('a file that cannot be read does not stop the check of other files, and the scrub fails at its end', async () => {
  const other = await caller.post<subtitles.Subtitle>(`assets/${assetId}/subtitles/`, { language: 'de', content })
  const read: string[] = []
  const media = changed({
    read: async (name, range, signal) => {
      read.push(name.key)
      if (name.key === key) throw new Error('500 of storage')
      return buckets.media.objects.read(name, range, signal)
    },
  })
  const options = { bytesMax: 1e9, signal: new AbortController().signal, onDamaged: () => undefined }
  const scrubbing = scrubFiles(owner, media, { ...options, before: new Date() })
  await expect(scrubbing).rejects.toThrow('500 of storage')
  expect(read).toContain(`${caller.organizationId}/${assetId}/subtitles/${other.body.id}.vtt`)
  expect(await damagedKeys()).toEqual([])
})

it('a deleted track is not missing, whether a client or a step added it', async () => {
  const db = owner.forOrganization(caller.organizationId as OrganizationId)
  const prefix = `${caller.organizationId}/${assetId}/transcribe-1-0/`
  const text = await buckets.media.put({ key: `${prefix}a.vtt`, body: content, type: 'text/vtt' })
  const files = ['a.vtt', 'b.vtt', 'c.vtt'].map((name) => ({ name, ...text }))
  await recordPublished(db, assetId as AssetId, { prefix, step: 'transcribe', part: '', files })
  await removePublished(db, assetId as AssetId, `${prefix}b.vtt`)
  const rows = () => listPublished(db, assetId as AssetId)
  expect((await rows()).find((row) => row.prefix === prefix)?.files).toEqual(
    files.filter(({ name }) => name !== 'b.vtt'),
  )
  await removePublished(db, assetId as AssetId, `${prefix}a.vtt`)
  await removePublished(db, assetId as AssetId, `${prefix}c.vtt`)
  expect((await rows()).map((row) => row.prefix)).toEqual([key])
  await caller.delete(textPath)
  expect(await rows()).toEqual([])
})

describe('the daily comparison', () => {
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000)
  const reconcile = (now: Date, media = buckets.media) =>
    reconcileMedia(
      owner,
      { ...buckets, media },
      { now, signal: new AbortController().signal, onDamaged: () => undefined },
    )

  it('ignores a listing with an ETag that is no hash of the content, as of storage that encrypts with KMS', async () => {
    const media = changed({
      async *list(prefix) {
        for await (const object of buckets.media.objects.list(prefix)) yield { ...object, etag: 'f'.repeat(32) }
      },
    })
    await reconcile(new Date(), media)
    expect(await damagedKeys()).toEqual([])
    expect((await play()).status).toBe(200)
  })

  it('finds a replaced file', async () => {
    await objects.put(key, stored.replace('Hello', 'Jello'))
    const [row] = await superuser.query<{ at: Date }>(
      'select checked_at as at from published_files where prefix = $1',
      [key],
    )
    await reconcile(new Date())
    expect(await damagedKeys()).toEqual([key])
    expect((await play()).status).toBe(503)
    // The other files of the row were not read, so the scrub still reads them.
    expect(await superuser.query('select checked_at as at from published_files where prefix = $1', [key])).toEqual([
      row,
    ])
    await objects.put(key, stored)
    await scrub()
  })

  it('has the files of an attempt deleted that wrote after its outputs were cleaned up, a day later', async () => {
    await objects.put(`${caller.organizationId}/${assetId}/video-encode-7/240p/00000.m4s`, 'late')
    await reconcile(new Date())
    expect(await jobs()).toEqual([])
    await reconcile(inDays(2))
    expect(await jobs()).toEqual([{ name: 'tidy-outputs' }])
  })
})
