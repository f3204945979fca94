import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { addAt, allChapters, type Chapter, chaptersOfVideo, clear, secondsFrom } from './chapters.ts'
import { Deployment } from './deployment.ts'
import { expectProblem, withoutRequestId } from './problems.ts'
import { PROCESSED_MILLISECONDS_MAX } from './videos.ts'

let deployment: Deployment
let list: string
/** The chapters of the video at the start of each test. */
let chapters: Chapter[]
beforeAll(async () => {
  deployment = await Deployment.openSwept()
  list = await chaptersOfVideo(deployment.mine, deployment.unique())
}, PROCESSED_MILLISECONDS_MAX)
afterAll(() => deployment[Symbol.asyncDispose]())
beforeEach(async () => {
  await clear(deployment.mine, list)
  chapters = (await addAt(deployment.mine, list, ...secondsFrom(0, 3))).body.results
})

const pathOf = (chapter: Chapter | undefined) => `${list}${chapter?.id}/`
const left = () => allChapters(deployment.mine, list)

describe('4.3 Delete a chapter', () => {
  it('[4.3.1, 4.3.2, 4.3.3, 7.1, 7.4] 204: deletes one chapter, with an empty response body', async () => {
    const [first, second, third] = chapters
    const { status, text } = await deployment.mine.delete(pathOf(second))
    expect([status, text]).toEqual([204, ''])
    expect(await left()).toEqual([first, third])
  })

  it('[4.3.1] 204: accepts the path without a trailing slash, and the start time can be used again', async () => {
    const path = pathOf(chapters[0]).replace(/\/$/, '')
    expect((await deployment.mine.delete(path)).status).toBe(204)
    expect((await addAt(deployment.mine, list, '00:00:00')).status).toBe(201)
  })

  it('[4.3.4, 7.7] 404: a deleted chapter cannot be deleted again', async () => {
    await deployment.mine.delete(pathOf(chapters[0]))
    expectProblem(await deployment.mine.delete(pathOf(chapters[0])), 'chapter_not_found')
    expect(await left()).toEqual(chapters.slice(1))
  })

  it('[4.3.4] 204 and 404: of two concurrent requests, one deletes the chapter', async () => {
    const both = [1, 2].map(() => deployment.mine.delete(pathOf(chapters[1])))
    const statuses = (await Promise.all(both)).map(({ status }) => status)
    expect(statuses.sort()).toEqual([204, 404])
  })

  it.for(['0', '-1', 'x', '1.5', '999999', '99999999999999999999', 'null', '%00'])(
    '[4.3.4, 7.7] 404: the chapter %s does not exist',
    async (id) => {
      expectProblem(await deployment.mine.delete(`${list}${id}/`), 'chapter_not_found')
      expect(await left()).toEqual(chapters)
    },
  )

  it('[4.3.4, 7.7] 404: the response is the same for a missing asset and an asset of another organization', async () => {
    const nobodys = 'assets/019a83b5-6a40-7c11-9d5e-0f2b7f6c1a2e/chapters/1/'
    const absent = await deployment.other.delete(nobodys)
    const foreign = await deployment.other.delete(pathOf(chapters[0]))
    for (const response of [absent, foreign]) expectProblem(response, 'asset_not_found')
    expect(withoutRequestId(foreign)).toEqual(withoutRequestId(absent))
    expect(await left()).toEqual(chapters)
  })
})
