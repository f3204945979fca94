import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addAt, type ChapterPage, chaptersOfVideo, secondsFrom, startsOf } from './chapters.ts'
import { Deployment } from './deployment.ts'
import { expectProblem, fieldsOf, withoutRequestId } from './problems.ts'
import { newSession } from './uploads.ts'
import { PROCESSED_MILLISECONDS_MAX } from './videos.ts'

let deployment: Deployment
/** Path of the chapters of a video with one chapter per second from 00:00:00 to 00:00:06. */
let list: string
beforeAll(async () => {
  deployment = await Deployment.openSwept()
  list = await chaptersOfVideo(deployment.mine, deployment.unique())
  await addAt(deployment.mine, list, ...secondsFrom(3, 4))
  await addAt(deployment.mine, list, ...secondsFrom(0, 3).reverse())
}, PROCESSED_MILLISECONDS_MAX)
afterAll(() => deployment[Symbol.asyncDispose]())

const get = (url: string) => deployment.mine.get<ChapterPage>(url)

describe('4.2 List chapters', () => {
  it('[4.2.1, 4.2.2, 4.2.3, 7.1, 7.2, 2.28, 2.31] 200: returns all chapters ordered by start time in the envelope', async () => {
    for (const url of [list, list.replace(/\/$/, '')]) {
      const { status, headers, body } = await get(url)
      expect(status).toBe(200)
      expect(headers['content-type']).toMatch(/^application\/json\b/)
      expect(body).toMatchObject({ count: 7, next: null, previous: null })
      expect(startsOf(body.results)).toEqual(secondsFrom(0, 7))
      for (const chapter of body.results) {
        expect(Object.keys(chapter).sort()).toEqual(['id', 'start_seconds', 'start_time', 'title'])
      }
    }
  })

  it('[4.2.3, 2.28, 2.31] 200: returns an empty list for a video without chapters', async () => {
    const { asset } = await newSession(deployment.mine, deployment.unique())
    const { status, body } = await get(`assets/${asset.id}/chapters/`)
    expect(status).toBe(200)
    expect(body).toEqual({ count: 0, next: null, previous: null, results: [] })
  })

  it('[4.2.5, 2.29, 2.30] 200: next and previous lead through all pages in both directions', async () => {
    const forwards: string[][] = []
    let { body: page } = await get(`${list}?limit=3`)
    for (;;) {
      expect(page.count).toBe(7)
      forwards.push(startsOf(page.results))
      expect(forwards.length, 'pages').toBeLessThanOrEqual(3)
      if (page.next === null) break
      expect(page.next).toMatch(/^https?:\/\//)
      page = (await get(page.next)).body
    }
    expect(forwards.map(({ length }) => length)).toEqual([3, 3, 1])
    expect(forwards.flat()).toEqual(secondsFrom(0, 7))
    const backwards = [startsOf(page.results)]
    while (page.previous !== null) {
      page = (await get(page.previous)).body
      backwards.unshift(startsOf(page.results))
      expect(backwards.length, 'pages').toBeLessThanOrEqual(3)
    }
    expect(backwards.flat()).toEqual(secondsFrom(0, 7))
  })

  it.for([
    ['limit=0', 'invalid_request', ['limit']],
    ['limit=101', 'invalid_request', ['limit']],
    ['limit=1e1', 'invalid_request', ['limit']],
    ['limit=0x10', 'invalid_request', ['limit']],
    ['limit=x&page=2', 'unknown_field', ['limit', 'page']],
    ['cursor=junk', 'invalid_cursor', ['cursor']],
  ] as const)('[4.2.5, 8.4] 400: rejects the query ?%s', async ([query, code, fields]) => {
    expect(fieldsOf(expectProblem(await get(`${list}?${query}`), code))).toEqual(fields)
  })

  it('[4.2.4, 7.7] 404: the response is the same for a missing asset, a malformed ID and an asset of another organization', async () => {
    const theirs = await newSession(deployment.other, deployment.unique())
    const responses = []
    for (const id of ['019a83b5-6a40-7c11-9d5e-0f2b7f6c1a2e', 'nonsense', theirs.asset.id]) {
      responses.push(await get(`assets/${id}/chapters/`))
    }
    for (const response of responses) expectProblem(response, 'asset_not_found')
    expect(new Set(responses.map((response) => JSON.stringify(withoutRequestId(response)))).size).toBe(1)
  })

  it('[4.2.4] 404: the chapters of a deleted video cannot be listed', async () => {
    const deleted = await chaptersOfVideo(deployment.mine, deployment.unique())
    await addAt(deployment.mine, deleted, '00:00:00')
    const { status } = await deployment.mine.delete(deleted.replace('chapters/', ''))
    expect(status).toBe(204)
    expectProblem(await get(deleted), 'asset_not_found')
  })
})
