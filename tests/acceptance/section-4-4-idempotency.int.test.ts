import { randomUUID } from 'node:crypto'
import { formOf, postByCurl } from '@reelkeep/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Deployment } from './deployment.ts'
import { expectProblem } from './problems.ts'
import { cancel, complete, expectCompleted, newFile, type Opened, renew, SESSIONS } from './uploads.ts'

let deployment: Deployment
beforeAll(async () => {
  deployment = await Deployment.open()
})
afterAll(() => deployment[Symbol.asyncDispose]())

const create = (key: string, body: object, caller = deployment.mine) =>
  caller.post<Opened>(SESSIONS, body, { 'idempotency-key': key })

const input = () => ({ title: deployment.unique(), resolutions: ['360p'] })

const signedAt = ({ client_payload }: Opened) => client_payload['x-amz-date']

/** Maximum wait for a different signature. Signatures change every second, but a busy machine may be slower. */
const ANOTHER_SIGNATURE_SECONDS_MAX = 60

/** Repeats the request until the response has a later signature than `first`. */
async function repeatLater(key: string, body: object, first: Opened): Promise<Opened> {
  const deadline = performance.now() + ANOTHER_SIGNATURE_SECONDS_MAX * 1000
  while (performance.now() < deadline) {
    const response = await create(key, body)
    expect(response).toMatchObject({ status: 201 })
    if (signedAt(response.body) !== signedAt(first)) return response.body
  }
  throw new Error(`The fields are still those of ${signedAt(first)}`)
}

describe('4.4 Create an upload session, with an Idempotency-Key', () => {
  it('[4.4.1] 201: the same key and body return the same session and asset with a new signature', async () => {
    const [key, body] = [randomUUID(), input()]
    const { body: first } = await create(key, body)
    const again = await repeatLater(key, body, first)
    const { client_payload: payload, ...same } = again
    const { client_payload: firstPayload, ...firstSame } = first
    expect(same).toEqual(firstSame)
    expect([payload.key, payload.upload_link]).toEqual([firstPayload.key, firstPayload.upload_link])
    expect(payload['x-amz-signature']).not.toBe(firstPayload['x-amz-signature'])
  })

  it('[4.4.1] 201: the form of the first response and that of a repeated one can be posted', async () => {
    for (const chosen of ['first', 'again'] as const) {
      const [key, body] = [randomUUID(), input()]
      const { body: first } = await create(key, body)
      const responses = { first, again: await repeatLater(key, body, first) }
      const posted = await postByCurl(formOf(responses[chosen].client_payload, newFile(2000)))
      expect(posted).toMatchObject({ status: 204 })
      await expectCompleted(deployment.mine, first, 2000)
    }
  })

  it('[4.4.1] 201: a repeated request returns the new expiration time of a renewed session', async () => {
    const [key, body] = [randomUUID(), input()]
    const { body: first } = await create(key, body)
    const { body: renewed } = await renew(deployment.mine, first)
    const { body: again } = await create(key, body)
    expect(again.upload_session).toEqual(renewed.upload_session)
    expect(again.upload_session.expires_at > first.upload_session.expires_at).toBe(true)
  })

  it('[4.4.1] 201: a repeated request returns the first response after the session is completed', async () => {
    const [key, body] = [randomUUID(), input()]
    const first = await create(key, body)
    await postByCurl(formOf(first.body.client_payload, newFile(2000)))
    await complete(deployment.mine, first.body)
    expect(await create(key, body)).toMatchObject({ status: 201, text: first.text })
  })

  it('[4.4.1] 201: a repeated request returns the first response after the session is cancelled', async () => {
    const [key, body] = [randomUUID(), input()]
    const first = await create(key, body)
    await cancel(deployment.mine, first.body)
    expect(await create(key, body)).toMatchObject({ status: 201, text: first.text })
  })

  it('[4.4.1, 7.10] 409: rejects the same key with another body', async () => {
    const [key, body] = [randomUUID(), input()]
    const first = await create(key, body)
    const others = [{ title: `${body.title} other` }, { resolutions: ['720p'] }, { folder: null }]
    for (const other of others) {
      expectProblem(await create(key, { ...body, ...other }), 'idempotency_key_reused')
    }
    expect((await create(key, body)).body.upload_session).toEqual(first.body.upload_session)
  })

  it('[4.4.1, 7.10] 409: the stored response is returned only to the same token', async () => {
    const [key, body] = [randomUUID(), input()]
    const first = await create(key, body)
    const colleague = await deployment.newToken(['*'])
    const rejected = await create(key, body, colleague)
    expectProblem(rejected, 'idempotency_key_reused')
    expect(rejected.text).not.toContain(first.body.client_payload.key)
  })

  it('[4.4.1] 201: another organization may use the same key', async () => {
    const [key, body] = [randomUUID(), input()]
    const mine = await create(key, body)
    const theirs = await create(key, body, deployment.other)
    expect(theirs.status).toBe(201)
    expect(theirs.body.asset.id).not.toBe(mine.body.asset.id)
  })

  it('[4.4.1, 7.10] 201, 409: ten concurrent requests create one session', async () => {
    const [key, body] = [randomUUID(), input()]
    const responses = await Promise.all(Array.from({ length: 10 }, () => create(key, body)))
    const created = responses.filter(({ status }) => status === 201)
    expect(new Set(created.map(({ body }) => body.upload_session.uuid)).size).toBe(1)
    for (const response of responses.filter(({ status }) => status !== 201)) {
      expectProblem(response, 'idempotency_key_in_use')
    }
  })

  it('[4.4.1] 201: a key can be reused after a failed request', async () => {
    const [key, body] = [randomUUID(), input()]
    const rejected = await create(key, { ...body, folder: '11111111111' })
    expectProblem(rejected, 'target_folder_not_found')
    expect(await create(key, body)).toMatchObject({ status: 201 })
  })
})
