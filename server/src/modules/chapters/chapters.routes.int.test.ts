import type { chapters as contract, Page, Problem } from '@reelkeep/contract'
import {
  type ApiResponse,
  type Caller,
  openSession,
  probedAsset,
  Superuser,
  TestApi,
  uploadAsset,
} from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'

type Chapters = Page<contract.Chapter>

const testApi = await opened(TestApi.open())
const superuser = await opened(Superuser.open())
let caller: Caller
beforeEach(async () => {
  caller = await testApi.newOrganization()
})

const listOf = ({ id }: { id: string }) => `assets/${id}/chapters/`
const newList = async (durationSeconds = 600) => listOf((await probedAsset(caller, { durationSeconds })).asset)
const add = (list: string, ...starts: string[]) =>
  caller.post<Chapters & Problem>(list, {
    chapters: starts.map((start_time) => ({ title: `At ${start_time}`, start_time })),
  })
const read = async (list: string) => (await caller.get<Chapters>(`${list}?limit=100`)).body
const startsIn = async (list: string) => (await read(list)).results.map(({ start_time }) => start_time)
const errorsOf = ({ body }: ApiResponse<Problem>) => body.errors.map(({ field, code }) => [field, code])

const timecode = (seconds: number) => new Date(seconds * 1000).toISOString().slice(11, 19)
const timecodes = (count: number, from = 0) => Array.from({ length: count }, (_, index) => timecode(from + index))

describe('POST chapters/', () => {
  it('201: returns the added chapters ordered by start, and does not change the asset', async () => {
    const { asset } = await probedAsset(caller)
    const before = (await caller.get(`assets/${asset.id}/`)).body
    await add(listOf(asset), '00:00:30')
    const { status, body } = await add(listOf(asset), '00:02:00', '0:01:00')
    expect(status).toBe(201)
    expect(body).toEqual({
      count: 2,
      next: null,
      previous: null,
      results: [
        { id: 2, title: 'At 0:01:00', start_time: '00:01:00', start_seconds: 60 },
        { id: 3, title: 'At 00:02:00', start_time: '00:02:00', start_seconds: 120 },
      ],
    })
    expect((await caller.get(`assets/${asset.id}/`)).body).toEqual(before)
  })

  it('201: never reuses an id, not even the last one after a deletion', async () => {
    const list = await newList()
    const ids = []
    for (const start of ['00:00:01', '00:00:02', '00:00:01']) {
      const { id = 0 } = (await add(list, start)).body.results[0] ?? {}
      ids.push(id)
      await caller.delete(`${list}${id}/`)
    }
    expect(ids).toEqual([1, 2, 3])
  })

  it.each([
    [600, '00:09:59', '00:10:00'],
    [10.5, '00:00:10', '00:00:11'],
    [0.2, '00:00:00', '00:00:01'],
    [359_999.5, '99:59:59', undefined],
  ])('201 and 400: a video of %d s accepts a start at %s and rejects %s', async (seconds, last, beyond) => {
    const list = await newList(seconds)
    if (beyond !== undefined) {
      const { status, body } = await add(list, '00:00:00', beyond)
      expect([status, body.code]).toEqual([400, 'chapter_outside_video'])
      expect(body.errors.map(({ field }) => field)).toEqual(['chapters[1].start_time'])
      expect(body.detail).toContain(`${beyond} is not before the end`)
      expect(body.detail).toContain(`latest possible start is ${last}`)
      expect(await startsIn(list)).toEqual([])
    }
    expect((await add(list, last)).status).toBe(201)
  })

  it('400: reports all errors at once and adds nothing', async () => {
    const list = await newList()
    await add(list, '00:00:05')
    const response = await add(list, '00:00:01', '00:00:05', '00:00:01', '00:10:00')
    expect(response.status).toBe(400)
    expect(errorsOf(response)).toEqual([
      ['chapters[1].start_time', 'chapter_start_taken'],
      ['chapters[2].start_time', 'chapter_start_taken'],
      ['chapters[3].start_time', 'chapter_outside_video'],
    ])
    expect(response.body.errors[0]?.detail).toContain('chapter 1, "At 00:00:05"')
    expect(await startsIn(list)).toEqual(['00:00:05'])
  })

  it('400: rejects all chapters of a request that would exceed 500', async () => {
    const list = await newList()
    expect((await add(list, ...timecodes(498))).body.count).toBe(498)
    expect((await add(list, ...timecodes(3, 498))).body.code).toBe('too_many_chapters')
    expect((await read(list)).count).toBe(498)
    expect((await add(list, ...timecodes(2, 498))).status).toBe(201)
    const response = await add(list, '00:09:59')
    expect(errorsOf(response)).toEqual([['chapters', 'too_many_chapters']])
    expect(response.body.detail).toContain('501')
    await caller.delete(`${list}7/`)
    expect((await add(list, '00:09:59')).status).toBe(201)
  })

  it.each([
    [],
    ['00:00'],
    ['100:00:00'],
    ['00:60:00'],
    ['00:00:60'],
    ['00:00:01.5'],
    ['-0:00:01'],
    [' 00:00:01'],
    ['00:00:01\n'],
    ['٠٠:٠٠:٠١'],
    ['0:0:1'],
    [''],
  ])('400: rejects the start %j', async (...starts) => {
    const response = await add(await newList(), ...starts)
    expect([response.status, response.body.code]).toEqual([400, 'invalid_request'])
    const [field] = response.body.errors.map(({ field }) => field)
    expect(field).toBe(starts.length > 0 ? 'chapters[0].start_time' : 'chapters')
    if (starts.length > 0) expect(response.body.detail).toContain('00:01:30')
  })

  it('400: rejects chapters while the duration is unknown, and says what to wait for', async () => {
    const detailFor = async ({ id }: { id: string }) => {
      const { status, body } = await add(listOf({ id }), '00:00:00')
      expect([status, body.code]).toEqual([400, 'video_duration_unknown'])
      return body.detail
    }
    const { asset, upload_session } = await openSession(caller)
    expect(await detailFor(asset)).toMatch(/Upload the video file first/)
    await caller.delete(`assets/upload-sessions/${upload_session.uuid}/`)
    expect(await detailFor(asset)).toMatch(/new session/)
    const { asset: uploaded } = await uploadAsset(caller)
    expect(await detailFor(uploaded)).toMatch(/Repeat the request/)
    await superuser.query(
      `update assets set status = 'Error', error_code = 'x', error_detail = 'No video in it.' where id = $1`,
      [uploaded.id],
    )
    expect(await detailFor(uploaded)).toMatch(/No video in it.*retry\//)
  })

  it('201: adds chapters once per Idempotency-Key; without a key, the second request is rejected', async () => {
    const list = await newList()
    const chapters = [{ title: 'Opening', start_time: '00:00:00' }]
    const keyed = () => caller.post<Chapters>(list, { chapters }, { 'idempotency-key': 'k' })
    const [first, again] = [await keyed(), await keyed()]
    expect([first.status, again.status]).toEqual([201, 201])
    expect(again.body).toEqual(first.body)
    expect((await add(list, '00:00:00')).body.code).toBe('chapter_start_taken')
    expect((await read(list)).count).toBe(1)
  })
})

describe('GET chapters/', () => {
  it('200: pages forwards and backwards in order of start', async () => {
    const list = await newList()
    await add(list, ...timecodes(7).reverse())
    const starts: string[][] = []
    let page = (await caller.get<Chapters>(`${list}?limit=3`)).body
    for (;;) {
      expect(page.count).toBe(7)
      starts.push(page.results.map(({ start_time }) => start_time))
      // Makes the test fail instead of looping forever if paging repeats chapters.
      expect(starts.length, 'pages').toBeLessThanOrEqual(3)
      if (page.next === null) break
      page = (await caller.get<Chapters>(page.next)).body
    }
    expect(starts.flat()).toEqual(timecodes(7))
    expect(starts.map(({ length }) => length)).toEqual([3, 3, 1])
    const back = (await caller.get<Chapters>(page.previous ?? '')).body
    expect(back.results.map(({ start_time }) => start_time)).toEqual(starts[1])
  })

  it('200: returns an empty list while the duration of the video is unknown', async () => {
    const { asset } = await openSession(caller)
    expect(await read(listOf(asset))).toEqual({ count: 0, next: null, previous: null, results: [] })
  })

  it.each([['x'], ['1234567'], ['1', '2'], ['-1']])('400: rejects the cursor %j', async (...key) => {
    const cursor = Buffer.from(JSON.stringify([1, ...key])).toString('base64url')
    const { body } = await caller.get(`${await newList()}?cursor=${cursor}`)
    expect(body.code).toBe('invalid_cursor')
  })
})

describe('DELETE chapters/<id>/', () => {
  it('204: deletes one chapter and keeps the others', async () => {
    const list = await newList()
    await add(list, '00:00:01', '00:00:02', '00:00:03')
    const { status, text } = await caller.delete(`${list}2/`)
    expect([status, text]).toEqual([204, ''])
    expect(await startsIn(list)).toEqual(['00:00:01', '00:00:03'])
    expect((await caller.delete(`${list}2/`)).status).toBe(404)
  })

  it.each(['2', '0', '-1', 'x', '1.5', '99999999999'])('404: does not find chapter %s', async (id) => {
    const list = await newList()
    await add(list, '00:00:01')
    const { status, body } = await caller.delete(`${list}${id}/`)
    expect([status, body.code]).toEqual([404, 'chapter_not_found'])
    expect((await read(list)).count).toBe(1)
  })

  it('404: does not find a chapter of another video', async () => {
    const [list, other] = [await newList(), await newList()]
    await add(list, '00:00:01')
    expect((await caller.delete(`${other}1/`)).status).toBe(404)
    expect((await read(list)).count).toBe(1)
  })

  it('chapters are deleted with their asset', async () => {
    const { asset } = await probedAsset(caller)
    await add(listOf(asset), '00:00:01')
    expect((await caller.delete(`assets/${asset.id}/?permanently=true`)).status).toBe(204)
    const rows = await superuser.query(
      `select 1 from chapters where asset_id = $1 union all select 1 from chapter_sets where asset_id = $1`,
      [asset.id],
    )
    expect(rows).toEqual([])
  })
})

describe("another organization's video", () => {
  const chapters = [{ title: 'x', start_time: '00:00:09' }]
  const requests: Record<string, (list: string) => Promise<ApiResponse<Problem>>> = {
    add: (list) => caller.post(list, { chapters }),
    list: (list) => caller.get(list),
    delete: (list) => caller.delete(`${list}1/`),
    edit: (list) => caller.patch(`${list}1/`, { title: 'y' }),
    replace: (list) => caller.send('PUT', list, { chapters: [] }),
    import: (list) => caller.post(`${list}import/`, { format: 'lines', text: '0:09 x' }),
    export: (list) => caller.get(`${list}export/`),
    'found chapters': (list) => caller.get(`${list}found/`),
  }

  it.each(Object.entries(requests))('404: is not found by a %s request', async (_, request) => {
    const foreigner = await testApi.newOrganization()
    const list = listOf((await probedAsset(foreigner)).asset)
    await foreigner.post(list, { chapters: [{ title: 'x', start_time: '00:00:01' }] })
    const nobodys = await request(listOf({ id: '019a83b5-6a40-7c11-9d5e-0f2b7f6c1a2e' }))
    for (const path of [list, listOf({ id: 'no-asset' })]) {
      const { status, body } = await request(path)
      expect([status, { ...body, request_id: '' }]).toEqual([404, { ...nobodys.body, request_id: '' }])
    }
    const { results } = (await foreigner.get<Chapters>(list)).body
    expect(results).toEqual([{ id: 1, title: 'x', start_time: '00:00:01', start_seconds: 1 }])
  })
})
