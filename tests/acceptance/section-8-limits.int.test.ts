import { formOf, postByCurl } from '@reelkeep/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Deployment, isExternal } from './deployment.ts'
import { expectProblem, fieldsOf } from './problems.ts'
import {
  complete,
  expectCompleted,
  expectNothingArrived,
  newFile,
  newSession,
  passed,
  readSession,
  renew,
  SESSIONS,
} from './uploads.ts'

const GIBIBYTE = 1024 ** 3

describe('8. Default limits', () => {
  let deployment: Deployment
  beforeAll(async () => {
    deployment = await Deployment.open()
  })
  afterAll(() => deployment[Symbol.asyncDispose]())

  const open = (more: object = {}) => newSession(deployment.mine, deployment.unique(), more)

  it.skipIf(isExternal)('[8.1, 2.12] 201: max_file_size_bytes is 5 GiB', async () => {
    expect((await open()).upload_session.max_file_size_bytes).toBe(5 * GIBIBYTE)
  })

  it.skipIf(isExternal)('[8.1, 2.12] 201: a declared file_size_bytes is the max_file_size_bytes', async () => {
    for (const file_size_bytes of [1000, 5 * GIBIBYTE, 5 * GIBIBYTE + 1, 6 * GIBIBYTE]) {
      const { upload_session: session } = await open({ file_size_bytes })
      expect(session.max_file_size_bytes).toBe(file_size_bytes)
      expect(session.parts_only).toBe(file_size_bytes > 5 * GIBIBYTE ? true : undefined)
    }
  })

  it.skipIf(isExternal)('[8.2, 2.13] 201: a session expires six hours after its creation', async () => {
    const before = Date.now()
    const { upload_session: session } = await open()
    const [least, most] = [before, Date.now()].map((time) => time + 6 * 3600 * 1000)
    expect(Date.parse(session.expires_at)).toBeGreaterThanOrEqual((least ?? 0) - 1)
    expect(Date.parse(session.expires_at)).toBeLessThanOrEqual(most ?? 0)
  })

  it('[8.2, 2.13] 200: renew extends expires_at, and the new form can be posted', async () => {
    const opened = await open()
    const { status, body: renewed } = await renew(deployment.mine, opened)
    expect(status).toBe(200)
    expect(renewed.asset).toEqual(opened.asset)
    const { expires_at: later, ...same } = renewed.upload_session
    const { expires_at: earlier, ...before } = opened.upload_session
    expect(same).toEqual(before)
    expect(later > earlier).toBe(true)
    expect(await readSession(deployment.mine, opened)).toMatchObject(renewed.upload_session)
    expect(await postByCurl(formOf(renewed.client_payload, newFile(2000)))).toMatchObject({
      status: 204,
    })
    await expectCompleted(deployment.mine, opened, 2000)
  })
})

describe.skipIf(isExternal)('8. max_file_size_bytes', () => {
  const BYTES_MAX = 100_000

  let deployment: Deployment
  beforeAll(async () => {
    deployment = await Deployment.open({
      UPLOAD_FORM_BYTES_MAX: String(BYTES_MAX),
      UPLOAD_PARTS_BYTES_MAX: String(2 * BYTES_MAX),
    })
  })
  afterAll(() => deployment[Symbol.asyncDispose]())

  const open = () => newSession(deployment.mine, deployment.unique())

  it('[8.1, 4.5.5] 204: accepts a file of exactly the maximum size', async () => {
    const opened = await open()
    expect(opened.upload_session.max_file_size_bytes).toBe(BYTES_MAX)
    const response = await postByCurl(formOf(opened.client_payload, newFile(BYTES_MAX)))
    expect(response).toMatchObject({ status: 204 })
    await expectCompleted(deployment.mine, opened, BYTES_MAX)
  })

  it.for([
    ['a file that is one byte too large', BYTES_MAX + 1, 'EntityTooLarge'],
    ['a file that is far too large', 200 * BYTES_MAX, 'EntityTooLarge'],
    ['an empty file', 0, 'EntityTooSmall'],
  ] as const)('[8.1, 4.5.5] 400: storage rejects %s, and the session stays open', async ([, bytes, code]) => {
    const opened = await open()
    const response = await postByCurl(formOf(opened.client_payload, newFile(bytes)))
    expect(response.status).toBe(400)
    expect(response.text).toContain(`<Code>${code}</Code>`)
    await expectNothingArrived(deployment.mine, opened)
    await postByCurl(formOf(opened.client_payload, newFile(BYTES_MAX)))
    await expectCompleted(deployment.mine, opened, BYTES_MAX)
  })

  it('[8.1, 4.5.5] 400: storage rejects a file that is larger than declared, and accepts the declared one', async () => {
    const opened = await newSession(deployment.mine, deployment.unique(), { file_size_bytes: 5000 })
    const response = await postByCurl(formOf(opened.client_payload, newFile(5001)))
    expect(response.status).toBe(400)
    expect(response.text).toContain('<Code>EntityTooLarge</Code>')
    await expectNothingArrived(deployment.mine, opened)
    await postByCurl(formOf(opened.client_payload, newFile(5000)))
    await expectCompleted(deployment.mine, opened, 5000)
  })

  it('[8.1] 400: rejects a session for a file over the limit of the service', async () => {
    const input = { title: deployment.unique(), resolutions: ['360p'] }
    const file_size_bytes = 2 * BYTES_MAX + 1
    const response = await deployment.mine.post(SESSIONS, { ...input, file_size_bytes })
    expect(fieldsOf(expectProblem(response, 'file_too_large'))).toEqual(['file_size_bytes'])
  })

  it('[8.1, 4.5.5] 204: the session of a file that is too small becomes Failed', async () => {
    const opened = await open()
    expect(await postByCurl(formOf(opened.client_payload, newFile(7)))).toMatchObject({
      status: 204,
    })
    expectProblem(await complete(deployment.mine, opened), 'upload_session_closed')
    const session = await readSession(deployment.mine, opened)
    expect(session).toMatchObject({ status: 'Failed', error: { code: 'upload_empty' } })
  })
})

describe.skipIf(isExternal)('8. Expired sessions', () => {
  let deployment: Deployment
  beforeAll(async () => {
    deployment = await Deployment.open({ UPLOAD_LIFETIME_SECONDS: '10' })
  })
  afterAll(() => deployment[Symbol.asyncDispose]())

  const open = () => newSession(deployment.mine, deployment.unique())

  it('[8.2] 403: storage rejects a form that is posted after expires_at', async () => {
    const opened = await open()
    await passed(opened.upload_session.expires_at)
    const response = await postByCurl(formOf(opened.client_payload, newFile(2000)))
    expect(response.status).toBe(403)
    expect(response.text).toContain('<Code>AccessDenied</Code>')
    await expectNothingArrived(deployment.mine, opened)
  })

  it('[8.2] 409: no part is signed after expires_at', async () => {
    const opened = await open()
    await passed(opened.upload_session.expires_at)
    const path = `${SESSIONS}${opened.upload_session.uuid}/parts/`
    const response = await deployment.mine.post(path, { file_size_bytes: 2000, numbers: [1] })
    expect(expectProblem(response, 'upload_session_closed').detail).toContain('renew/')
  })

  it('[8.2] 200: a session that is renewed after expires_at accepts an upload', async () => {
    const opened = await open()
    await passed(opened.upload_session.expires_at)
    const { status, body } = await renew(deployment.mine, opened)
    expect(status).toBe(200)
    expect(await postByCurl(formOf(body.client_payload, newFile(2000)))).toMatchObject({
      status: 204,
    })
    await expectCompleted(deployment.mine, opened, 2000)
  })
})
