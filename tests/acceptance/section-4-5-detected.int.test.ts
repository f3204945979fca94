import { formOf, postByCurl } from '@reelkeep/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Deployment } from './deployment.ts'
import { putPart, signParts } from './parts.ts'
import {
  complete,
  detectionTimeout,
  expectAccepted,
  newFile,
  newSession,
  type Opened,
  readAsset,
  readSession,
  sessionBecomes,
} from './uploads.ts'

let deployment: Deployment
beforeAll(async () => {
  deployment = await Deployment.openNotified('accept-noticed')
})
afterAll(() => deployment[Symbol.asyncDispose]())

const open = () => newSession(deployment.mine, deployment.unique())

async function post({ client_payload }: Opened, bytes: number): Promise<void> {
  expect(await postByCurl(formOf(client_payload, newFile(bytes)))).toMatchObject({ status: 204 })
}

describe('4.5 The end of an upload, detected by a storage notification', () => {
  it(
    '[4.5.5, 1.4, 3.3] 204: the session becomes Completed and the asset Queued without another request',
    detectionTimeout,
    async () => {
      const opened = await open()
      await post(opened, 70_001)
      await sessionBecomes(deployment.mine, opened, 'Completed')
      await expectAccepted(deployment.mine, opened, 70_001)
    },
  )

  it(
    '[4.5.5, 3.3] 204: the session of an invalid file becomes Failed, and its asset has the reason',
    detectionTimeout,
    async () => {
      const opened = await open()
      await post(opened, 1)
      const { error } = await sessionBecomes(deployment.mine, opened, 'Failed')
      expect(error).toMatchObject({ code: 'upload_empty' })
      const { video } = await readAsset(deployment.mine, opened)
      expect(video).toMatchObject({ status: 'Error', error })
    },
  )

  it('[4.5.5] 204: posting the form again after completion has no effect', detectionTimeout, async () => {
    const opened = await open()
    await post(opened, 2000)
    const session = await sessionBecomes(deployment.mine, opened, 'Completed')
    await post(opened, 3000)
    // Storage notifies in order: when the next upload is detected, this one has been detected too.
    const next = await open()
    await post(next, 2000)
    await sessionBecomes(deployment.mine, next, 'Completed')
    expect(await readSession(deployment.mine, opened)).toEqual(session)
    // Processing of the first file may have progressed.
    expect(await readAsset(deployment.mine, opened)).toMatchObject({ bytes: 2000 })
  })

  it(
    '[4.5.5] 200: a concurrent complete request and notification complete the session once',
    detectionTimeout,
    async () => {
      for (let round = 0; round < 5; round++) {
        const opened = await open()
        await post(opened, 2000)
        const { status, body } = await complete(deployment.mine, opened)
        expect({ status, body }).toMatchObject({ status: 200, body: { status: 'Completed' } })
        const { asset: _, ...session } = body
        const next = await open()
        await post(next, 2000)
        await sessionBecomes(deployment.mine, next, 'Completed')
        expect(await readSession(deployment.mine, opened)).toEqual(session)
      }
    },
  )

  it('[4.5.5] 200: uploaded parts alone do not complete the session', detectionTimeout, async () => {
    const opened = await open()
    const { body } = await signParts(deployment.mine, opened, [1], 50_000)
    expect(await putPart(body.parts[0]?.url, newFile(50_000))).toBe(200)
    const next = await open()
    await post(next, 2000)
    await sessionBecomes(deployment.mine, next, 'Completed')
    expect(await readSession(deployment.mine, opened)).toMatchObject({ status: 'Uploading' })
  })
})
