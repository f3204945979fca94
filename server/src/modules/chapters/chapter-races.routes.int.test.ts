/** Concurrent changes to the chapters of one video. */
import type { chapters as contract, Page } from '@reelkeep/contract'
import { type Caller, probedAsset, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { expect, it } from 'vitest'

type Chapters = Page<contract.Chapter>

const ROUNDS = 25

const testApi = await opened(TestApi.open())
const caller = await testApi.newOrganization()

const timecode = (seconds: number) => new Date(seconds * 1000).toISOString().slice(11, 19)
const newList = async () => `assets/${(await probedAsset(caller)).asset.id}/chapters/`

function add(list: string, seconds: readonly number[], title = 'x') {
  const chapters = seconds.map((second) => ({ title, start_time: timecode(second) }))
  return caller.post<Chapters>(list, { chapters })
}

const from = (first: number, count: number) => Array.from({ length: count }, (_, index) => first + index)

async function readAll(of: Caller, list: string): Promise<contract.Chapter[]> {
  const all: contract.Chapter[] = []
  let next: string | null = `${list}?limit=100`
  while (next !== null) {
    const { body }: { body: Chapters } = await of.get<Chapters>(next)
    all.push(...body.results)
    // Makes the test fail instead of looping forever if paging repeats chapters.
    expect(all.length, 'chapters listed').toBeLessThanOrEqual(body.count)
    next = body.next
  }
  return all
}

it('of two concurrent requests with a chapter at the same second, one adds all and the other none', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const list = await newList()
    const responses = await Promise.all([add(list, [1, 5, 9], 'a'), add(list, [2, 5, 8], 'b')])
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 400])
    const winner = responses.find(({ status }) => status === 201)
    expect(await readAll(caller, list)).toEqual(winner?.body.results)
  }
})

it('concurrent requests do not exceed the limit of 500 chapters', async () => {
  for (let round = 0; round < 8; round++) {
    const list = await newList()
    await add(list, from(0, 480))
    const responses = await Promise.all([add(list, from(480, 15)), add(list, from(500, 15))])
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 400])
    expect(await readAll(caller, list)).toHaveLength(495)
  }
})

it('no id is used twice while chapters are added and deleted concurrently', async () => {
  const list = await newList()
  const given: number[] = []
  const work = async (writer: number) => {
    for (let round = 0; round < ROUNDS; round++) {
      const { body } = await add(list, [writer * 100 + round * 2, writer * 100 + round * 2 + 1])
      const ids = body.results.map(({ id }) => id)
      given.push(...ids)
      expect((await caller.delete(`${list}${ids[1]}/`)).status).toBe(204)
    }
  }
  await Promise.all([0, 1, 2, 3].map(work))
  expect(given.toSorted((a, b) => a - b)).toEqual(from(1, given.length))
  expect(await readAll(caller, list)).toHaveLength(given.length / 2)
})

it('a replacement and a concurrent addition are applied one after the other', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const list = await newList()
    const { body: before } = await add(list, [1, 2, 3])
    const chapters = [{ title: 'new', start_time: timecode(2) }]
    const [added, put] = await Promise.all([add(list, [4]), caller.send<Chapters>('PUT', list, { chapters })])
    expect([added.status, put.status]).toEqual([201, 200])
    expect(put.body.results).toEqual([{ ...before.results[1], title: 'new' }])
    const orders = [put.body.results, [...put.body.results, ...added.body.results]]
    expect(orders).toContainEqual(await readAll(caller, list))
  }
})

it('a list that is read during replacements has the entity tag of its chapters', async () => {
  const list = await newList()
  const titles = new Map<string | undefined, string[]>()
  const replace = async (round: number) => {
    const chapters = from(0, 1 + (round % 3)).map((second) => ({ title: `${round}`, start_time: timecode(second) }))
    const { body, headers } = await caller.send<Chapters>('PUT', list, { chapters })
    titles.set(
      headers['etag'],
      body.results.map(({ title }) => title),
    )
  }
  await replace(0)
  let isReplacing = true
  const read = async () => {
    const pages: { readonly etag: string | undefined; readonly titles: readonly string[] }[] = []
    while (isReplacing) {
      const { body, headers } = await caller.get<Chapters>(list)
      pages.push({ etag: headers['etag'], titles: body.results.map(({ title }) => title) })
    }
    return pages
  }
  const readers = [read(), read(), read()]
  try {
    for (let round = 1; round <= 8 * ROUNDS; round++) await replace(round)
  } finally {
    isReplacing = false
  }
  const pages = (await Promise.all(readers)).flat()
  expect(new Set(pages.map(({ etag }) => etag)).size).toBeGreaterThan(1)
  expect(pages.filter((page) => titles.get(page.etag)?.join() !== page.titles.join())).toEqual([])
})

it('a chapter is added before a concurrent deletion of its video, or rejected', async () => {
  const statuses = new Set<number>()
  for (let round = 0; round < ROUNDS; round++) {
    const { asset } = await probedAsset(caller)
    const [added, deleted] = await Promise.all([
      add(`assets/${asset.id}/chapters/`, [1]),
      caller.delete(`assets/${asset.id}/`),
    ])
    expect(deleted.status).toBe(204)
    statuses.add(added.status)
  }
  expect([...statuses].filter((status) => status !== 201 && status !== 404)).toEqual([])
})
