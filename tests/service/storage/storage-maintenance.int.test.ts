/** Tests the operator's storage commands: backup, restore, and reconciliation of database and buckets. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { ListMultipartUploadsCommand } from '@aws-sdk/client-s3'
import type { versions } from '@reelkeep/contract'
import type { OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import { administer } from '@reelkeep/server/main/admin.ts'
import { type Buckets, openBuckets } from '@reelkeep/server/maintenance/buckets.ts'
import { deleteOrphans } from '@reelkeep/server/maintenance/orphans/delete-orphans.ts'
import { findOrphans, isOfAsset, type Orphan } from '@reelkeep/server/maintenance/orphans/orphans.ts'
import { reconcile } from '@reelkeep/server/maintenance/reconcile.ts'
import { resumeOrganization, suspendOrganization } from '@reelkeep/server/modules/suspension/suspension.ts'
import { BucketSettings } from '@reelkeep/server/platform/storage/setup/bucket-settings.ts'
import {
  type Caller,
  commandEnvironment,
  formOf,
  HttpProxy,
  Objects,
  openOwner,
  openSession,
  Publisher,
  postByFetch,
  postForm,
  resetDatabase,
  root,
  runInProcess,
  setUpUploads,
  stackEnv,
  storageOf,
  TestApi,
  uploadAsset,
  withDatabase,
} from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterAll, beforeEach, expect, it } from 'vitest'

const names = {
  STORAGE_UPLOADS_BUCKET: 'reelkeep-upkeep',
  STORAGE_MEDIA_BUCKET: 'reelkeep-upkeep-media',
}
const copies = {
  STORAGE_UPLOADS_BUCKET: 'reelkeep-upkeep-copies',
  STORAGE_MEDIA_BUCKET: 'reelkeep-upkeep-media-copies',
}
// The test has its own database and buckets, because the commands read all data in them.
const env = { ...withDatabase(stackEnv(), 'upkeep'), ...names }
const backup = {
  BACKUP_STORAGE_ENDPOINT: env.STORAGE_ENDPOINT,
  BACKUP_STORAGE_ACCESS_KEY_ID: env.STORAGE_ACCESS_KEY_ID,
  BACKUP_STORAGE_SECRET_ACCESS_KEY: env.STORAGE_SECRET_ACCESS_KEY,
  BACKUP_STORAGE_UPLOADS_BUCKET: copies.STORAGE_UPLOADS_BUCKET,
  BACKUP_STORAGE_MEDIA_BUCKET: copies.STORAGE_MEDIA_BUCKET,
}
await Promise.all([resetDatabase(env), setUpUploads(env, names)])
const testApi = await opened(TestApi.open(names, env))
const publisher = await opened(Publisher.open(env))
const live = openBuckets(storageOf(env))
const copied = openBuckets(storageOf(env, copies))
afterAll(() => {
  live[Symbol.dispose]()
  copied[Symbol.dispose]()
})

// Deletes objects that earlier runs left for a deleted database.
await setUpUploads(env, copies)
for (const { uploads, media } of [live, copied]) {
  for (const bucket of [uploads, media]) {
    for await (const prefix of bucket.objects.prefixes('')) await bucket.deleteAll(prefix)
  }
}

const run = (args: readonly string[], settings: Record<string, string> = {}) =>
  runInProcess((io) => administer(args, io), { ...env, ...backup, ...settings })

/** Runs an admin command with `--json` and parses its output. */
async function admin(...args: string[]): Promise<{ code: number; result: Result; error: string }> {
  const { code, output, error } = await run([...args, '--json'])
  return { code, result: output === '' ? {} : (JSON.parse(output) as Result), error }
}
type Result = Record<string, unknown>

/** Objects of earlier tests remain, so each test checks only its own rows. */
let caller: Caller
beforeEach(async () => {
  caller = await testApi.newOrganization()
})
const ofCaller = (rows: unknown) =>
  (rows as Result[]).filter((row) => JSON.stringify(row).includes(caller.organizationId))

/** Publishes two segments and a cover, and completes the video. */
async function publishMedia(assetId: string): Promise<void> {
  const published = { organizationId: caller.organizationId, assetId }
  const track = { name: '360p', width: 640, height: 360, bitrateMax: 1, segmentsTotal: 2 }
  await publisher.plan(published, {
    durationSeconds: 8,
    frameRate: { numerator: 25, denominator: 1 },
    ...{ segmentFrames: 100, gopFrames: 50, audio: null },
    tracks: [{ ...track, codecs: 'avc1.64001e' }],
  })
  const segment = { body: 'moving pictures', seconds: 4 }
  await publisher.publish(published, {
    ...{ track: '360p', firstSegment: 0, attempt: 'video-encode-1', init: 'init' },
    segments: [segment, segment],
  })
  await publisher.showPictures(published, 'video-pictures-2', {
    ...{ cover: 'cover.jpg', thumbnails: [], storyboard: 'storyboard.vtt' },
  })
  await publisher.setLength(published, 8)
  await publisher.setStatus(published, 'Completed')
}

/** Creates a completely published video with two segments, a cover and uploaded subtitles. */
async function publishedVideo() {
  const { asset, client_payload } = await uploadAsset(caller)
  await publishMedia(asset.id)
  const content = 'WEBVTT\n\n00:00.000 --> 00:01.000\nwords\n'
  const words = await caller.post<{ id: string }>(`assets/${asset.id}/subtitles/`, {
    ...{ language: 'de', content },
  })
  expect(words.status).toBe(201)
  const prefix = `${caller.organizationId}/${asset.id}/`
  return {
    assetId: asset.id,
    prefix,
    source: client_payload.key,
    segment: `${prefix}video-encode-1/360p/00001.m4s`,
    cover: `${prefix}video-pictures-2/cover.jpg`,
    words: `${prefix}subtitles/${words.body.id}.vtt`,
  }
}

it('backup-storage copies each referenced object once, and restore-storage restores all objects after a loss', async () => {
  const video = await publishedVideo()
  const first = await admin('backup-storage')
  expect(first).toMatchObject({ code: 0, result: { objects_missing: 0, objects_failed: 0 } })
  expect((await admin('backup-storage')).result).toMatchObject({ objects: 0, bytes: 0 })
  await live.uploads.deleteAll(video.prefix)
  await live.media.deleteAll(video.prefix)
  const afterLoss = await admin('reconcile-storage')
  expect(afterLoss.code).toBe(1)
  expect(ofCaller(afterLoss.result['missing']).map(({ missing }) => missing)).toEqual([
    'source',
    'segments',
    'thumbnails',
    'uploaded_subtitles',
  ])
  expect(await admin('restore-storage')).toMatchObject({
    code: 0,
    result: { objects: 7, relinked: 1 },
  })
  expect(await admin('reconcile-storage')).toMatchObject({ code: 0, result: { consistent: true } })
  expect(await live.media.findText(video.cover)).toBe('cover.jpg')
  expect(await admin('reconcile-storage', '--backup')).toMatchObject({ code: 0 })
})

it('reconcile-storage and backup-storage treat the files of all versions as referenced, also those that are not shown', async () => {
  const video = await publishedVideo()
  const { body } = await caller.post<versions.NewVersion>(`assets/${video.assetId}/versions/`, {})
  await postForm(body)
  await caller.post(`assets/upload-sessions/${body.upload_session.uuid}/complete/`)
  const mediaId = body.client_payload.key.split('/')[1] ?? ''
  await publishMedia(mediaId)
  expect((await caller.post(`assets/${video.assetId}/versions/2/activate/`)).status).toBe(200)
  const { result } = await admin('reconcile-storage')
  expect([ofCaller(result['missing']), ofCaller(result['orphans'])]).toEqual([[], []])
  expect(await admin('backup-storage')).toMatchObject({ code: 0, result: { objects_missing: 0, objects_failed: 0 } })
  const prefix = `${caller.organizationId}/${mediaId}/`
  for (const lost of [prefix, video.prefix]) {
    await live.uploads.deleteAll(lost)
    await live.media.deleteAll(lost)
  }
  const missing = ofCaller((await admin('reconcile-storage')).result['missing'])
  expect(new Set(missing.map(({ asset }) => asset))).toEqual(new Set([video.assetId, mediaId]))
  expect(await admin('restore-storage')).toMatchObject({ code: 0, result: { relinked: 2 } })
  expect(ofCaller((await admin('reconcile-storage')).result['missing'])).toEqual([])
  expect((await caller.post(`assets/${video.assetId}/versions/1/activate/`)).status).toBe(200)
})

it('reconcile-storage, backup-storage and restore-storage include all versions of subtitles', async () => {
  const video = await publishedVideo()
  const id = video.words.slice(video.words.lastIndexOf('/') + 1, -'.vtt'.length)
  const track = `assets/${video.assetId}/subtitles/${id}/`
  const content = 'WEBVTT\n\n00:00.000 --> 00:01.000\nother words\n'
  expect((await caller.put(track, { content })).status).toBe(200)
  const clean = await admin('reconcile-storage')
  expect([ofCaller(clean.result['missing']), ofCaller(clean.result['orphans'])]).toEqual([[], []])
  expect(await admin('backup-storage')).toMatchObject({ code: 0, result: { objects_missing: 0, objects_failed: 0 } })
  await live.media.deleteAll(`${video.prefix}subtitles/`)
  const { result } = await admin('reconcile-storage')
  expect(ofCaller(result['missing'])).toMatchObject([{ missing: 'uploaded_subtitles', objects: 2, of: 2 }])
  expect(await admin('restore-storage')).toMatchObject({ code: 0 })
  for (const number of [1, 2]) expect((await caller.send('GET', `${track}versions/${number}/`)).text).toContain('words')
})

it('reconcile-storage lists the missing objects of a video with a remedy, and with --retry encodes them again', async () => {
  const video = await publishedVideo()
  for (const key of [video.segment, video.words]) await live.media.deleteAll(key)
  const { code, result } = await admin('reconcile-storage')
  const about = { organization: caller.organizationId, asset: video.assetId, objects: 1 }
  expect(code).toBe(1)
  expect(ofCaller(result['missing'])).toEqual([
    { missing: 'segments', ...about, of: 3, first: video.segment, remedy: 'retry' },
    { missing: 'uploaded_subtitles', ...about, of: 1, first: video.words, remedy: 'restore' },
  ])
  expect(await admin('reconcile-storage', '--retry')).toMatchObject({
    code: 1,
    result: { retried: 1 },
  })
  const asset = await caller.get(`assets/${video.assetId}/`)
  expect(asset.body).toMatchObject({ video: { status: 'Queued', duration: 8 } })
  // The file and its duration stay the same, so chapters can be added while the video is encoded again.
  const chapters = [{ title: 'Meanwhile', start_time: '00:00:07' }]
  const added = await caller.post(`assets/${video.assetId}/chapters/`, { chapters })
  expect(added.status).toBe(201)
  await caller.delete(`assets/${video.assetId}/?permanently=true`)
  await live.media.deleteAll(video.prefix)
  await live.uploads.deleteAll(video.prefix)
})

it('reconcile-storage lists orphans, and deletes them only with --delete-orphans and after a day', async () => {
  const prefix = `${caller.organizationId}/${stray}/`
  await live.media.put({ key: `${prefix}video-encode-1/a`, body: 'abc', type: 'text/plain' })
  await live.media.put({ key: 'README/not-ours', body: 'x', type: 'text/plain' })
  const waiting = await openSession(caller)
  const found = await admin('reconcile-storage', '--delete-orphans')
  expect(found).toMatchObject({ code: 1, result: { deleted: 0, consistent: false } })
  expect(ofCaller(found.result['orphans'])).toMatchObject([{ orphan: 'media', prefix, objects: 1, bytes: 3 }])
  await using owner = openOwner(env)
  const dayLater = { ...deleting, now: new Date(Date.now() + 25 * 3600 * 1000) }
  // Without --orphans-max the deletion is refused, because more than a tenth of the stored objects are orphans.
  const rejected = await reconcile(owner, live, { ...dayLater, orphansMax: undefined })
  expect(rejected.deletion).toMatchObject({
    deleted: 0,
    refusal: expect.stringContaining('a tenth'),
  })
  expect(await live.media.findText(`${prefix}video-encode-1/a`)).toBe('abc')
  const { deletion, orphans } = await reconcile(owner, live, dayLater)
  expect(deletion).toEqual({ deleted: 1, refusal: undefined })
  expect(JSON.stringify(orphans)).not.toContain(waiting.asset.id)
  expect(await live.media.findText(`${prefix}video-encode-1/a`)).toBeUndefined()
  expect(await live.media.findText('README/not-ours')).toBe('x')
  await live.media.deleteAll('README/')
})

const stray = '0190b3f0-0000-7000-8000-00000000dead'
const deleting = {
  sources: 'linked',
  isRetrying: false,
  deletesOrphans: true,
  orphansMax: 100,
} as const
const yearsLater = new Date(Date.now() + 2 * 365 * 24 * 3600 * 1000)
const putStray = async (organization: string, { media }: Pick<Buckets, 'media'> = live) => {
  const key = `${organization}/${stray}/a`
  await media.put({ key, body: 'abc', type: 'text/plain' })
  return key
}

it('the storage commands back up, restore and compare a suspended organization, and delete none of its objects', async () => {
  const video = await publishedVideo()
  const left = await putStray(caller.organizationId)
  await admin('suspend-organization', caller.organizationId)
  expect(await admin('backup-storage')).toMatchObject({
    code: 0,
    result: { objects: 7, organizations_elsewhere: 0 },
  })
  for (const bucket of [live.uploads, live.media]) await bucket.deleteAll(video.prefix)
  await using owner = openOwner(env)
  const reconcileLater = () => reconcile(owner, live, { ...deleting, now: yearsLater })
  const afterLoss = await reconcileLater()
  expect(ofCaller(afterLoss.missing.rows)).toHaveLength(4)
  expect(afterLoss).toMatchObject({ isConsistent: false, deletion: { deleted: 0 } })
  expect(await admin('restore-storage')).toMatchObject({
    code: 0,
    result: { objects: 7, relinked: 1 },
  })
  expect(ofCaller((await reconcileLater()).missing.rows)).toEqual([])
  expect(await live.media.findText(left)).toBe('abc')
  await admin('resume-organization', caller.organizationId)
  await live.media.deleteAll(left)
})

it('the storage commands neither delete nor check objects of an organization that is unknown or being moved here', async () => {
  const uploaded = await uploadAsset(caller)
  await live.uploads.deleteAll(uploaded.client_payload.key)
  const ofArriving = await putStray(caller.organizationId)
  const ofOther = await putStray('nobody99')
  await using owner = openOwner(env)
  const id = caller.organizationId as OrganizationId
  await suspendOrganization(owner, id, 'arriving')
  const { missing, orphans, deletion, elsewhere } = await reconcile(owner, live, {
    ...deleting,
    now: yearsLater,
  })
  expect({ deleted: deletion.deleted, elsewhere }).toEqual({ deleted: 0, elsewhere: 1 })
  expect([...ofCaller(missing.rows), ...ofCaller(orphans.rows)]).toEqual([])
  expect(orphans.rows).toMatchObject([{ prefix: 'nobody99/', assetId: undefined }])
  for (const key of [ofArriving, ofOther]) expect(await live.media.findText(key)).toBe('abc')
  const backedUp = await admin('backup-storage')
  expect(ofCaller(backedUp.result['missing'])).toEqual([])
  expect(backedUp.result).toMatchObject({ organizations_elsewhere: 1 })
  expect((await admin('restore-storage')).error).not.toContain('RK001')
  await resumeOrganization(owner, id, 'arriving')
  await caller.delete(`assets/${uploaded.asset.id}/`)
  for (const key of [ofArriving, ofOther]) await live.media.deleteAll(key)
})

it('deleteOrphans keeps objects that are referenced again or belong to a suspended organization', async () => {
  const { asset, client_payload } = await uploadAsset(caller)
  const key = await putStray(caller.organizationId)
  await using owner = openOwner(env)
  const rows = await Array.fromAsync(findOrphans(owner, live, () => {}))
  const [orphan] = rows.filter(isOfAsset)
  if (!orphan) throw new Error('The orphan was not found')
  const assetId = asset.id as typeof orphan.assetId
  const prefix = `${caller.organizationId}/${asset.id}/`
  const restored = { ...orphan, bucket: 'uploads', assetId, prefix } as const
  const deleteFound = (...found: Orphan[]) =>
    deleteOrphans(
      { database: owner, buckets: live },
      { rows: found, ofAssets: found.length, checked: found.length },
      { kind: 'live', orphansMax: 2, now: yearsLater },
    )
  await admin('suspend-organization', caller.organizationId)
  expect(await deleteFound(orphan)).toMatchObject({ deleted: 0 })
  expect(await live.media.findText(key)).toBe('abc')
  await admin('resume-organization', caller.organizationId)
  expect(await deleteFound(restored, orphan)).toEqual({ deleted: 1, refusal: undefined })
  expect(await live.media.findText(key)).toBeUndefined()
  expect(await live.uploads.exists(client_payload.key)).toBe(true)
})

it('deleteOrphans deletes nothing if the database is not the one that references the objects', async () => {
  await uploadAsset(caller)
  await using wrong = openOwner()
  const rows = await Array.fromAsync(findOrphans(wrong, live, () => {}))
  expect(ofCaller(rows)).toMatchObject([{ bucket: 'uploads', prefix: `${caller.organizationId}/` }])
  const found = { rows, ofAssets: rows.length, checked: rows.length }
  const options = { kind: 'live', orphansMax: rows.length, now: yearsLater } as const
  expect(await deleteOrphans({ database: wrong, buckets: live }, found, options)).toMatchObject({
    deleted: 0,
  })
})

it('reconcile keeps unreferenced objects in a backup for thirty days after it first finds them', async () => {
  const key = await putStray(caller.organizationId, copied)
  await using owner = openOwner(env)
  const reconcileAfter = (days: number) =>
    reconcile(owner, copied, {
      ...deleting,
      sources: 'copied',
      now: new Date(yearsLater.getTime() + days * 24 * 3600 * 1000),
    })
  for (const days of [0, 29]) {
    expect(ofCaller((await reconcileAfter(days)).orphans.rows)).toHaveLength(1)
    expect(await copied.media.findText(key)).toBe('abc')
  }
  await reconcileAfter(30)
  expect(await copied.media.findText(key)).toBeUndefined()
})

it('reconcile-storage --backup lists objects that the backup lacks, and backup-storage lists missing source files', async () => {
  const { asset, client_payload } = await uploadAsset(caller)
  const behind = await admin('reconcile-storage', '--backup')
  expect(behind.code).toBe(1)
  expect(ofCaller(behind.result['missing'])).toMatchObject([{ missing: 'source', asset: asset.id }])
  await live.uploads.deleteAll(client_payload.key)
  const { code, result } = await admin('backup-storage')
  expect(code).toBe(1)
  expect(ofCaller(result['missing'])).toEqual([
    { missing: client_payload.key, organization: caller.organizationId, asset: asset.id },
  ])
  await caller.delete(`assets/${asset.id}/`)
})

it('backup-storage aborts its multipart upload when it is stopped, and storage deletes abandoned parts if it is killed', async () => {
  const session = await openSession(caller)
  await postByFetch(formOf(session.client_payload, Buffer.alloc(17 * 2 ** 20)))
  await caller.post(`assets/upload-sessions/${session.upload_session.uuid}/complete/`)
  await using proxy = await HttpProxy.open(env.STORAGE_ENDPOINT)
  const isAtLastPart = Promise.withResolvers<void>()
  proxy.rules = [{ match: ({ path }) => path.includes('partNumber=2'), action: () => isAtLastPart.resolve() }]
  const bucket = 'reelkeep-upkeep-stopped'
  const stopped = { uploadsBucket: bucket, mediaBucket: `${bucket}-media` }
  const command = [join(root, 'server/src/main/admin.ts'), 'backup-storage']
  const child = spawn(process.execPath, command, {
    env: {
      ...{ ...commandEnvironment, ...env, ...backup, BACKUP_STORAGE_ENDPOINT: proxy.url },
      BACKUP_STORAGE_UPLOADS_BUCKET: stopped.uploadsBucket,
      BACKUP_STORAGE_MEDIA_BUCKET: stopped.mediaBucket,
    },
  })
  const stderr = text(child.stderr)
  const ended = once(child, 'exit')
  await isAtLastPart.promise
  child.kill('SIGTERM')
  expect(await ended).toEqual([1, null])
  expect(await stderr).toContain('reelkeep admin: Interrupted. Run the command again to continue.\n')
  using inside = new Objects(env, bucket)
  const { Uploads = [] } = await inside.client.send(
    new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: session.client_payload.key }),
  )
  expect(Uploads).toEqual([])
  using settings = new BucketSettings({ ...storageOf(env), ...stopped })
  const { signal } = new AbortController()
  for (const each of ['uploads', 'media'] as const)
    expect(await settings.deletesAbandonedParts(each, signal)).toBe(true)
})

it('backup-storage names a missing setting', async () => {
  const { code, error } = await run(['backup-storage'], { BACKUP_STORAGE_ENDPOINT: '' })
  expect(code).toBe(1)
  expect(error).toContain('BACKUP_STORAGE_ENDPOINT: is required but not set')
})

it.each([
  ['restore-storage', [], { STORAGE_MEDIA_BUCKET: 'reelkeep-upkeep-none' }, 'Run setup-storage.'],
  ['reconcile-storage', [], { STORAGE_UPLOADS_BUCKET: 'reelkeep-upkeep-none' }, 'Run setup-storage.'],
  ['restore-storage', [], { BACKUP_STORAGE_UPLOADS_BUCKET: 'reelkeep-upkeep-none' }, 'Run backup-storage'],
  ['reconcile-storage', ['--backup'], { BACKUP_STORAGE_MEDIA_BUCKET: 'reelkeep-upkeep-none' }, 'Run backup-storage'],
])(
  'a missing bucket is reported in one line with the command that creates it: %s %j %j',
  async (name, options, missing, hint) => {
    const { code, error } = await run([name, ...options], missing)
    expect(code).toBe(1)
    expect(error).toContain(hint)
    expect(error.trim().split('\n')).toHaveLength(1)
  },
)

it.each([['backup-storage'], ['restore-storage'], ['reconcile-storage', '--backup', '--delete-orphans']])(
  'a backup bucket that the service itself uses is rejected: %s',
  async (...args) => {
    const same = { BACKUP_STORAGE_MEDIA_BUCKET: env.STORAGE_MEDIA_BUCKET }
    const { code, error } = await run(args, same)
    expect(code).toBe(1)
    expect(error).toContain(`The bucket ${env.STORAGE_MEDIA_BUCKET} is used by the service`)
  },
)
