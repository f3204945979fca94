import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Deployment, isExternal } from './deployment.ts'
import {
  byTitleThenUuid,
  FOLDERS,
  type Folder,
  type FolderPage,
  folderUuidForm,
  follow,
  listFolders,
  newFolder,
  newFolders,
  pagesFrom,
} from './folders.ts'
import { expectProblem, fieldsOf } from './problems.ts'

let deployment: Deployment
beforeAll(async () => {
  deployment = await Deployment.open()
})
afterAll(() => deployment[Symbol.asyncDispose]())

/** Creates a folder with subfolders of the given titles. */
async function newShelf(titles: readonly string[]) {
  const { uuid } = await newFolder(deployment.mine, deployment.unique())
  const folders = await newFolders(deployment.mine, titles, uuid)
  return { uuid, folders: folders.sort(byTitleThenUuid) }
}

const numbered = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => `Box ${String(from + index).padStart(3, '0')}`)

describe('2. Folder', () => {
  it('[2.25] 201, 200: a folder has the given title', async () => {
    const title = `${deployment.unique()} Vorträge / 講義 🎬 "2026" \\ <b>`
    const folder = await newFolder(deployment.mine, title)
    expect(folder.title).toBe(title)
    expect((await listFolders(deployment.mine, { q: title })).results).toEqual([folder])
  })

  it('[2.26] 201: the uuid of a folder has 11 unambiguous letters and digits', async () => {
    const { folders } = await newShelf(numbered(40))
    for (const { uuid } of folders) expect(uuid).toMatch(folderUuidForm)
    expect(new Set(folders.map(({ uuid }) => uuid)).size).toBe(40)
  })

  it('[2.27] 201, 200: parent is accepted in requests and absent from responses', async () => {
    const { uuid } = await newFolder(deployment.mine, deployment.unique())
    const title = deployment.unique()
    const created = await deployment.mine.post<Folder>(FOLDERS, { title, parent: uuid })
    expect(Object.keys(created.body).sort()).toEqual(['title', 'uuid'])
    const [listed] = (await listFolders(deployment.mine, { parent: uuid })).results
    expect(Object.keys(listed ?? {}).sort()).toEqual(['title', 'uuid'])
  })
})

describe('2. Paginated list envelope', () => {
  it('[2.28, 2.29, 2.30, 2.31] 200: the envelope has exactly count, next, previous and results', async () => {
    const { uuid, folders } = await newShelf(numbered(3))
    const { body } = await deployment.mine.get<FolderPage>(`${FOLDERS}?parent=${uuid}`)
    expect(body).toEqual({ count: 3, next: null, previous: null, results: folders })
  })

  it('[2.28, 2.31] 200: without matches, count is 0 and results is empty', async () => {
    const page = await listFolders(deployment.mine, { q: deployment.unique() })
    expect(page).toEqual({ count: 0, next: null, previous: null, results: [] })
  })

  it('[2.28] 200: count is the total number of items on every page', async () => {
    const { uuid } = await newShelf(numbered(11))
    const first = await listFolders(deployment.mine, { parent: uuid, limit: 2 })
    const pages = await pagesFrom(deployment.mine, first)
    expect(pages.map(({ count }) => count)).toEqual(Array(6).fill(11))
  })

  it.skipIf(isExternal)('[2.28] 200: count stays exact while ten clients create and delete folders', async () => {
    const caller = await deployment.newOrganization()
    expect(await listFolders(caller, {})).toMatchObject({ count: 0, results: [] })
    const { uuid } = await newFolder(caller, 'Shelf')
    const folders = await newFolders(caller, numbered(30), uuid)
    await Promise.all([
      ...folders.slice(0, 10).map((folder) => caller.delete(`${FOLDERS}${folder.uuid}/`)),
      newFolders(caller, numbered(20, 100)),
    ])
    const first = await listFolders(caller, { limit: 9 })
    const pages = await pagesFrom(caller, first)
    expect(pages.flatMap(({ results }) => results)).toHaveLength(41)
    expect(new Set(pages.map(({ count }) => count))).toEqual(new Set([41]))
  })

  it('[2.29, 2.30] 200: next and previous are absolute URLs, or null on the last and the first page', async () => {
    const { uuid, folders } = await newShelf(numbered(3))
    const first = await listFolders(deployment.mine, { parent: uuid, limit: 2 })
    expect(first).toMatchObject({ previous: null, results: folders.slice(0, 2) })
    expect(first.next).toMatch(/^https?:\/\/[^/]/)
    const second = await follow(deployment.mine, first.next ?? '')
    expect(second).toMatchObject({ next: null, results: folders.slice(2) })
    expect(second.previous).toMatch(/^https?:\/\/[^/]/)
    expect(await follow(deployment.mine, second.previous ?? '')).toMatchObject({
      previous: null,
      results: folders.slice(0, 2),
    })
  })

  it('[2.29] 200: a full last page has no next', async () => {
    const { uuid } = await newShelf(numbered(4))
    const first = await listFolders(deployment.mine, { parent: uuid, limit: 2 })
    const second = await follow(deployment.mine, first.next ?? '')
    expect(second.results).toHaveLength(2)
    expect(second.next).toBeNull()
  })

  it('[2.29, 2.30, 2.31] 200: following previous returns the same pages as following next', async () => {
    // Equal titles span page boundaries, so that only the uuid determines where a page starts.
    const { uuid, folders } = await newShelf([...numbered(8), ...Array(9).fill('Box 003')])
    const first = await listFolders(deployment.mine, { parent: uuid, limit: 2 })
    const forth = await pagesFrom(deployment.mine, first)
    expect(forth.flatMap(({ results }) => results)).toEqual(folders)
    expect(forth.map(({ results }) => results.length)).toEqual([2, 2, 2, 2, 2, 2, 2, 2, 1])
    const last = forth.at(-1) ?? first
    const back = await pagesFrom(deployment.mine, last, 'previous')
    expect(back.reverse().map(({ results }) => results)).toEqual(forth.map(({ results }) => results))
  })

  it('[2.29] 200: next keeps the search term unchanged, whatever characters it contains', async () => {
    const q = `${deployment.unique()} 100% & +plus=ä/?#\\ 📁`
    await newFolders(deployment.mine, [`${q} 1`, `${q} 2`, `${q} 3`])
    await newFolder(deployment.mine, q.replace('&', '+'))
    const first = await listFolders(deployment.mine, { q, limit: 1 })
    const pages = await pagesFrom(deployment.mine, first)
    expect(pages.map(({ count, results }) => [count, results[0]?.title])).toEqual([
      [3, `${q} 1`],
      [3, `${q} 2`],
      [3, `${q} 3`],
    ])
  })
})

describe('2. Paginated list envelope, with concurrent inserts', () => {
  it('[2.29, 2.31] 200: following next repeats and skips no row', async () => {
    const { uuid, folders } = await newShelf(numbered(60))
    const first = await listFolders(deployment.mine, { parent: uuid, limit: 7 })
    const seen = await readWhileOthersInsert(uuid, first, 'next')
    expectEachOnce(seen, folders)
  })

  it('[2.30, 2.31] 200: following previous repeats and skips no row', async () => {
    const { uuid, folders } = await newShelf(numbered(60))
    const first = await listFolders(deployment.mine, { parent: uuid, limit: 7 })
    const last = (await pagesFrom(deployment.mine, first)).at(-1) ?? first
    const seen = await readWhileOthersInsert(uuid, last, 'previous')
    expectEachOnce(seen.reverse(), folders)
  })

  it('[2.29] 200: a row inserted right after a page is on the next page', async () => {
    const { uuid, folders } = await newShelf(numbered(4))
    const first = await listFolders(deployment.mine, { parent: uuid, limit: 2 })
    await newFolder(deployment.mine, 'Box 000 before the edge', uuid)
    const behind = await newFolder(deployment.mine, 'Box 001 behind the edge', uuid)
    const second = await follow(deployment.mine, first.next ?? '')
    expect(second).toMatchObject({ count: 6, results: [behind, folders[2]] })
  })

  it('[2.29, 2.30] 200: deleting the rows at a page boundary does not affect the next page', async () => {
    const { uuid, folders } = await newShelf(numbered(6))
    const first = await listFolders(deployment.mine, { parent: uuid, limit: 2 })
    const second = await follow(deployment.mine, first.next ?? '')
    for (const index of [1, 2]) {
      await deployment.mine.delete(`${FOLDERS}${folders[index]?.uuid}/`)
    }
    const onwards = await follow(deployment.mine, first.next ?? '')
    expect(onwards).toMatchObject({ count: 4, results: [folders[3], folders[4]] })
    const back = await follow(deployment.mine, second.previous ?? '')
    expect(back).toMatchObject({ count: 4, previous: null, results: [folders[0]] })
  })

  /** Four clients insert rows at all positions until the reader has finished. */
  async function readWhileOthersInsert(
    parent: string,
    from: FolderPage,
    direction: 'next' | 'previous',
  ): Promise<Folder[]> {
    let isReading = true
    const inserting = Array.from({ length: 4 }, async (_, caller) => {
      for (let number = 0; isReading && number < 60; number++) {
        const position = String((number * 17 + caller * 7) % 60).padStart(3, '0')
        await newFolder(deployment.mine, `Box ${position} late`, parent)
      }
    })
    const seen: Folder[] = []
    for (const { results } of await pagesFrom(deployment.mine, from, direction)) {
      seen.push(...(direction === 'next' ? results : results.toReversed()))
    }
    isReading = false
    await Promise.all(inserting)
    return seen
  }

  function expectEachOnce(seen: readonly Folder[], folders: readonly Folder[]) {
    expect(seen).toEqual(seen.toSorted(byTitleThenUuid))
    expect(new Set(seen.map(({ uuid }) => uuid)).size).toBe(seen.length)
    expect(seen.filter(({ title }) => !title.endsWith('late'))).toEqual(folders)
    expect(seen.length).toBeGreaterThan(folders.length)
  }
})

describe('2. Paginated list envelope, query parameters', () => {
  it('[2.31, 8.4] 200: the default limit is 50, the maximum 100', async () => {
    const { uuid, folders } = await newShelf(numbered(101))
    const usual = await listFolders(deployment.mine, { parent: uuid })
    expect(usual.results).toEqual(folders.slice(0, 50))
    const most = await listFolders(deployment.mine, { parent: uuid, limit: 100 })
    expect(most).toMatchObject({ count: 101, results: folders.slice(0, 100) })
    const least = await listFolders(deployment.mine, { parent: uuid, limit: 1 })
    expect(least).toMatchObject({ count: 101, results: [folders[0]] })
  })

  it.for(['0', '-1', '101', '1.5', 'ten', '', '1e9', '9007199254740993', ' ', '1 or 1=1'])(
    '[2.31, 7.10] 400: rejects the limit "%s"',
    async (limit) => {
      const response = await deployment.mine.get(`${FOLDERS}?limit=${encodeURIComponent(limit)}`)
      expect(fieldsOf(expectProblem(response, 'invalid_request'))).toEqual(['limit'])
    },
  )

  it.for(['junk', 'bm90IG91cnM', 'WzEsImEiXQ', 'WzEsMSwxXQ', '%00', 'W10', 'eyJhIjoxfQ'])(
    '[2.29, 7.10] 400: rejects an invalid cursor: %s',
    async (cursor) => {
      const response = await deployment.mine.get(`${FOLDERS}?cursor=${cursor}`)
      expect(fieldsOf(expectProblem(response, 'invalid_cursor'))).toEqual(['cursor'])
    },
  )

  it('[2.29] 200: a cursor from another organization reveals none of its folders', async () => {
    const q = deployment.unique()
    await newFolders(deployment.other, [`${q} b`, `${q} d`])
    await newFolder(deployment.mine, `${q} a`)
    const own = await newFolder(deployment.mine, `${q} c`)
    const { next } = await listFolders(deployment.other, { q, limit: 1 })
    const cursor = new URL(next ?? '').searchParams.get('cursor') ?? ''
    const page = await listFolders(deployment.mine, { q, cursor })
    expect(page).toMatchObject({ count: 2, results: [own] })
  })
})
