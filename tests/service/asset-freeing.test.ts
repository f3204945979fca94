/** What a deleted asset held in storage is freed by a worker: soon, and again when its form can no longer be posted. */
import { UploadsBucket } from '@reelkeep/server/platform/storage/uploads-bucket.ts'
import {
  ApiProcess,
  Caller,
  newOrganization,
  openOwner,
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

/** A database of its own, because a worker takes whatever is promised in its database. */
const env = withDatabase(stackEnv(), 'freeing')
await resetDatabase(env)
const life = { UPLOAD_LIFETIME_SECONDS: '15', UPLOAD_TRANSFER_SECONDS_MAX: '1' }
const api = await opened(ApiProcess.start(life, env))
await opened(WorkerProcess.start({ settings: life, env }))
const bucket = new UploadsBucket(storageOf(env))
afterAll(() => bucket[Symbol.dispose]())

async function newCaller(): Promise<Caller> {
  await using owner = openOwner(env)
  const { organizationId, token } = await newOrganization(owner)
  return new Caller(api.send, organizationId, token)
}

const isStored = (key: string) => bucket.exists(key)
const freed = (key: string) =>
  expect.poll(() => isStored(key), { timeout: 60_000, interval: 100 }).toBe(false)

it('frees the file soon, and one that is posted with the same form afterwards when the form has ended', async () => {
  const caller = await newCaller()
  const session = await uploadAsset(caller)
  const { key } = session.client_payload
  expect(await isStored(key)).toBe(true)
  expect((await caller.delete(`assets/${session.asset.id}/`)).status).toBe(204)
  await freed(key)
  expect(await postForm(session)).toBe(204)
  expect(await isStored(key)).toBe(true)
  await freed(key)
})

it('frees the files of a folder that was deleted with all it holds, and nobody else’s', async () => {
  const caller = await newCaller()
  const { uuid: folder } = (
    await caller.post<{ uuid: string }>('assets/folders/', { title: 'Doomed' })
  ).body
  const [inside, beside] = [await uploadAsset(caller, { folder }), await uploadAsset(caller)]
  const waiting = await openSession(caller, { folder })
  expect((await caller.delete(`assets/folders/${folder}/?recursive=true`)).status).toBe(204)
  await freed(inside.client_payload.key)
  // Posted once more it goes with the second and last freeing, after which nothing else would.
  expect(await postForm(inside)).toBe(204)
  await freed(inside.client_payload.key)
  expect(await isStored(beside.client_payload.key)).toBe(true)
  expect((await caller.get(`assets/${waiting.asset.id}/`)).status).toBe(404)
})
