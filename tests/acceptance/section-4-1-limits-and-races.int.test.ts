import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { add, addAt, allChapters, chaptersOfVideo, clear, secondsFrom } from './chapters.ts'
import { Deployment, isExternal } from './deployment.ts'
import { expectProblem } from './problems.ts'
import { PROCESSED_MILLISECONDS_MAX } from './videos.ts'

const ROUNDS = isExternal ? 3 : 20

let deployment: Deployment
let list: string
beforeAll(async () => {
  deployment = await Deployment.openSwept()
  list = await chaptersOfVideo(deployment.mine, deployment.unique())
}, PROCESSED_MILLISECONDS_MAX)
afterAll(() => deployment[Symbol.asyncDispose]())
beforeEach(() => clear(deployment.mine, list))

const titled = (title: string, ...starts: string[]) =>
  add(deployment.mine, list, ...starts.map((start_time) => ({ title, start_time })))

describe('4.1 Concurrent requests', () => {
  it('[4.1.3, 4.1.4] 201 and 400: of two conflicting requests, one succeeds completely and the other not at all', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const responses = await Promise.all([
        titled('one', '00:00:01', '00:00:05', '00:00:09'),
        titled('two', '00:00:02', '00:00:05', '00:00:08'),
      ])
      expect(responses.map(({ status }) => status).sort()).toEqual([201, 400])
      const winner = responses.find(({ status }) => status === 201)
      const loser = responses.find(({ status }) => status === 400)
      if (loser) expectProblem(loser, 'chapter_start_taken')
      expect(await allChapters(deployment.mine, list)).toEqual(winner?.body.results)
      await clear(deployment.mine, list)
    }
  })

  it('[4.1.3, 2.1] 201: requests without conflicts succeed, and every chapter gets a unique id', async () => {
    const starts = secondsFrom(0, 20)
    const responses = await Promise.all(starts.map((start) => titled('x', start)))
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]))
    const ids = responses.flatMap(({ body }) => body.results.map(({ id }) => id))
    expect(new Set(ids).size).toBe(20)
    expect((await allChapters(deployment.mine, list)).map(({ id }) => id).sort()).toEqual(ids.sort())
  })
})

describe('4.1 At most 500 chapters', () => {
  it(
    '[4.1.4, 8.4] 201, 400: accepts the 500th chapter and rejects requests that would add a 501st',
    async () => {
      const full = await chaptersOfVideo(deployment.mine, deployment.unique())
      const addMore = (...starts: string[]) => addAt(deployment.mine, full, ...starts)
      expect((await addMore(...secondsFrom(0, 499))).body.count).toBe(499)
      expectProblem(await addMore(...secondsFrom(499, 2)), 'too_many_chapters')
      expect((await addMore('00:09:00')).status).toBe(201)
      expectProblem(await addMore('00:09:01'), 'too_many_chapters')
      const all = await allChapters(deployment.mine, full)
      expect(all).toHaveLength(500)
      await deployment.mine.delete(`${full}${all[0]?.id}/`)
      expect((await addMore('00:09:01')).status).toBe(201)
    },
    PROCESSED_MILLISECONDS_MAX,
  )

  it('[4.1.4, 8.4] 400: rejects 501 chapters in one request', async () => {
    expectProblem(await titled('x', ...secondsFrom(0, 501)), 'invalid_request')
    expect(await allChapters(deployment.mine, list)).toEqual([])
  })
})
