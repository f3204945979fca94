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
    '[4.5.1, 4.5.2, 4.5.3, 4.5.5, 1.4] 204: posting the form with %s completes the session and queues the asset',
    async ([, post]) => {
      const opened = await open()
      expect(await post(formOf(opened.client_payload, newFile(70_001)))).toEqual({
        status: 204,
        text: '',
      })
      await expectCompleted(deployment.mine, opened, 70_001)
    },
  )

  it('[4.5.1, 5.3] 204, 403: storage neither requires the API token nor accepts it instead of the signed fields', async () => {
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

  it('[4.5.1] 204: a file larger than the read buffer of storage is stored completely', async () => {
    const opened = await open()
    const bytes = 9 * 1024 ** 2 + 1
    expect(await postByCurl(formOf(opened.client_payload, newFile(bytes)))).toMatchObject({
      status: 204,
    })
    await expectCompleted(deployment.mine, opened, bytes)
  })

  it('[4.5.1] 204: eight concurrent sessions do not interfere', async () => {
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

describe('4.5 Completing a session', () => {
  it('[4.5.5] 409: fails before the upload and has no effect', async () => {
    await expectNothingArrived(deployment.mine, await open())
  })

  it('[4.5.5] 200: ten concurrent requests have the same effect as one', async () => {
    const opened = await open()
    await postByCurl(formOf(opened.client_payload, newFile(2000)))
    const hints = Array.from({ length: 10 }, () => complete(deployment.mine, opened))
    const responses = await Promise.all(hints)
    // The session is the same in all responses; the asset may have progressed.
    const session = await readSession(deployment.mine, opened)
    const body = { ...session, asset: { id: opened.asset.id, bytes: 2000 } }
    for (const response of responses) expect(response).toMatchObject({ status: 200, body })
    expect(await complete(deployment.mine, opened)).toMatchObject({ status: 200, body })
  })
})

describe('4.5 Posting the form twice', () => {
  it('[4.5.5] 204: storage accepts a second file after completion, and the first file stays in use', async () => {
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
    // Processing of the first file may have progressed.
    expect(await readAsset(deployment.mine, opened)).toMatchObject({ bytes: 2000 })
  })

  it('[4.5.5] 204: the first of several files is used if all arrive before detection', async () => {
    const opened = await open()
    for (const bytes of [2000, 3000, 2500]) {
      const response = await postByCurl(formOf(opened.client_payload, newFile(bytes)))
      expect(response).toMatchObject({ status: 204 })
    }
    await expectCompleted(deployment.mine, opened, 2000)
  })
})
