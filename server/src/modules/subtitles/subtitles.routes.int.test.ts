import type { subtitles as contract, Page, Problem } from '@reelkeep/contract'
import { type ApiResponse, type Caller, Objects, openSession, stackEnv, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'

const testApi = await opened(TestApi.open())
const objects = new Objects(stackEnv(), testApi.context.config.STORAGE_MEDIA_BUCKET)
afterAll(() => objects[Symbol.dispose]())
let caller: Caller
let asset: string
let list: string
beforeEach(async () => {
  caller = await testApi.newOrganization()
  asset = (await openSession(caller)).asset.id
  list = `assets/${asset}/subtitles/`
})

const vtt = (text: string) => `WEBVTT\n\n00:00:01.000 --> 00:00:02.500\n${text}\n`
const add = (fields: object = {}) =>
  caller.post<contract.Subtitle & Problem>(list, { language: 'de', content: vtt('Tag'), ...fields })
const all = async () => (await caller.get<Page<contract.Subtitle>>(list)).body
const stored = () => objects.versions(`${caller.organizationId}/${asset}/subtitles/`)
const errorsOf = ({ body }: ApiResponse<Problem>) => body.errors.map(({ field, code, detail }) => [field, code, detail])

describe('POST subtitles/', () => {
  it('201: returns the track, which is listed and can be downloaded', async () => {
    const { status, body } = await add({ label: ' Untertitel ' })
    expect(status).toBe(201)
    const { id, created_at, ...rest } = body
    expect(rest).toEqual({ language: 'de', label: 'Untertitel', origin: 'uploaded', version: 1 })
    expect(await all()).toEqual({ count: 1, next: null, previous: null, results: [body] })
    const file = await caller.send('GET', `${list}${id}/`)
    expect(file.status).toBe(200)
    expect(file.headers['content-type']).toBe('text/vtt; charset=utf-8')
    expect(file.headers['content-disposition']).toBe(`attachment; filename="subtitles-${id}.vtt"`)
    expect(file.text).toBe(vtt('Tag'))
    expect(Date.parse(created_at)).not.toBeNaN()
  })

  it('201: accepts SRT, normalizes the language and labels the track with it', async () => {
    const content = '1\r\n00:00:01,000 --> 00:00:02,500\r\n<i>Olá</i> & bom dia\r\n'
    const { body } = await add({ language: 'PT-br', content })
    expect(body).toMatchObject({ language: 'pt-BR', label: 'português (Brasil)' })
    const { text } = await caller.send('GET', `${list}${body.id}/`)
    expect(text).toBe(vtt('<i>Olá</i> &amp; bom dia'))
  })

  it('201: accepts a track of 2 MiB, also with JSON escapes', async () => {
    const cue = `\n00:00:01.000 --> 00:00:02.000\n${'ü'.repeat(100)}\n`
    const content = `WEBVTT\n${cue.repeat(Math.floor((2 ** 21 - 7) / Buffer.byteLength(cue)))}`
    const escaped = JSON.stringify({ language: 'de', content }).replaceAll('ü', '\\u00fc')
    const { status } = await caller.send('POST', list, escaped)
    expect(status).toBe(201)
    const larger = await add({ content: content + ' '.repeat(1000) })
    expect([larger.status, larger.body.code]).toEqual([400, 'invalid_subtitle_text'])
  })

  it('201: creates one track and one text with the same Idempotency-Key', async () => {
    const fields = { language: 'de', content: vtt('Tag') }
    const headers = { 'idempotency-key': 'once' }
    const [first, second] = [
      await caller.post<contract.Subtitle>(list, fields, headers),
      await caller.post<contract.Subtitle>(list, fields, headers),
    ]
    expect([first.status, second.status]).toEqual([201, 201])
    expect(second.body).toEqual(first.body)
    expect((await all()).count).toBe(1)
    expect(await stored()).toHaveLength(1)
  })

  it('400: names every invalid line and adds nothing', async () => {
    const content = `${vtt('Tag')}\n00:05 --> 00:06\nx\n\nlost\n`
    const response = await add({ content })
    expect([response.status, response.body.code]).toEqual([400, 'invalid_subtitle_text'])
    expect(errorsOf(response)).toEqual([
      ['content', 'invalid_subtitle_text', 'Line 6: Invalid timing. Example: 00:01:30.000 --> 00:01:32.500.'],
      ['content', 'invalid_subtitle_text', 'Line 9: A cue must have a timing such as 00:01:30.000 --> 00:01:32.500.'],
    ])
    expect((await all()).count).toBe(0)
    expect(await stored()).toEqual([])
  })

  it('400: concurrent requests do not exceed the limit, and leave no extra text', async () => {
    for (let count = 0; count < 48; count++) await add()
    const responses = await Promise.all(Array.from({ length: 6 }, () => add()))
    const codes = responses.map(({ status, body }) => (status === 201 ? 201 : body.code))
    expect(codes.filter((code) => code === 201)).toHaveLength(2)
    expect(codes.filter((code) => code === 'too_many_subtitles')).toHaveLength(4)
    expect((await all()).count).toBe(50)
    expect(await stored()).toHaveLength(50)
  })
})

describe('GET subtitles/', () => {
  it('200: pages through the tracks, oldest first', async () => {
    const added = []
    for (const language of ['de', 'en', 'fr']) added.push((await add({ language })).body.id)
    const first = (await caller.get<Page<contract.Subtitle>>(`${list}?limit=2`)).body
    expect(first.count).toBe(3)
    const cursor = new URL(first.next ?? '').searchParams.get('cursor')
    const second = (await caller.get<Page<contract.Subtitle>>(`${list}?limit=2&cursor=${cursor}`)).body
    expect([...first.results, ...second.results].map(({ id }) => id)).toEqual(added)
    expect(second.next).toBeNull()
  })

  it('404: does not find tracks of another organization', async () => {
    const { id } = (await add()).body
    const other = await testApi.newOrganization()
    for (const path of [list, `${list}${id}/`]) {
      expect((await other.get<Problem>(path)).body.code).toBe('asset_not_found')
    }
    expect((await other.delete<Problem>(`${list}${id}/`)).body.code).toBe('asset_not_found')
  })
})

describe('DELETE subtitles/<id>/', () => {
  it('204, then 404: deletes the track and keeps the others', async () => {
    const [one, other] = [(await add()).body.id, (await add()).body.id]
    expect((await caller.delete(`${list}${one}/`)).status).toBe(204)
    expect((await all()).results.map(({ id }) => id)).toEqual([other])
    expect((await caller.get<Problem>(`${list}${one}/`)).body.code).toBe('subtitle_not_found')
    const again = await caller.delete<Problem>(`${list}${one}/`)
    expect([again.status, again.body.code]).toEqual([404, 'subtitle_not_found'])
  })

  it('404: does not find a track of another asset', async () => {
    const { id } = (await add()).body
    const other = (await openSession(caller)).asset.id
    const { body } = await caller.delete<Problem>(`assets/${other}/subtitles/${id}/`)
    expect(body.code).toBe('subtitle_not_found')
    expect((await all()).count).toBe(1)
  })
})
