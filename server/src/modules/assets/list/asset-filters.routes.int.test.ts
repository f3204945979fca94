import type { assets as contract, Page, Problem } from '@reelkeep/contract'
import { type Caller, openSession, Superuser, stackEnv, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeAll, describe, expect, it } from 'vitest'

type Assets = Page<contract.Asset> & { count_is_exact: boolean }

const testApi = await opened(TestApi.open())
const superuser = await opened(Superuser.open(stackEnv()))
let caller: Caller
/** Ids by title. */
const ids: Record<string, string> = {}

/** Six assets, created in this order; the last two have not been probed. */
const library = [
  { title: 'Part 10', tags: ['Physics', 'Summer'], duration: 60, bytes: 500, day: 1 },
  { title: 'Part 2', tags: ['physics'], duration: 10, bytes: 100, day: 2 },
  { title: 'Épilogue', tags: ['Summer'], duration: 60, bytes: 300, day: 3 },
  { title: 'Zoo', tags: [], duration: 5, bytes: 400, day: 4, status: 'Error' },
  { title: 'eagle', tags: ['PHYSICS'], duration: null, bytes: 200, day: 5, status: 'Queued' },
  { title: 'part 1', tags: [], duration: null, bytes: null, day: 6 },
] as const

beforeAll(async () => {
  caller = await testApi.newOrganization()
  const folder = (await caller.post<{ uuid: string }>('assets/folders/', { title: 'Course' })).body.uuid
  ids['Course'] = folder
  for (const { title, tags, ...row } of library) {
    const isInFolder = title.toLowerCase().startsWith('part')
    const { asset } = await openSession(caller, {
      title,
      tags: [...tags],
      folder: isInFolder ? folder : null,
      external_id: `course/${title}`,
    })
    ids[title] = asset.id
    await superuser.query(
      `update assets set duration_seconds = $3, bytes = $4::bigint,
         source_key = case when $4::bigint is not null then 'x' end,
         created_at = $5, updated_at = $5::timestamptz + interval '1 year', status = coalesce($6, status),
         error_code = case when $6 = 'Error' then 'not_a_video' end,
         error_detail = case when $6 = 'Error' then 'Not a video.' end
       where organization_id = $1 and id = $2`,
      [caller.organizationId, asset.id, row.duration, row.bytes, timeOf(row.day), 'status' in row ? row.status : null],
    )
  }
  await superuser.query(`insert into chapter_sets (organization_id, asset_id) values ($1, $2)`, [
    caller.organizationId,
    ids['Part 2'],
  ])
  await superuser.query(
    `insert into chapters (organization_id, asset_id, id, start_seconds, title) values ($1, $2, 1, 0, 'a'), ($1, $2, 2, 1, 'b')`,
    [caller.organizationId, ids['Part 2']],
  )
  await superuser.query(
    `insert into subtitle_tracks (organization_id, asset_id, id, language, label, origin, storage_key)
     select $1, one::uuid, gen_random_uuid(), 'en', 'English', 'uploaded', 'x' from unnest($2::text[]) as one`,
    [caller.organizationId, [ids['Part 2'], ids['Part 2'], ids['Zoo']]],
  )
})

const timeOf = (day: number) => `2026-01-0${day}T00:00:00.000001Z`
const list = async (query: string) => (await caller.get<Assets>(`assets/?${query}`)).body

async function titles(query: string): Promise<string[]> {
  const { results, count, count_is_exact: isExact } = await list(query)
  expect([query, isExact, count]).toEqual([query, true, results.length])
  return results.map(({ title }) => title)
}

const newest: string[] = library.map(({ title }) => title).reverse()
const newestOf = (...wanted: string[]) => newest.filter((title) => wanted.includes(title))

const filters: [string, string[]][] = [
  ['status=Error', ['Zoo']],
  ['status=Error&status=Queued', newestOf('Zoo', 'eagle')],
  ['tag=PHYSICS', newestOf('Part 10', 'Part 2', 'eagle')],
  ['tag=physics&tag=summer', ['Part 10']],
  ['tag=nothing', []],
  ['external_id=course/Zoo', ['Zoo']],
  ['external_id=course/zoo', []],
  [`created_after=${timeOf(4)}`, newestOf('Zoo', 'eagle', 'part 1')],
  [`created_before=${timeOf(4)}`, newestOf('Part 10', 'Part 2', 'Épilogue')],
  [`created_after=${timeOf(2)}&created_before=${timeOf(4)}`, newestOf('Part 2', 'Épilogue')],
  ['created_after=2026-01-05T05:00:00%2B05:00', newestOf('eagle', 'part 1')],
  ['duration_min=10', newestOf('Part 10', 'Part 2', 'Épilogue')],
  ['duration_max=10', newestOf('Part 2', 'Zoo')],
  ['duration_min=5.5&duration_max=59.5', ['Part 2']],
  ['duration_min=0', newestOf('Part 10', 'Part 2', 'Épilogue', 'Zoo')],
  ['has=subtitles', newestOf('Part 2', 'Zoo')],
  ['has=chapters', ['Part 2']],
  ['has=error', ['Zoo']],
  ['has=subtitles&has=error', ['Zoo']],
  ['q=part', newestOf('Part 10', 'Part 2', 'part 1')],
]

describe('GET assets/ with filters', () => {
  it.each(filters)('200: filters by %s', async (query, found) => {
    expect(await titles(query)).toEqual(found)
  })

  it('200: filters by ids', async () => {
    const wanted = [ids['Zoo'], ids['Part 2'], '019a83b5-6a40-7c11-9d5e-0f2b7f6c1a2e']
    expect(await titles(wanted.map((id) => `id=${id}`).join('&'))).toEqual(newestOf('Zoo', 'Part 2'))
  })

  it('200: combines every two filters', async () => {
    const withFolder: typeof filters = [
      ...filters,
      [`folder=${ids['Course']}`, newestOf('Part 10', 'Part 2', 'part 1')],
    ]
    for (const [one, left] of withFolder) {
      for (const [other, right] of withFolder) {
        const names = (query: string) => query.split('&').map((pair) => pair.split('=')[0])
        // Given twice, a filter has a meaning of its own.
        if (names(one).some((name) => names(other).includes(name))) continue
        const found = await titles(`${one}&${other}`)
        expect([one, other, found]).toEqual([one, other, left.filter((title) => right.includes(title))])
      }
    }
  }, 60_000)

  it('200: a changed tag is found by its new name only', async () => {
    const { asset } = await openSession(caller, { title: 'Tagged', tags: ['one', 'Two'] })
    await caller.patch(`assets/${asset.id}/`, { tags: ['two', 'THREE'] })
    expect(await titles('tag=one')).toEqual([])
    expect(await titles('tag=two&tag=three')).toEqual(['Tagged'])
    expect((await caller.delete(`assets/${asset.id}/`)).status).toBe(204)
    expect(await titles('tag=two')).toEqual([])
  })

  it.each(['has=subtitles', 'has=chapters', 'tag=physics'])(
    '200: %s leaves out the trash, and finds what is restored',
    async (query) => {
      const all = await titles(query)
      expect((await caller.delete(`assets/${ids['Part 2']}/`)).status).toBe(204)
      expect(await titles(query)).toEqual(all.filter((title) => title !== 'Part 2'))
      expect((await caller.post(`assets/${ids['Part 2']}/restore/`, {})).status).toBe(200)
      expect(await titles(query)).toEqual(all)
    },
  )

  it.each([
    ['status=Nothing', 'status[0]'],
    ['has=legs', 'has[0]'],
    ['order=size', 'order'],
    ['id=7', 'id[0]'],
    ['created_after=yesterday', 'created_after'],
    ['created_before=1999-01-01T00:00:00Z', 'created_before'],
    ['duration_min=-1', 'duration_min'],
    [Array(11).fill('tag=x').join('&'), 'tag'],
    [Array(101).fill('id=019a83b5-6a40-7c11-9d5e-0f2b7f6c1a2e').join('&'), 'id'],
  ])('400: rejects %s', async (query, field) => {
    const { status, body } = await caller.get<Problem>(`assets/?${query}`)
    expect([status, body.code, body.errors[0]?.field]).toEqual([400, 'invalid_request', field])
  })
})

const byTitle = ['eagle', 'Épilogue', 'part 1', 'Part 2', 'Part 10', 'Zoo']
/** Equal durations are in the order of creation, and those without a duration are last in both directions. */
const orders: [string, string[]][] = [
  ['created_at', [...newest].reverse()],
  ['-created_at', newest],
  ['title', byTitle],
  ['-title', [...byTitle].reverse()],
  ['updated_at', [...newest].reverse()],
  ['-updated_at', newest],
  ['duration', ['Zoo', 'Part 2', 'Part 10', 'Épilogue', 'eagle', 'part 1']],
  ['-duration', ['Épilogue', 'Part 10', 'Part 2', 'Zoo', 'part 1', 'eagle']],
  ['bytes', ['Part 2', 'eagle', 'Épilogue', 'Zoo', 'Part 10', 'part 1']],
  ['-bytes', ['Part 10', 'Zoo', 'Épilogue', 'eagle', 'Part 2', 'part 1']],
]

/** Follows the URLs of the pages. */
async function walk(first: string, way: 'next' | 'previous') {
  const pages: string[][] = []
  let last = first
  for (let next: string | null = first; next !== null && pages.length < library.length; ) {
    last = next
    const body: Assets = (await caller.get<Assets>(next)).body
    pages.push(body.results.map(({ title }) => title))
    next = body[way]
  }
  return { pages, last }
}

describe('GET assets/ with an order', () => {
  it.each(orders)(
    '200: pages in both directions by %s, alone and with every filter',
    async (order, sorted) => {
      for (const [filter, found] of [['', newest] as const, ...filters]) {
        const wanted = sorted.filter((title) => found.includes(title))
        const forwards = await walk(`assets/?${filter}&order=${order}&limit=2`, 'next')
        expect([filter, forwards.pages.flat()]).toEqual([filter, wanted])
        const backwards = await walk(forwards.last, 'previous')
        expect([filter, backwards.pages.reverse().flat()]).toEqual([filter, wanted])
      }
    },
    60_000,
  )

  it('400: rejects the cursor of another order', async () => {
    for (const [order] of orders) {
      const { next } = await list(`order=${order}&limit=1`)
      const cursor = new URL(String(next)).searchParams.get('cursor')
      for (const [other] of orders) {
        const { status, body } = await caller.get<Problem>(`assets/?order=${other}&cursor=${cursor}`)
        const expected = other === order ? [200, undefined] : [400, 'invalid_cursor']
        expect([order, other, status, body.code]).toEqual([order, other, ...expected])
      }
    }
  })
})

describe('the count of a filtered list', () => {
  it('is null for more than 10,000 matches, and exact for 10,000 and without a filter', async () => {
    const other = await testApi.newOrganization()
    const [organizationId, total] = [other.organizationId, 10_001]
    await superuser.query(
      `insert into assets (organization_id, id, title, search_title, grams, resolutions, content_protection_type,
         generate_subtitle, duration_seconds)
       select $1, gen_random_uuid(), 'x', 'x', '{}', '{360p}', 'disable', false, number
       from generate_series(1, $2::int) as number`,
      [organizationId, total],
    )
    await superuser.query('insert into asset_counts values ($1, 0, $2)', [organizationId, total])
    const countOf = async (query: string) => {
      const { body } = await other.get<Assets>(`assets/?limit=1&fields=id&${query}`)
      return [body.count, body.count_is_exact]
    }
    expect(await countOf('order=title')).toEqual([total, true])
    expect(await countOf('folder=root')).toEqual([null, false])
    expect(await countOf('q=x&order=title')).toEqual([null, false])
    expect(await countOf('duration_min=1')).toEqual([null, false])
    expect(await countOf('duration_min=2')).toEqual([10_000, true])
  })
})
