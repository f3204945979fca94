import { formOf, postByCurl } from '@reelkeep/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Deployment } from './deployment.ts'
import { putPart, signParts } from './parts.ts'
import {
  complete,
  expectTaken,
  newFile,
  newSession,
  noticingTimeout,
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

describe("4.5 The end of an upload, by storage's own notification", () => {
  it(
    '[4.5.5, 1.4, 3.3] 204: the session becomes Completed, the asset Queued, without any further call',
    noticingTimeout,
    async () => {
      const opened = await open()
      await post(opened, 70_001)
      await sessionBecomes(deployment.mine, opened, 'Completed')
      await expectTaken(deployment.mine, opened, 70_001)
    },
  )

  it(
    '[4.5.5, 3.3] 204: a file that is none: Failed, and its asset says why',
    noticingTimeout,
    async () => {
      const opened = await open()
      await post(opened, 1)
      const { error } = await sessionBecomes(deployment.mine, opened, 'Failed')
      expect(error).toMatchObject({ code: 'upload_empty' })
      const { video } = await readAsset(deployment.mine, opened)
      expect(video).toMatchObject({ status: 'Error', error })
    },
  )

  it(
    '[4.5.5] 204: the form posted again after completion changes nothing',
    noticingTimeout,
    async () => {
      const opened = await open()
      await post(opened, 2000)
      const session = await sessionBecomes(deployment.mine, opened, 'Completed')
      await post(opened, 3000)
      // Storage tells things in their order: when the next upload is noticed, this one has been, too.
      const next = await open()
      await post(next, 2000)
      await sessionBecomes(deployment.mine, next, 'Completed')
      expect(await readSession(deployment.mine, opened)).toEqual(session)
      // Its processing may have gone on meanwhile: with the first file.
      expect(await readAsset(deployment.mine, opened)).toMatchObject({ bytes: 2000 })
    },
  )

  it(
    '[4.5.5] 200: the hint and the notification at once complete it once',
    noticingTimeout,
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

  it('[4.5.5] 200: parts that lie there are no file yet', noticingTimeout, async () => {
    const opened = await open()
    const { body } = await signParts(deployment.mine, opened, [1], 50_000)
    expect(await putPart(body.parts[0]?.url, newFile(50_000))).toBe(200)
    const next = await open()
    await post(next, 2000)
    await sessionBecomes(deployment.mine, next, 'Completed')
    expect(await readSession(deployment.mine, opened)).toMatchObject({ status: 'Uploading' })
  })
})
