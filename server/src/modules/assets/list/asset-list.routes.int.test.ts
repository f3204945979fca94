import type { assets as contract, Page, Problem } from '@reelkeep/contract'
import { type Caller, openSession, TestApi, uploadAsset } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'

type Assets = Page<contract.Asset>

const testApi = await opened(TestApi.open())
let caller: Caller
beforeEach(async () => {
  caller = await testApi.newOrganization()
})

const list = async (query = '') => (await caller.get<Assets>(`assets/${query}`)).body
const titles = async (query: string) => {
  const { results, count } = await list(query)
  expect(results).toHaveLength(count)
  return results.map(({ title }) => title)
}

async function newFolder(title: string, parent: string | null = null): Promise<string> {
  const { body } = await caller.post<{ uuid: string }>('assets/folders/', { title, parent })
  return body.uuid
}

/** Creates two assets each at the root, in a folder and in its subfolder. The second of each pair has its file. */
async function library() {
  const outer = await newFolder('outer')
  const inner = await newFolder('inner', outer)
  for (const [folder, name] of [
    [null, 'Root'],
    [outer, 'Outer'],
    [inner, 'Ínner'],
  ] as const) {
    await openSession(caller, { title: `${name} lecture`, folder })
    await uploadAsset(caller, { title: `${name} talk`, folder })
  }
  return { outer, inner }
}

const newest = ['Ínner talk', 'Ínner lecture', 'Outer talk', 'Outer lecture', 'Root talk']

describe('GET assets/', () => {
  it('200: lists all assets, newest first', async () => {
    await library()
    expect(await titles('')).toEqual([...newest, 'Root lecture'])
  })

  it('200: counts a filtered list when its first page is read, and all assets on every page', async () => {
    const { outer } = await library()
    for (const [query, countLater] of [
      [`?folder=${outer}&limit=1`, 2],
      ['?limit=1', 8],
    ] as const) {
      const first = await list(query)
      await openSession(caller, { title: 'Later lecture', folder: query.includes('folder') ? outer : null })
      const second = (await caller.get<Assets>(first.next ?? '')).body
      expect(second.count).toBe(countLater)
      expect((await caller.get<Assets>(second.previous ?? '')).body.count).toBe(countLater)
    }
  })

  it('200: filters by folder, status and text, alone and combined', async () => {
    const { outer, inner } = await library()
    const expected: [string, string[]][] = [
      ['?folder=root', ['Root talk', 'Root lecture']],
      [`?folder=${outer}`, ['Outer talk', 'Outer lecture']],
      [`?folder=${outer}&recursive=true`, newest.slice(0, 4)],
      [`?folder=${inner}&recursive=true`, newest.slice(0, 2)],
      ['?folder=root&recursive=true', [...newest, 'Root lecture']],
      ['?recursive=true', [...newest, 'Root lecture']],
      ['?status=Queued', ['Ínner talk', 'Outer talk', 'Root talk']],
      ['?status=Completed', []],
      ['?folder=root&status=Queued', ['Root talk']],
      [`?folder=${outer}&status=Queued`, ['Outer talk']],
      [`?folder=${outer}&recursive=true&status=Queued`, ['Ínner talk', 'Outer talk']],
      ['?q=LECTURE', ['Ínner lecture', 'Outer lecture', 'Root lecture']],
      ['?q=inner', ['Ínner talk', 'Ínner lecture']],
      ['?q=', [...newest, 'Root lecture']],
      ['?q=r+t', ['Ínner talk', 'Outer talk']],
      ['?q=k', ['Ínner talk', 'Outer talk', 'Root talk']],
      ['?q=lecture&folder=root', ['Root lecture']],
      [`?q=lecture&folder=${outer}`, ['Outer lecture']],
      [`?q=lecture&folder=${outer}&recursive=true`, ['Ínner lecture', 'Outer lecture']],
      ['?q=t&status=Queued', ['Ínner talk', 'Outer talk', 'Root talk']],
      [`?q=talk&folder=${outer}&recursive=true&status=Queued`, ['Ínner talk', 'Outer talk']],
      [`?q=talk&folder=${outer}&recursive=true&status=Not+Started`, []],
    ]
    for (const [query, found] of expected) {
      expect([query, await titles(query)]).toEqual([query, found])
    }
  })

  it.each(['11111111111', 'nowhere', 'null'])('400: rejects the folder %s', async (folder) => {
    for (const more of ['', '&recursive=true', '&q=x']) {
      const { status, body } = await caller.get<Problem>(`assets/?folder=${folder}${more}`)
      expect([status, body.code]).toEqual([400, 'target_folder_not_found'])
      expect(body.errors[0]?.field).toBe('folder')
    }
  })

  it("400: rejects another organization's folder", async () => {
    const foreigner = await testApi.newOrganization()
    const { body } = await foreigner.post<{ uuid: string }>('assets/folders/', { title: 'Theirs' })
    expect((await caller.get(`assets/?folder=${body.uuid}&recursive=true`)).status).toBe(400)
  })

  it("400: rejects another list's cursor", async () => {
    await newFolder('a')
    await newFolder('b')
    const folders = (await caller.get<Assets>('assets/folders/?limit=1')).body
    const cursor = new URL(String(folders.next)).searchParams.get('cursor')
    expect((await caller.get(`assets/?cursor=${cursor}`)).body.code).toBe('invalid_cursor')
  })
})

describe('paging through assets', () => {
  it('works forwards and backwards with every filter and returns the same count on each page', async () => {
    const outer = await newFolder('outer')
    const inner = await newFolder('inner', outer)
    for (let number = 0; number < 12; number++) {
      const folder = [null, outer, inner][number % 3]
      await openSession(caller, { title: `Lecture ${number}`, folder })
    }
    for (const [query, count] of [
      ['', 12],
      ['folder=root&', 4],
      [`folder=${outer}&`, 4],
      [`folder=${outer}&recursive=true&`, 8],
      ['status=Not+Started&', 12],
      [`folder=${outer}&recursive=true&status=Not+Started&`, 8],
      ['q=lecture&', 12],
      [`q=e&folder=${outer}&recursive=true&`, 8],
    ] as const) {
      const whole = (await list(`?${query}`)).results.map(({ id }) => id)
      expect([query, whole.length]).toEqual([query, count])
      expect(whole).toEqual([...whole].sort().reverse())
      const forwards = await walk(`assets/?${query}limit=3`, 'next')
      expect(forwards.pages.flat()).toEqual(whole)
      const backwards = await walk(forwards.last, 'previous')
      expect(backwards.pages.reverse().flat()).toEqual(whole)
    }
  })

  async function walk(first: string, way: 'next' | 'previous') {
    const pages: string[][] = []
    let last = first
    // Twelve assets need four pages of three. The limit makes the test fail if paging never ends.
    const PAGES_MAX = 4
    for (let next: string | null = first; next !== null; ) {
      last = next
      const page: Assets = (await caller.get<Assets>(next)).body
      pages.push(page.results.map(({ id }) => id))
      expect(pages.length, `pages of ${first}`).toBeLessThanOrEqual(PAGES_MAX)
      next = page[way]
    }
    return { pages, last }
  }
})

describe('the count of assets', () => {
  it('is the number of existing assets after many concurrent creations and deletions', async () => {
    const sessions = await Promise.all(Array.from({ length: 30 }, () => openSession(caller)))
    await Promise.all(sessions.slice(0, 12).map(({ asset }) => caller.delete(`assets/${asset.id}/`)))
    const { count, results } = await list('?limit=100')
    expect([count, results.length]).toEqual([18, 18])
  })
})
