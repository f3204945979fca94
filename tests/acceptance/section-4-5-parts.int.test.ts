import { formOf, postByCurl } from '@reelkeep/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Deployment } from './deployment.ts'
import { listParts, putPart, signParts } from './parts.ts'
import { expectProblem, fieldsOf } from './problems.ts'
import { cancel, complete, expectCompleted, newFile, newSession, readAsset, readSession } from './uploads.ts'

const PART_BYTES = 16 * 1024 ** 2
const FILE_BYTES = PART_BYTES + 100_000
const file = newFile(FILE_BYTES)
const partBodies = [file.subarray(0, PART_BYTES), file.subarray(PART_BYTES)] as const

let deployment: Deployment
beforeAll(async () => {
  deployment = await Deployment.open()
})
afterAll(() => deployment[Symbol.asyncDispose]())

const open = () => newSession(deployment.mine, deployment.unique())
const sign = async (...[opened, numbers, bytes = FILE_BYTES]: SignWish) =>
  (await signParts(deployment.mine, opened, numbers, bytes)).body
type SignWish = [opened: Awaited<ReturnType<typeof open>>, numbers: number[], bytes?: number]

describe('4.5 Extension: multipart upload', () => {
  it('[4.5.5] 200: complete joins parts that were uploaded in any order', async () => {
    const opened = await open()
    const signed = await sign(opened, [1, 2])
    expect(signed).toEqual({
      part_size_bytes: PART_BYTES,
      part_count: 2,
      expires_at: opened.upload_session.expires_at,
      parts: [
        { number: 1, bytes: PART_BYTES, url: expect.stringMatching(/^https?:/) },
        { number: 2, bytes: 100_000, url: expect.stringMatching(/^https?:/) },
      ],
    })
    for (const index of [1, 0] as const) {
      expect(await putPart(signed.parts[index]?.url, partBodies[index])).toBe(200)
    }
    await expectCompleted(deployment.mine, opened, FILE_BYTES)
    expect(await complete(deployment.mine, opened)).toMatchObject({ status: 200 })
  })

  it('[4.5.5, 3.3] 200: signing the first part sets the session to Uploading', async () => {
    const opened = await open()
    await sign(opened, [2])
    expect(await readSession(deployment.mine, opened)).toMatchObject({ status: 'Uploading' })
    expect(await readAsset(deployment.mine, opened)).toEqual(opened.asset)
  })

  it('[4.5.5] 200, 409: the list contains the received parts, and complete names the missing ones', async () => {
    const opened = await open()
    const signed = await sign(opened, [2])
    await putPart(signed.parts[0]?.url, partBodies[1])
    const { body: arrived } = await listParts(deployment.mine, opened)
    expect(arrived).toEqual({
      part_size_bytes: PART_BYTES,
      part_count: 2,
      file_size_bytes: FILE_BYTES,
      received_bytes: 100_000,
      parts: [{ number: 2, bytes: 100_000, etag: expect.stringMatching(/^[0-9a-f]{32}$/) }],
    })
    const rejected = await complete(deployment.mine, opened)
    expect(expectProblem(rejected, 'upload_not_arrived').detail).toMatch(/\b1 of 2 parts.*: 1\./)
    expect(await readSession(deployment.mine, opened)).toMatchObject({ status: 'Uploading' })
    // Resumes as after a reload: signs and uploads the missing parts.
    const [missing] = (await sign(opened, [1])).parts
    await putPart(missing?.url, partBodies[0])
    await expectCompleted(deployment.mine, opened, FILE_BYTES)
  })

  it('[4.5.5] 403: a part with another size than signed is rejected', async () => {
    const opened = await open()
    const { parts } = await sign(opened, [1, 2])
    for (const bytes of [99_999, 100_001, 0]) {
      expect(await putPart(parts[1]?.url, file.subarray(0, bytes))).toBe(403)
    }
    expect((await listParts(deployment.mine, opened)).body.parts).toEqual([])
  })

  it('[4.5.5] 200: a part that is sent twice counts once, with its last content', async () => {
    const opened = await open()
    const { parts } = await sign(opened, [1], 50_000)
    for (let time = 0; time < 2; time++) await putPart(parts[0]?.url, newFile(50_000))
    expect((await listParts(deployment.mine, opened)).body).toMatchObject({
      received_bytes: 50_000,
    })
    await expectCompleted(deployment.mine, opened, 50_000)
  })

  it('[4.5.5] 200: a form upload completes the session although parts were signed', async () => {
    const opened = await open()
    await sign(opened, [1, 2])
    await postByCurl(formOf(opened.client_payload, newFile(2000)))
    await expectCompleted(deployment.mine, opened, 2000)
  })
})

describe('4.5 Extension: invalid parts', () => {
  it('[4.5.5] 400: rejects part numbers and file sizes out of range', async () => {
    const opened = await open()
    const far = await signParts(deployment.mine, opened, [1, 3], FILE_BYTES)
    expect(fieldsOf(expectProblem(far, 'part_out_of_range'))).toEqual(['numbers'])
    const bytes = opened.upload_session.max_file_size_bytes + 1
    const large = await signParts(deployment.mine, opened, [1], bytes)
    expect(fieldsOf(expectProblem(large, 'file_too_large'))).toEqual(['file_size_bytes'])
    expect(await readSession(deployment.mine, opened)).toMatchObject({ status: 'Created' })
  })

  it('[4.5.5] 409: rejects a changed file size, and rejects listing parts before one is signed', async () => {
    const opened = await open()
    expectProblem(await listParts(deployment.mine, opened), 'upload_not_in_parts')
    await sign(opened, [1])
    const other = await signParts(deployment.mine, opened, [1], FILE_BYTES + 1)
    expect(fieldsOf(expectProblem(other, 'file_size_changed'))).toEqual(['file_size_bytes'])
  })

  it('[4.5.5] 409: rejects signing, listing and completing the parts of a closed session', async () => {
    const opened = await open()
    await sign(opened, [1])
    await cancel(deployment.mine, opened)
    for (const response of [
      await signParts(deployment.mine, opened, [1], FILE_BYTES),
      await listParts(deployment.mine, opened),
      await complete(deployment.mine, opened),
    ]) {
      expectProblem(response, 'upload_session_closed')
    }
  })

  it('[4.5.5] 200: ten concurrent requests sign parts of the same multipart upload', async () => {
    const opened = await open()
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => signParts(deployment.mine, opened, [1], 50_000)),
    )
    const uploads = responses.map(({ body }) => new URL(body.parts[0]?.url ?? '').searchParams.get('uploadId'))
    expect(new Set(uploads).size).toBe(1)
    expect(await putPart(responses[3]?.body.parts[0]?.url, newFile(50_000))).toBe(200)
    await expectCompleted(deployment.mine, opened, 50_000)
  })
})
