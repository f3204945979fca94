import { formOf, postByCurl, postByFetch } from '@reelkeep/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Deployment } from './deployment.ts'
import {
  complete,
  expectCompleted,
  expectNothingArrived,
  newFile,
  newSession,
  readAsset,
  readSession,
} from './uploads.ts'

let deployment: Deployment
beforeAll(async () => {
  deployment = await Deployment.open()
})
afterAll(() => deployment[Symbol.asyncDispose]())

const open = () => newSession(deployment.mine, deployment.unique())

describe('4.5 Upload the file to storage', () => {
  it.for([
    ['curl', postByCurl],
    ['fetch and FormData', postByFetch],
  ] as const)(
    '[4.5.1, 4.5.2, 4.5.3, 4.5.5, 1.4] 204: the form posted by %s; the session is Completed, the asset Queued',
    async ([, post]) => {
      const opened = await open()
      expect(await post(formOf(opened.client_payload, newFile(70_001)))).toEqual({
        status: 204,
        text: '',
      })
      await expectCompleted(deployment.mine, opened, 70_001)
    },
  )

  it("[4.5.1, 5.3] 204: the service's token is not needed; 403: nor is it enough", async () => {
    const opened = await open()
    const form = formOf(opened.client_payload, newFile(2000))
    const onlyKeyAndFile = {
      ...form,
      fields: form.fields.filter(([name]) => name === 'key' || name === 'file'),
    }
    const token = `Authorization: token ${deployment.mine.token}`
    for (const headers of [[], [token]]) {
      const { status } = await postByCurl(onlyKeyAndFile, headers)
      expect(status).toBeOneOf([400, 401, 403])
    }
    await expectNothingArrived(deployment.mine, opened)
    expect(await postByCurl(form)).toMatchObject({ status: 204 })
  })

  it('[4.5.1] 204: a file larger than storage reads at once, byte for byte counted', async () => {
    const opened = await open()
    const bytes = 9 * 1024 ** 2 + 1
    expect(await postByCurl(formOf(opened.client_payload, newFile(bytes)))).toMatchObject({
      status: 204,
    })
    await expectCompleted(deployment.mine, opened, bytes)
  })

  it('[4.5.1] 204: eight sessions at once, and none is mistaken for another', async () => {
    const sizes = Array.from({ length: 8 }, (_, number) => 1000 + number)
    await Promise.all(
      sizes.map(async (bytes) => {
        const opened = await open()
        await postByCurl(formOf(opened.client_payload, newFile(bytes)))
        await expectCompleted(deployment.mine, opened, bytes)
      }),
    )
  })
})

describe('4.5 The hint that the file is there', () => {
  it('[4.5.5] 409: before the file is there, and nothing changes', async () => {
    await expectNothingArrived(deployment.mine, await open())
  })

  it('[4.5.5] 200: repeated, by ten callers at once, it changes nothing', async () => {
    const opened = await open()
    await postByCurl(formOf(opened.client_payload, newFile(2000)))
    const hints = Array.from({ length: 10 }, () => complete(deployment.mine, opened))
    const answers = await Promise.all(hints)
    // The session is the same for all of them; the asset goes on meanwhile.
    const session = await readSession(deployment.mine, opened)
    const body = { ...session, asset: { id: opened.asset.id, bytes: 2000 } }
    for (const answer of answers) expect(answer).toMatchObject({ status: 200, body })
    expect(await complete(deployment.mine, opened)).toMatchObject({ status: 200, body })
  })
})

describe('4.5 The same form once more', () => {
  it('[4.5.5] 204: after completion: storage takes it, and the first file stays the one', async () => {
    const opened = await open()
    expect(await postByCurl(formOf(opened.client_payload, newFile(2000)))).toMatchObject({
      status: 204,
    })
    await expectCompleted(deployment.mine, opened, 2000)
    const session = await readSession(deployment.mine, opened)
    expect(await postByCurl(formOf(opened.client_payload, newFile(3000)))).toMatchObject({
      status: 204,
    })
    expect(await complete(deployment.mine, opened)).toMatchObject({ status: 200, body: session })
    // Its processing may have gone on meanwhile: with the first file.
    expect(await readAsset(deployment.mine, opened)).toMatchObject({ bytes: 2000 })
  })

  it('[4.5.5] 204: before anybody has looked: the file that was there first counts', async () => {
    const opened = await open()
    for (const bytes of [2000, 3000, 2500]) {
      const answer = await postByCurl(formOf(opened.client_payload, newFile(bytes)))
      expect(answer).toMatchObject({ status: 204 })
    }
    await expectCompleted(deployment.mine, opened, 2000)
  })
})
