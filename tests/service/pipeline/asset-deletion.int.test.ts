/**
 * Tests that a worker deletes the stored files of a deleted asset: soon after the deletion, and again after its upload
 * form has expired.
 */
import { UploadsBucket } from '@reelkeep/server/platform/storage/uploads-bucket.ts'
import {
  ApiProcess,
  newCaller,
  openSession,
  postForm,
  resetDatabase,
  stackEnv,
  storageOf,
  uploadAsset,
  WorkerProcess,
  withDatabase,
} from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterAll, expect, it } from 'vitest'

/** The test has its own database, because a worker claims every job in its database. */
const env = withDatabase(stackEnv(), 'freeing')
await resetDatabase(env)
const life = { UPLOAD_LIFETIME_SECONDS: '30', UPLOAD_TRANSFER_SECONDS_MAX: '1' }
const api = await opened(ApiProcess.start(life, env))
await opened(WorkerProcess.start({ settings: life, env }))
const bucket = new UploadsBucket(storageOf(env))
afterAll(() => bucket[Symbol.dispose]())

const isStored = (key: string) => bucket.exists(key)
const freed = (key: string) => expect.poll(() => isStored(key), { timeout: 60_000, interval: 100 }).toBe(false)

it("a purged asset's file is deleted soon, and a file posted later with the same form is deleted after the form expires", async () => {
  const caller = await newCaller(api.send, env)
  const session = await uploadAsset(caller)
  const { key } = session.client_payload
  expect(await isStored(key)).toBe(true)
  expect((await caller.delete(`assets/${session.asset.id}/?permanently=true`)).status).toBe(204)
  await freed(key)
  expect(await postForm(session)).toBe(204)
  await freed(key)
})

it('purging a folder with its contents deletes the files of its assets and no others', async () => {
  const caller = await newCaller(api.send, env)
  const { uuid: folder } = (await caller.post<{ uuid: string }>('assets/folders/', { title: 'Doomed' })).body
  const [inside, beside] = [await uploadAsset(caller, { folder }), await uploadAsset(caller)]
  const waiting = await openSession(caller, { folder })
  expect((await caller.delete(`assets/folders/${folder}/?recursive=true&permanently=true`)).status).toBe(204)
  await freed(inside.client_payload.key)
  // A file that is posted again is deleted by the second and last run of the deletion job.
  expect(await postForm(inside)).toBe(204)
  await freed(inside.client_payload.key)
  expect(await isStored(beside.client_payload.key)).toBe(true)
  expect((await caller.get(`assets/${waiting.asset.id}/`)).status).toBe(404)
})
