import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiResponse } from '@reelkeep/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Deployment } from './deployment.ts'
import { FOLDERS, type Folder, listFolders } from './folders.ts'
import { expectProblem } from './problems.ts'

let deployment: Deployment
beforeAll(async () => {
  deployment = await Deployment.open()
})
afterAll(() => deployment[Symbol.asyncDispose]())

const create = (key: string, body: unknown, caller = deployment.mine) =>
  caller.post<Folder>(FOLDERS, body, { 'idempotency-key': key })

const countOf = async (q: string) => (await listFolders(deployment.mine, { q })).count

/** Sends the request again as long as an earlier request with the same key is running. */
async function createPatiently(key: string, body: unknown): Promise<ApiResponse<Folder>> {
  for (;;) {
    const response = await create(key, body)
    if (response.status !== 409) return response
    expectProblem(response, 'idempotency_key_in_use')
    const seconds = Number(response.headers['retry-after'])
    expect(seconds).toBeGreaterThan(0)
    await sleep(seconds * 1000)
  }
}

describe('4.6 Create a folder, with an Idempotency-Key', () => {
  it('[4.6.1] 201: the same key and body return the first response', async () => {
    const [key, title] = [randomUUID(), deployment.unique()]
    const first = await create(key, { title })
    const second = await create(key, { title })
    const third = await create(key, { title })
    expect([first.status, second.status, third.status]).toEqual([201, 201, 201])
    expect([second.text, third.text]).toEqual([first.text, first.text])
    expect(await countOf(title)).toBe(1)
  })

  it('[4.6.1] 201: a repeated request may differ in the trailing slash of its path', async () => {
    const [headers, title] = [{ 'idempotency-key': randomUUID() }, deployment.unique()]
    const first = await deployment.mine.post(FOLDERS, { title }, headers)
    const second = await deployment.mine.post('assets/folders', { title }, headers)
    expect(second).toMatchObject({ status: 201, text: first.text })
    expect(await countOf(title)).toBe(1)
  })

  it('[4.6.1] 201: another key, or none, creates another folder', async () => {
    const title = deployment.unique()
    await create(randomUUID(), { title })
    await create(randomUUID(), { title })
    await deployment.mine.post(FOLDERS, { title })
    expect(await countOf(title)).toBe(3)
  })

  it('[4.6.1] 201: another organization may use the same key', async () => {
    const [key, title] = [randomUUID(), deployment.unique()]
    const mine = await create(key, { title })
    const theirs = await create(key, { title: `${title} theirs` }, deployment.other)
    expect([mine.status, theirs.status]).toEqual([201, 201])
    expect(theirs.body.title).toBe(`${title} theirs`)
  })

  it('[4.6.1] 201: a failed request can be repeated with its key', async () => {
    const [key, title] = [randomUUID(), deployment.unique()]
    expectProblem(await create(key, { title, parent: '11111111111' }), 'parent_not_found')
    expectProblem(await create(key, { title, parent: '11111111111' }), 'parent_not_found')
    expect(await countOf(title)).toBe(0)
  })

  it('[4.6.1, 7.10] 409: rejects the same key with another body', async () => {
    const [key, title] = [randomUUID(), deployment.unique()]
    const parent = (await create(randomUUID(), { title: deployment.unique() })).body.uuid
    const first = await create(key, { title })
    for (const body of [{ title: `${title} other` }, { title, parent }]) {
      expectProblem(await create(key, body), 'idempotency_key_reused')
    }
    expect(await countOf(title)).toBe(1)
    expect((await create(key, { title })).text).toBe(first.text)
  })

  it('[4.6.1, 7.10] 201, 409: of ten concurrent requests one creates the folder', async () => {
    const [key, title] = [randomUUID(), deployment.unique()]
    const callers = Array.from({ length: 10 }, () => createPatiently(key, { title }))
    const responses = await Promise.all(callers)
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]))
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1)
    expect(await countOf(title)).toBe(1)
  })

  it('[4.6.1, 7.10] 409: of ten concurrent requests with different bodies one succeeds', async () => {
    const [key, title] = [randomUUID(), deployment.unique()]
    const responses = await Promise.all(
      Array.from({ length: 10 }, (_, number) => create(key, { title: `${title} ${number}` })),
    )
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(responses.filter(({ status }) => status === 409)).toHaveLength(9)
    expect(await countOf(title)).toBe(1)
  })

  it('[4.6.1] 201: accepts keys of 1 and 255 characters', async () => {
    // The key of one character may have been used before, so a conflict is also accepted.
    expect([201, 409]).toContain((await create('~', { title: deployment.unique() })).status)
    const long = randomUUID().padEnd(255, '-')
    expect(await create(long, { title: deployment.unique() })).toMatchObject({ status: 201 })
  })

  it('[4.6.1, 7.10] 400: rejects keys of 0 and 256 characters', async () => {
    const title = deployment.unique()
    for (const key of ['', 'k'.repeat(256)]) {
      expectProblem(await create(key, { title }), 'invalid_idempotency_key')
    }
    expect(await countOf(title)).toBe(0)
  })
})
