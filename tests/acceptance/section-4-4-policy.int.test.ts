import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Deployment } from './deployment.ts'
import { newSession, renew } from './uploads.ts'

let deployment: Deployment
beforeAll(async () => {
  deployment = await Deployment.open()
})
afterAll(() => deployment[Symbol.asyncDispose]())

type Policy = { readonly expiration: string; readonly conditions: readonly unknown[] }

const policyOf = ({ policy }: { readonly policy: string }) =>
  JSON.parse(Buffer.from(policy, 'base64').toString()) as Policy

describe('4.4 The signed policy', () => {
  it('[4.4.9, 2.22] 201: restricts exactly bucket, key, credential fields and size', async () => {
    const opened = await newSession(deployment.mine, deployment.unique())
    const { upload_session: session, client_payload: payload } = opened
    const policy = policyOf(payload)
    const bucket = payload.upload_link.split('/').at(-1)
    expect(Object.keys(policy).sort()).toEqual(['conditions', 'expiration'])
    expect(policy.conditions).toHaveLength(6)
    expect(policy.conditions).toEqual(
      expect.arrayContaining([
        { bucket },
        { key: payload.key },
        { 'x-amz-algorithm': payload['x-amz-algorithm'] },
        { 'x-amz-credential': payload['x-amz-credential'] },
        { 'x-amz-date': payload['x-amz-date'] },
        ['content-length-range', 1, session.max_file_size_bytes],
      ]),
    )
  })

  it('[4.4.9, 2.13] 201: expires with the session, to the millisecond', async () => {
    const opened = await newSession(deployment.mine, deployment.unique())
    const { body: renewed } = await renew(deployment.mine, opened)
    for (const { upload_session: session, client_payload: payload } of [opened, renewed]) {
      expect(policyOf(payload).expiration).toBe(`${session.expires_at.slice(0, 23)}Z`)
    }
  })
})
