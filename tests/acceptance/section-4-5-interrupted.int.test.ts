import { formOf, PacedPost, postByCurl } from '@reelkeep/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Deployment, isExternal } from './deployment.ts'
import {
  expectCompleted,
  expectNothingArrived,
  expireByAsking,
  newFile,
  newSession,
  type Opened,
  passed,
  readAsset,
  readSession,
} from './uploads.ts'

const MEBIBYTE = 1024 ** 2
/** Storage checks the expiration of the form once, after the first few MiB of a file. */
const STARTED_BYTES = 8 * MEBIBYTE
const largeFile = newFile(12 * MEBIBYTE)

describe('4.5 An interrupted upload', () => {
  let deployment: Deployment
  beforeAll(async () => {
    deployment = await Deployment.open()
  })
  afterAll(() => deployment[Symbol.asyncDispose]())

  it.for([
    ['in the fields', 300],
    ['in the first bytes of the file', 10_000],
    ['after several chunks that storage has written', 10 * MEBIBYTE],
    ['just before the end', 12 * MEBIBYTE],
  ] as const)('[4.5.5] a disconnect %s leaves nothing in storage, and the session stays open', async ([, bytes]) => {
    const opened = await newSession(deployment.mine, deployment.unique())
    const form = formOf(opened.client_payload, largeFile)
    const post = new PacedPost(form)
    await post.send(bytes)
    await post.disconnect()
    await expectNothingArrived(deployment.mine, opened)
    expect(await postByCurl(form)).toMatchObject({ status: 204 })
    await expectCompleted(deployment.mine, opened, largeFile.length)
  })
})

describe.skipIf(isExternal)('4.5 An upload that ends after its session expires', () => {
  let deployment: Deployment
  beforeAll(async () => {
    deployment = await Deployment.open({
      UPLOAD_LIFETIME_SECONDS: '10',
      UPLOAD_TRANSFER_SECONDS_MAX: '1',
    })
  })
  afterAll(() => deployment[Symbol.asyncDispose]())

  const open = () => newSession(deployment.mine, deployment.unique())

  async function begin({ client_payload }: Opened): Promise<PacedPost> {
    const post = new PacedPost(formOf(client_payload, largeFile))
    await post.send(STARTED_BYTES)
    return post
  }

  it('[4.5.5, 8.2] 204: a session becomes Completed when its upload started in time and ends after expires_at', async () => {
    const opened = await open()
    const post = await begin(opened)
    await passed(opened.upload_session.expires_at)
    expect(await post.finish()).toMatchObject({ status: 204 })
    await expectCompleted(deployment.mine, opened, largeFile.length)
  })

  it('[4.5.5, 8.2, 3.3] 204: an Expired session becomes Completed when an upload that started in time ends', async () => {
    const opened = await open()
    const post = await begin(opened)
    await expireByAsking(deployment.mine, opened)
    expect(await readAsset(deployment.mine, opened)).toMatchObject({
      bytes: null,
      video: { status: 'Cancelled', error: { code: 'upload_expired' } },
    })
    expect(await post.finish()).toMatchObject({ status: 204 })
    await expectCompleted(deployment.mine, opened, largeFile.length)
  })

  it('[4.5.5, 8.2] 403: an upload that starts after expires_at is rejected, and the session is Expired', async () => {
    const opened = await open()
    await passed(opened.upload_session.expires_at)
    const { status } = await postByCurl(formOf(opened.client_payload, newFile(2000)))
    expect(status).toBe(403)
    await expireByAsking(deployment.mine, opened)
    expect(await readSession(deployment.mine, opened)).toMatchObject({
      status: 'Expired',
      error: null,
      ended_at: expect.any(String),
    })
  })
})
