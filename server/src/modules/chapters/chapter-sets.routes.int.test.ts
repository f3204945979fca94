/** Chapter operations beyond the specification: read, edit, replace, import, export, and chapters found in the file. */
import type { chapters as contract, Page, Problem } from '@reelkeep/contract'
import { type Caller, openSession, probedAsset, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'

type Chapters = Page<contract.Chapter>

const testApi = await opened(TestApi.open())
let caller: Caller
let list: string
beforeEach(async () => {
  caller = await testApi.newOrganization()
  list = `assets/${(await probedAsset(caller)).asset.id}/chapters/`
})

const titled = (chapters: Record<string, string>) =>
  Object.entries(chapters).map(([start_time, title]) => ({ title, start_time }))
const add = (chapters: Record<string, string>) => caller.post<Chapters>(list, { chapters: titled(chapters) })
const put = (chapters: Record<string, string>, headers: Record<string, string> = {}) =>
  caller.send<Chapters & Problem>('PUT', list, { chapters: titled(chapters) }, headers)
const putIf = (ifMatch: string | undefined, chapters: Record<string, string>) =>
  put(chapters, { 'if-match': String(ifMatch) })
const tagOf = async (path = list) => (await caller.get(path)).headers['etag']
const patch = (id: number, edit: object) => caller.patch<contract.Chapter & Problem>(`${list}${id}/`, edit)
const importText = (format: string, text: string, more: object = {}) =>
  caller.post<Chapters & Problem>(`${list}import/`, { format, text, ...more })
const read = async () =>
  (await caller.get<Chapters>(list)).body.results.map((one) => [one.id, one.start_time, one.title])

describe('GET chapters/<id>/', () => {
  it('200: returns the chapter as the list does', async () => {
    const { body } = await add({ '00:00:00': 'a', '00:00:10': 'b' })
    for (const chapter of body.results) {
      const response = await caller.get<contract.Chapter>(`${list}${chapter.id}/`)
      expect([response.status, response.body]).toEqual([200, chapter])
    }
  })

  it('404: for a chapter that does not exist, or that belongs to another video or organization', async () => {
    await add({ '00:00:00': 'a' })
    const other = `assets/${(await probedAsset(caller)).asset.id}/chapters/`
    for (const path of [`${list}2/`, `${list}x/`, `${list}0/`, `${other}1/`])
      expect((await caller.get<Problem>(path)).body.code).toBe('chapter_not_found')
    const stranger = await testApi.newOrganization()
    expect((await stranger.get<Problem>(`${list}1/`)).body.code).toBe('asset_not_found')
  })
})

describe('PATCH chapters/<id>/', () => {
  it('200: changes the title, the start, or both', async () => {
    await add({ '00:00:00': 'a', '00:00:10': 'b' })
    const { status, body } = await patch(1, { title: ' A ' })
    expect([status, body]).toEqual([200, { id: 1, title: 'A', start_time: '00:00:00', start_seconds: 0 }])
    expect((await patch(1, { start_time: '0:00:20' })).body.start_time).toBe('00:00:20')
    expect((await patch(2, { title: 'B', start_time: '00:00:00' })).status).toBe(200)
    expect(await read()).toEqual([
      [2, '00:00:00', 'B'],
      [1, '00:00:20', 'A'],
    ])
  })

  it('200: accepts the current values', async () => {
    await add({ '00:00:00': 'a' })
    expect((await patch(1, { title: 'a', start_time: '00:00:00' })).status).toBe(200)
  })

  it('400: rejects an empty edit, a start outside the video, and a start of another chapter', async () => {
    await add({ '00:00:00': 'a', '00:00:10': 'b' })
    expect((await patch(1, {})).body.code).toBe('invalid_request')
    const outside = await patch(1, { start_time: '00:10:00' })
    expect(outside.body).toMatchObject({
      code: 'chapter_outside_video',
      errors: [{ field: 'start_time' }],
    })
    const taken = await patch(1, { start_time: '00:00:10' })
    expect(taken.body).toMatchObject({
      code: 'chapter_start_taken',
      errors: [{ field: 'start_time' }],
    })
    expect(taken.body.detail).toContain('chapter 2, "b"')
    expect(await read()).toEqual([
      [1, '00:00:00', 'a'],
      [2, '00:00:10', 'b'],
    ])
  })
})

describe('PUT chapters/', () => {
  it('200: replaces all chapters; a chapter with the same start keeps its id', async () => {
    await add({ '00:00:00': 'a', '00:00:10': 'b', '00:00:20': 'c' })
    const { status, body } = await put({ '00:00:30': 'd', '00:00:10': 'B', '00:00:05': 'e' })
    expect(status).toBe(200)
    expect(body).toMatchObject({ count: 3, next: null, previous: null })
    const expected = [
      [4, '00:00:05', 'e'],
      [2, '00:00:10', 'B'],
      [5, '00:00:30', 'd'],
    ]
    expect(body.results.map((one) => [one.id, one.start_time, one.title])).toEqual(expected)
    expect(await read()).toEqual(expected)
  })

  it('200: is idempotent, and an empty list deletes all chapters', async () => {
    const first = await put({ '00:00:00': 'a', '00:00:10': 'b' })
    expect((await put({ '00:00:00': 'a', '00:00:10': 'b' })).body).toEqual(first.body)
    expect((await put({})).body).toMatchObject({ count: 0, results: [] })
    expect(await read()).toEqual([])
    expect((await add({ '00:00:00': 'a' })).body.results[0]?.id).toBe(3)
  })

  it('200: accepts an empty list while the duration is unknown', async () => {
    const { asset } = await openSession(caller)
    const response = await caller.send('PUT', `assets/${asset.id}/chapters/`, { chapters: [] })
    expect(response.status).toBe(200)
  })

  it('400: changes nothing if a chapter is invalid', async () => {
    await add({ '00:00:00': 'a' })
    const { body } = await put({ '00:00:05': 'b', '00:10:00': 'c' })
    expect(body.errors.map(({ field }) => field)).toEqual(['chapters[1].start_time'])
    expect(await read()).toEqual([[1, '00:00:00', 'a']])
  })

  it('200: replaces 500 chapters twice', async () => {
    const all = Object.fromEntries(
      Array.from({ length: 500 }, (_, second) => [new Date(second * 1000).toISOString().slice(11, 19), 'x']),
    )
    expect((await put(all)).body.results).toHaveLength(500)
    expect((await put(all)).body.results.at(-1)?.id).toBe(500)
  })
})

describe('PUT chapters/ with If-Match', () => {
  it('200: the ETag of the list, of any page, of an earlier PUT, and * are accepted', async () => {
    expect((await putIf(await tagOf(), { '00:00:00': 'a', '00:00:10': 'b' })).status).toBe(200)
    const replaced = await putIf(await tagOf(`${list}?limit=1`), { '00:00:00': 'A' })
    expect(replaced.headers['etag']).toBe(await tagOf())
    expect((await putIf(`"other", ${replaced.headers['etag']}`, { '00:00:00': 'B' })).status).toBe(200)
    expect((await putIf('*', { '00:00:00': 'C' })).status).toBe(200)
  })

  it('412: every kind of change invalidates the ETag, and nothing is replaced', async () => {
    const changes = [
      () => add({ '00:00:00': 'a', '00:00:10': 'b' }),
      () => patch(1, { title: 'A' }),
      () => patch(1, { start_time: '00:00:05' }),
      () => caller.delete(`${list}2/`),
      () => importText('lines', '0:20 c'),
      () => put({ '00:00:30': 'd' }),
    ]
    for (const change of changes) {
      const before = await tagOf()
      await change()
      const left = await read()
      const { status, body } = await putIf(before, { '00:00:01': 'mine' })
      expect([status, body.code]).toEqual([412, 'changed_meanwhile'])
      expect(await read()).toEqual(left)
    }
  })

  it('200 and 412: of two concurrent changes of the same version, one is made', async () => {
    const tag = await tagOf()
    const responses = await Promise.all(['a', 'b', 'c', 'd'].map((title) => putIf(tag, { '00:00:00': title })))
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412])
  })

  it('the ETag stays the same while the chapters do, and after a change and its reversal', async () => {
    await add({ '00:00:00': 'a' })
    const before = await tagOf()
    expect(await tagOf()).toBe(before)
    await patch(1, { title: 'b' })
    expect(await tagOf()).not.toBe(before)
    await patch(1, { title: 'a' })
    expect(await tagOf()).toBe(before)
  })

  it('400: a malformed If-Match', async () => {
    const { status, body } = await putIf('etag-without-quotes', {})
    expect([status, body.errors[0]?.field]).toEqual([400, 'If-Match'])
  })
})

describe('POST chapters/import/', () => {
  it('201: adds the chapters of the text', async () => {
    await add({ '00:00:05': 'a' })
    const { status, body } = await importText('lines', '0:00 Intro\n\n1:30 - Talk')
    expect([status, body.count]).toEqual([201, 2])
    expect(body.results.map(({ title }) => title)).toEqual(['Intro', 'Talk'])
    expect((await read()).map(([, start]) => start)).toEqual(['00:00:00', '00:00:05', '00:01:30'])
  })

  it('201: with replace, replaces all chapters and returns all', async () => {
    await add({ '00:00:00': 'a', '00:00:05': 'b' })
    const { status, body } = await importText('lines', '0:00 Intro', { replace: true })
    expect([status, body.results]).toEqual([201, [{ id: 1, title: 'Intro', start_time: '00:00:00', start_seconds: 0 }]])
    expect(await read()).toEqual([[1, '00:00:00', 'Intro']])
  })

  it('201: imports a long text, which is parsed in a thread', async () => {
    const { status, body } = await importText('lines', `0:00 Intro\n${'\n'.repeat(100_000)}1:30 Talk`)
    expect(status).toBe(201)
    expect(body.results.map(({ title }) => title)).toEqual(['Intro', 'Talk'])
  })

  it('201: replays the response of a long text for its Idempotency-Key', async () => {
    const text = `0:00 Intro\n${'\n'.repeat(100_000)}1:30 Talk`
    const key = { 'idempotency-key': crypto.randomUUID() }
    const send = () => caller.post<Chapters>(`${list}import/`, { format: 'lines', text }, key)
    const [first, again] = [await send(), await send()]
    expect([first.status, again.status, again.headers['idempotency-replayed']]).toEqual([201, 201, 'true'])
    expect(again.body).toEqual(first.body)
    expect(await read()).toHaveLength(2)
  })

  it('400: names the invalid lines of a long text, which is parsed in a thread', async () => {
    const { status, body } = await importText('lines', `${'\n'.repeat(100_000)}b`)
    expect([status, body.errors.map(({ detail }) => detail)]).toEqual([
      400,
      ['line 100001: must start with a time such as 1:30 or 01:02:30.'],
    ])
  })

  it('400: names every invalid line and imports nothing', async () => {
    const { status, body } = await importText('lines', '0:00 a\nb\n0:05\n0:06 c')
    expect([status, body.code]).toEqual([400, 'invalid_chapter_text'])
    expect(body.errors.map(({ field, detail }) => [field, detail.split(':')[0]])).toEqual([
      ['text', 'line 2'],
      ['text', 'line 3'],
    ])
    expect(await read()).toEqual([])
  })

  it('400: names the line of an invalid chapter', async () => {
    await add({ '00:00:05': 'a' })
    const { body } = await importText('lines', '0:00 a\n0:05 b\n\n10:00 c\n0:00 d')
    expect(body.errors).toMatchObject(
      [
        { field: 'text', code: 'chapter_start_taken', detail: /^line 2: 00:00:05 is taken/ },
        { field: 'text', code: 'chapter_outside_video', detail: /^line 4: 00:10:00/ },
        { field: 'text', code: 'chapter_start_taken', detail: /^line 5: 00:00:00 is given twice/ },
      ].map((error) => ({ ...error, detail: expect.stringMatching(error.detail) })),
    )
  })

  it('400: reports at most 50 errors of a text', async () => {
    const { body } = await importText('lines', 'x\n'.repeat(1000))
    expect(body.errors).toHaveLength(50)
  })

  it('400: deletes nothing for a text without chapters', async () => {
    await add({ '00:00:05': 'a' })
    expect((await importText('webvtt', 'WEBVTT\n', { replace: true })).status).toBe(400)
    expect(await read()).toEqual([[1, '00:00:05', 'a']])
  })

  it('400, 413: rejects a text that exceeds the size limit', async () => {
    expect((await importText('lines', 'x'.repeat(256 * 1024 + 1))).body.code).toBe('invalid_request')
    expect((await importText('lines', 'x'.repeat(1024 * 1024))).status).toBe(413)
  })
})

describe('GET chapters/export/', () => {
  it.each([
    ['webvtt', 'text/vtt', 'vtt'],
    ['lines', 'text/plain', 'txt'],
    ['podcasting', 'application/json+chapters', 'json'],
    ['ffmetadata', 'text/plain', 'ffmetadata.txt'],
  ])('200: exports %s that can be imported again', async (format, type, extension) => {
    await put({ '00:00:00': '- a & <b> \\ =;#', '00:00:09': 'Zürich 🎬', '00:09:59': '-->' })
    const before = await read()
    const { status, headers, text } = await caller.get(`${list}export/?format=${format}`)
    expect(status).toBe(200)
    expect(headers['content-type']).toBe(`${type}; charset=utf-8`)
    const [, id] = list.split('/')
    expect(headers['content-disposition']).toBe(`attachment; filename="chapters-${id}.${extension}"`)
    await put({})
    expect((await importText(format, text)).status).toBe(201)
    expect((await read()).map(([, ...rest]) => rest)).toEqual(before.map(([, ...rest]) => rest))
  })

  it('200: defaults to WebVTT, also without chapters', async () => {
    const { asset } = await openSession(caller)
    const { status, text } = await caller.get(`assets/${asset.id}/chapters/export/`)
    expect([status, text]).toEqual([200, 'WEBVTT\n'])
  })

  it('400: rejects an unknown format', async () => {
    expect((await caller.get(`${list}export/?format=srt`)).body.detail).toContain('webvtt, lines')
  })
})

describe('GET chapters/found/', () => {
  it('200: returns chapters that can be added as they are', async () => {
    const chapters = [
      { startSeconds: 90.5, title: 'Two' },
      { startSeconds: 0, title: '' },
      { startSeconds: 700, title: 'Beyond' },
    ]
    const { asset } = await probedAsset(caller, { chapters })
    const own = `assets/${asset.id}/chapters/`
    const found = await caller.get(`${own}found/`)
    expect(found.body).toEqual({
      chapters: [
        { title: 'Chapter 1', start_time: '00:00:00', start_seconds: 0 },
        { title: 'Two', start_time: '00:01:30', start_seconds: 90.5 },
      ],
    })
    expect((await caller.get<Chapters>(own)).body.count).toBe(0)
    expect((await caller.post(own, found.body)).status).toBe(201)
  })

  it('200: returns an empty list for a file without chapters', async () => {
    expect((await caller.get(`${list}found/`)).body).toEqual({ chapters: [] })
  })
})
