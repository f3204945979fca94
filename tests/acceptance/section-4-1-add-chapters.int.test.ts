import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { add, addAt, allChapters, type ChapterPage, chaptersOfVideo, clear, secondsFrom, startsOf } from './chapters.ts'
import { Deployment } from './deployment.ts'
import { expectProblem, fieldsOf, withoutRequestId } from './problems.ts'
import { cancel, newSession } from './uploads.ts'
import { PROCESSED_MILLISECONDS_MAX } from './videos.ts'

let deployment: Deployment
/** Path of the chapters of a ten-minute video. */
let list: string
beforeAll(async () => {
  deployment = await Deployment.openSwept()
  list = await chaptersOfVideo(deployment.mine, deployment.unique())
}, PROCESSED_MILLISECONDS_MAX)
afterAll(() => deployment[Symbol.asyncDispose]())
beforeEach(() => clear(deployment.mine, list))

const addHere = (...starts: string[]) => addAt(deployment.mine, list, ...starts)
const startsHere = async () => startsOf(await allChapters(deployment.mine, list))

describe('4.1 Add chapters', () => {
  it('[4.1.1, 4.1.2, 4.1.3, 7.1, 7.3] 201: returns id, title and start_time of each chapter in the envelope', async () => {
    const { status, headers, body } = await add(
      deployment.mine,
      list,
      { title: 'Interview', start_time: '00:01:30' },
      { title: ' Opening ', start_time: '00:00:00' },
    )
    expect(status).toBe(201)
    expect(headers['content-type']).toMatch(/^application\/json\b/)
    const results = [
      { id: expect.any(Number), title: 'Opening', start_time: '00:00:00', start_seconds: 0 },
      { id: expect.any(Number), title: 'Interview', start_time: '00:01:30', start_seconds: 90 },
    ]
    expect(body).toEqual({ count: 2, next: null, previous: null, results })
    expect(await allChapters(deployment.mine, list)).toEqual(body.results)
  })

  it('[4.1.1] 201: accepts the path without a trailing slash', async () => {
    const { status } = await addAt(deployment.mine, list.replace(/\/$/, ''), '00:00:00')
    expect(status).toBe(201)
  })

  it('[4.1.3, 2.28] 201: returns and counts only the created chapters', async () => {
    await addHere('00:00:01', '00:00:02')
    const { body } = await addHere('00:00:03')
    expect(body).toMatchObject({ count: 1, next: null, previous: null })
    expect(startsOf(body.results)).toEqual(['00:00:03'])
  })

  it('[4.1.3, 2.1] 201: ids are ascending integers and never reused', async () => {
    const ids: number[] = []
    for (const start of secondsFrom(0, 5)) {
      const [chapter] = (await addHere(start)).body.results
      ids.push(chapter?.id ?? 0)
      await deployment.mine.delete(`${list}${chapter?.id}/`)
    }
    expect(ids.every((id) => Number.isInteger(id) && id > 0)).toBe(true)
    expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b))
  })

  it('[4.1.2, 2.3] 201: accepts one digit for the hours and returns two', async () => {
    expect(startsOf((await addHere('0:00:09')).body.results)).toEqual(['00:00:09'])
  })

  it('[4.1.3] 201: the same Idempotency-Key and body add chapters once', async () => {
    const headers = { 'idempotency-key': randomUUID() }
    const body = { chapters: [{ title: 'Opening', start_time: '00:00:00' }] }
    const first = await deployment.mine.post(list, body, headers)
    const second = await deployment.mine.post(list, body, headers)
    expect([first.status, second.status, second.text]).toEqual([201, 201, first.text])
    expect(await startsHere()).toEqual(['00:00:00'])
  })
})

describe('4.1 Start times within the video', () => {
  it('[4.1.4, 2.3, 8.3] 201, 400: accepts a start in the last second and rejects one at the end of the video', async () => {
    const problem = expectProblem(await addHere('00:00:00', '00:10:00'), 'chapter_outside_video')
    expect(fieldsOf(problem)).toEqual(['chapters[1].start_time'])
    expect(problem.detail).toContain('00:10:00')
    expect(await startsHere()).toEqual([])
    expect((await addHere('00:00:00', '00:09:59')).status).toBe(201)
  })

  it(
    '[4.1.4, 2.3, 8.3] 201, 400: accepts a start at 10 seconds and rejects one at 11 in a video of 10.5 seconds',
    async () => {
      const short = await chaptersOfVideo(deployment.mine, deployment.unique(), 10.5)
      const beyond = await addAt(deployment.mine, short, '00:00:11')
      expectProblem(beyond, 'chapter_outside_video')
      expect((await addAt(deployment.mine, short, '00:00:10')).status).toBe(201)
    },
    PROCESSED_MILLISECONDS_MAX,
  )

  it('[4.1.4, 8.3] 400: rejects chapters while the duration is unknown', async () => {
    const opened = await newSession(deployment.mine, deployment.unique())
    const chapters = `assets/${opened.asset.id}/chapters/`
    const before = await addAt(deployment.mine, chapters, '00:00:00')
    await cancel(deployment.mine, opened)
    const after = await addAt(deployment.mine, chapters, '00:00:00')
    const details = [before, after].map((a) => expectProblem(a, 'video_duration_unknown').detail)
    expect(details[0]).not.toBe(details[1])
  })
})

describe('4.1 Invalid data', () => {
  it.for([
    ...['', ' ', '0', '10', '00:10', '1:2:3', '000:00:01', '100:00:00', '00:60:00', '00:00:60'],
    ...['00:00:01.5', '00:00:01,5', '-0:00:01', '+0:00:01', ' 00:00:01', '00:00:01 ', '00:00:1'],
    ...['00:00:01\n', '00-00-01', '00:00:01Z', '00 00 01', 'x', 'PT1S', '٠٠:٠٠:٠١', '00:00:0１'],
  ])('[4.1.4, 2.3, 7.5] 400: rejects the start_time %j', async (start) => {
    const problem = expectProblem(await addHere('00:00:00', start), 'invalid_request')
    expect(fieldsOf(problem)).toEqual(['chapters[1].start_time'])
    expect(await startsHere()).toEqual([])
  })

  it.for([
    ['no body', undefined, ['chapters']],
    ['no chapters', {}, ['chapters']],
    ['an empty list', { chapters: [] }, ['chapters']],
    ['an object as the list', { chapters: { title: 'x', start_time: '00:00:00' } }, ['chapters']],
    ['a string as a chapter', { chapters: ['00:00:00 x'] }, ['chapters[0]']],
    ['an empty chapter', { chapters: [{}] }, ['chapters[0].start_time', 'chapters[0].title']],
    ['a start in seconds', { chapters: [{ title: 'x', start_time: 90 }] }, ['chapters[0].start_time']],
    ['a title that is null', { chapters: [{ title: null, start_time: '00:00:00' }] }, ['chapters[0].title']],
    [
      'unknown fields',
      { chapters: [{ title: 'x', start_time: '00:00:00', id: 7 }], replace: true },
      ['chapters[0].id', 'replace'],
    ],
  ] as const)('[4.1.2, 4.1.4, 7.5] 400: rejects a request with %s', async ([, body, fields]) => {
    const response = await deployment.mine.post<ChapterPage>(list, body)
    expect(response.status).toBe(400)
    expect(fieldsOf(JSON.parse(response.text))).toEqual(fields)
  })

  it('[4.1.2, 2.2, 7.5, 8.4] 201, 400: a title has 1 to 255 characters after trimming', async () => {
    const titled = (title: string, start_time: string) => ({ title, start_time })
    const longest = '🎬'.repeat(255)
    for (const title of ['', '   ', `${longest}x`, 'a\nb', 'a\0b']) {
      const response = await add(deployment.mine, list, titled(title, '00:00:00'))
      expect(fieldsOf(expectProblem(response, 'invalid_title'))).toEqual(['chapters[0].title'])
    }
    const response = await add(deployment.mine, list, titled(` ${longest} `, '00:00:00'))
    expect(response.body.results).toMatchObject([{ title: longest }])
  })

  it('[4.1.4, 7.5] 400: rejects equal start times and reports all errors at once', async () => {
    await addHere('00:00:05')
    const response = await addHere('00:00:01', '0:00:05', '00:00:01', '00:10:00')
    expect(fieldsOf(expectProblem(response, 'chapter_start_taken'))).toEqual([
      'chapters[1].start_time',
      'chapters[2].start_time',
      'chapters[3].start_time',
    ])
    expect(await startsHere()).toEqual(['00:00:05'])
  })
})

describe('4.1 Missing asset', () => {
  it('[4.1.5, 7.7] 404: the response is the same for a missing asset, a malformed ID and an asset of another organization', async () => {
    const theirs = await newSession(deployment.other, deployment.unique())
    const ids = ['019a83b5-6a40-7c11-9d5e-0f2b7f6c1a2e', 'nonsense', theirs.asset.id]
    const responses = []
    for (const id of ids) {
      responses.push(await addAt(deployment.mine, `assets/${id}/chapters/`, '00:00:00'))
    }
    for (const response of responses) expectProblem(response, 'asset_not_found')
    expect(new Set(responses.map((response) => JSON.stringify(withoutRequestId(response)))).size).toBe(1)
  })
})
