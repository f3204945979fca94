/** Chapters that start between two seconds. */
import type { chapters as contract, Page, Problem } from '@reelkeep/contract'
import { type Caller, probedAsset, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, expect, it } from 'vitest'

type Chapters = Page<contract.Chapter>

const api = await opened(TestApi.open())
let caller: Caller
let list: string

beforeEach(async () => {
  caller = await api.newOrganization()
  const { asset } = await probedAsset(caller)
  list = `assets/${asset.id}/chapters/`
})

const add = (...chapters: contract.NewChapter[]) => caller.post<Chapters & Problem>(list, { chapters })
const starts = async () =>
  (await caller.get<Chapters>(list)).body.results.map(({ start_time, start_seconds }) => [start_time, start_seconds])

it('201: a start in seconds keeps its milliseconds, and two chapters may start in one second', async () => {
  const { status, body } = await add(
    { title: 'c', start_seconds: 17.72 },
    { title: 'a', start_time: '00:00:17' },
    { title: 'b', start_time: '00:00:17', start_seconds: 17.0004 + 0.5 },
  )
  expect([status, body.results.map(({ title, start_seconds }) => [title, start_seconds])]).toEqual([
    201,
    [
      ['a', 17],
      ['b', 17.5],
      ['c', 17.72],
    ],
  ])
  expect(await starts()).toEqual([
    ['00:00:17', 17],
    ['00:00:17', 17.5],
    ['00:00:17', 17.72],
  ])
})

it('400: two chapters cannot start at the same millisecond', async () => {
  await add({ title: 'a', start_seconds: 0.1 })
  const { body } = await add({ title: 'b', start_seconds: 0.1001 }, { title: 'c', start_seconds: 0.2 })
  expect(body.errors).toMatchObject([{ code: 'chapter_start_taken', field: 'chapters[0].start_time' }])
  expect(await starts()).toEqual([['00:00:00', 0.1]])
})

it('400: `start_time` must be the second of `start_seconds`, and one of both is required', async () => {
  const different = await add({ title: 'a', start_time: '00:00:18', start_seconds: 17.72 })
  expect(different.body).toMatchObject({
    code: 'invalid_request',
    detail: '`chapters[0].start_time` must be 00:00:17, the same time as `start_seconds`, or left out.',
  })
  const neither = await add({ title: 'a' })
  expect(neither.body.errors).toMatchObject([{ field: 'chapters[0].start_time', detail: /is required/ }])
  const negative = await add({ title: 'a', start_seconds: -0.001 })
  expect(negative.body.errors).toMatchObject([{ field: 'chapters[0].start_seconds' }])
})

it('pages of chapters within one second neither repeat nor skip one', async () => {
  await add(...Array.from({ length: 7 }, (_, index) => ({ title: 'x', start_seconds: 5 + index / 1000 })))
  const found: number[] = []
  let url: string | null = `${list}?limit=2`
  while (url !== null && found.length < 8) {
    const { body }: { body: Chapters } = await caller.get<Chapters>(url)
    found.push(...body.results.map(({ start_seconds }) => start_seconds))
    url = body.next
  }
  expect(found).toEqual([5, 5.001, 5.002, 5.003, 5.004, 5.005, 5.006])
})

it('200: the edit of a title with the unchanged `start_time` keeps the milliseconds; `start_seconds` changes them', async () => {
  await add({ title: 'a', start_seconds: 17.72 })
  await caller.patch(`${list}1/`, { title: 'b', start_time: '00:00:17' })
  expect(await starts()).toEqual([['00:00:17', 17.72]])
  await caller.patch(`${list}1/`, { start_seconds: 17 })
  expect(await starts()).toEqual([['00:00:17', 17]])
})

it.each(['webvtt', 'lines', 'podcasting', 'ffmetadata'])(
  'an export as %s can be imported again unchanged',
  async (format) => {
    await add({ title: 'a', start_seconds: 0.04 }, { title: 'b', start_seconds: 17.719 })
    const { text } = await caller.get(`${list}export/?format=${format}`)
    const before = await starts()
    await caller.post(`${list}import/`, { format, text, replace: true })
    expect(await starts()).toEqual(before)
  },
)
