import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Deployment, isExternal } from './deployment.ts'
import {
  byTitleThenUuid,
  FOLDERS,
  type FolderPage,
  listFolders,
  listPath,
  newFolder,
  newFolders,
  pagesFrom,
  titlesOf,
} from './folders.ts'
import { expectProblem, fieldsOf } from './problems.ts'

let deployment: Deployment
beforeAll(async () => {
  deployment = await Deployment.open()
})
afterAll(() => deployment[Symbol.asyncDispose]())

/** Creates a folder with subfolders of the given titles and returns its uuid. */
async function newShelf(titles: readonly string[]): Promise<string> {
  const { uuid } = await newFolder(deployment.mine, deployment.unique())
  await newFolders(deployment.mine, titles, uuid)
  return uuid
}

const found = async (parent: string, q: string) =>
  titlesOf((await listFolders(deployment.mine, { parent, q, limit: 100 })).results)

describe('4.7 List folders', () => {
  it('[4.7.1, 4.7.3, 7.10] 200: returns title and uuid of each folder in the envelope', async () => {
    const q = deployment.unique()
    const folder = await newFolder(deployment.mine, q)
    const { status, headers, body } = await deployment.mine.get<FolderPage>(listPath({ q }))
    expect(status).toBe(200)
    expect(headers['content-type']).toMatch(/^application\/json\b/)
    expect(body).toEqual({ count: 1, next: null, previous: null, results: [folder] })
  })

  it('[4.7.1] 200: accepts the path without a trailing slash, on every page', async () => {
    const q = deployment.unique()
    const folders = await newFolders(deployment.mine, [`${q} 1`, `${q} 2`, `${q} 3`])
    const { status, body } = await deployment.mine.get<FolderPage>(`assets/folders?q=${q}&limit=1`)
    expect(status).toBe(200)
    const pages = await pagesFrom(deployment.mine, body)
    expect(pages.flatMap(({ results }) => results)).toEqual(folders)
  })

  it('[4.7.1] 200: returns folders at every depth', async () => {
    const q = deployment.unique()
    const one = await newFolder(deployment.mine, `${q} 1`)
    const two = await newFolder(deployment.mine, `${q} 2`, one.uuid)
    const three = await newFolder(deployment.mine, `${q} 3`, two.uuid)
    expect((await listFolders(deployment.mine, { q })).results).toEqual([one, two, three])
  })

  it.skipIf(isExternal)('[4.7.1] 200: returns every folder of the organization and no other', async () => {
    const caller = await deployment.newOrganization()
    expect(await listFolders(caller, {})).toMatchObject({ count: 0, results: [] })
    const one = await newFolder(caller, 'One')
    const two = await newFolder(caller, 'Two', one.uuid)
    expect(await listFolders(caller, {})).toMatchObject({ count: 2, results: [one, two] })
  })

  it('[4.7.1] 200: a folder is listed as soon as it is created', async () => {
    const q = deployment.unique()
    for (let count = 1; count <= 10; count++) {
      await newFolder(deployment.mine, q)
      expect(await listFolders(deployment.mine, { q })).toMatchObject({ count })
    }
  })

  it('[4.7.1] 200: lists only the folders in a given parent, or at the root', async () => {
    const q = deployment.unique()
    const outer = await newFolder(deployment.mine, `${q} outer`)
    const middle = await newFolder(deployment.mine, `${q} middle`, outer.uuid)
    const inner = await newFolder(deployment.mine, `${q} inner`, middle.uuid)
    const inside = async (parent: string) => (await listFolders(deployment.mine, { parent, q })).results
    expect(await inside('root')).toEqual([outer])
    expect(await inside(outer.uuid)).toEqual([middle])
    expect(await inside(middle.uuid)).toEqual([inner])
    expect(await inside(inner.uuid)).toEqual([])
  })

  it('[4.7.1, 7.10] 400: rejects a parent that is missing or belongs to another organization', async () => {
    const foreign = await newFolder(deployment.other, deployment.unique())
    for (const parent of ['11111111111', 'nonsense', foreign.uuid]) {
      const response = await deployment.mine.get(listPath({ parent }))
      expect(fieldsOf(expectProblem(response, 'parent_not_found'))).toEqual(['parent'])
    }
  })

  it('[4.7.1, 7.10] 400: rejects unknown query parameters and names them', async () => {
    const response = await deployment.mine.get(`${FOLDERS}?search=x&page=2`)
    expect(fieldsOf(expectProblem(response, 'unknown_field'))).toEqual(['page', 'search'])
  })
})

describe('4.7 Order', () => {
  it('[4.7.3] 200: orders folders by title in natural order', async () => {
    const titles = [
      '_',
      '!',
      '0',
      '2',
      '10',
      'a',
      'A',
      'Ä',
      'ab',
      'B',
      'Echo',
      'École',
      'Part 2',
      'Part 10',
      'z',
      'я',
      '中',
    ]
    const uuid = await newShelf(titles.toReversed())
    const { results } = await listFolders(deployment.mine, { parent: uuid })
    expect(titlesOf(results)).toEqual(titles)
    const searched = await listFolders(deployment.mine, { parent: uuid, q: '' })
    expect(searched.results).toEqual(results)
  })

  it('[4.7.3] 200: orders equal titles by uuid, also in search results', async () => {
    const uuid = await newShelf(Array(30).fill('Same'))
    for (const query of [{ parent: uuid }, { parent: uuid, q: 'same' }]) {
      const { results } = await listFolders(deployment.mine, query)
      expect(results).toHaveLength(30)
      expect(results).toEqual(results.toSorted(byTitleThenUuid))
    }
  })
})

describe('4.7 Search', () => {
  it('[4.7.2] 200: finds a term at the start, in the middle and at the end of titles', async () => {
    const uuid = await newShelf(['Lectures 2026', 'Lessons', 'Old lectures', 'Selected works'])
    expect(await found(uuid, 'Lectures')).toEqual(['Lectures 2026', 'Old lectures'])
    expect(await found(uuid, 'lect')).toEqual(['Lectures 2026', 'Old lectures', 'Selected works'])
    expect(await found(uuid, 'works')).toEqual(['Selected works'])
    expect(await found(uuid, 's 2')).toEqual(['Lectures 2026'])
    expect(await found(uuid, 'Lessons')).toEqual(['Lessons'])
    expect(await found(uuid, 'Lessons!')).toEqual([])
  })

  it('[4.7.2] 200: finds terms of one and two letters', async () => {
    const uuid = await newShelf(['Quiz', 'Box', 'Fox', 'x'])
    expect(await found(uuid, 'x')).toEqual(['Box', 'Fox', 'x'])
    expect(await found(uuid, 'OX')).toEqual(['Box', 'Fox'])
    expect(await found(uuid, 'z')).toEqual(['Quiz'])
  })

  it('[4.7.2] 200: an empty term is ignored', async () => {
    const uuid = await newShelf(['Apple', 'Pear'])
    expect(await found(uuid, '')).toEqual(['Apple', 'Pear'])
  })

  it.for([
    ['École', 'ecole'],
    ['École', 'ÉCOLE'],
    ['École', 'E\u0301cole'],
    ['E\u0301cole', 'école'],
    ['ecole', 'École'],
    ['GRÖSSE', 'größe'],
    ['Straße', 'STRASSE'],
    ['Ñandú', 'nandu'],
    ['Žižek', 'zizek'],
    ['Phở Việt', 'pho viet'],
    ['ΑΘΉΝΑ', 'αθηνα'],
    ['МОСКВА', 'москва'],
    ['İZMİR', 'izmir'],
  ] as const)('[4.7.2] 200: ignores case and accents: finds %s by %s', async ([title, q]) => {
    const uuid = await newShelf([`1 ${title} 1`, 'Zwischenraum'])
    const { count, results } = await listFolders(deployment.mine, { parent: uuid, q })
    expect(count).toBe(1)
    expect(titlesOf(results)).toEqual([`1 ${title.normalize('NFC')} 1`])
  })

  it.for([
    ['100% sure', '0%', '100x sure'],
    ['a_b', 'a_b', 'axb'],
    ['%', '%', 'percent'],
    ['_', '_', 'underscore'],
    ['C:\\films', ':\\f', 'C:films'],
    ['back\\', '\\', 'back'],
    ['\\%', '\\%', '%'],
    ["it's", "'", 'its'],
    ['a.c', '.', 'abc'],
    ['[a-z]*', '[a-z]*', 'a'],
    ['(x|y)', '|', 'x'],
    ['^$', '^', '$'],
    ['R&D = 1+1?', '&d = 1+1?', 'R D'],
    ['"quoted"', '"', 'quoted'],
    ['#1', '#1', '1'],
    ['🎬 films', '🎬', '🎥 films'],
    ['講義ノート', '義ノ', '講ノート'],
  ] as const)('[4.7.2] 200: special characters are literal: finds "%s" by "%s"', async (row) => {
    const [title, q, otherTitle] = row
    const uuid = await newShelf([title, otherTitle])
    expect(await found(uuid, q)).toEqual([title])
  })

  it('[4.7.2] 200: ignores spaces around the search text', async () => {
    const q = deployment.unique()
    const folder = await newFolder(deployment.mine, q)
    const { body } = await deployment.mine.get(`${FOLDERS}?q=%20${q}%20`)
    expect(body).toMatchObject({ count: 1, results: [folder] })
  })

  it('[4.7.2] 200: accepts + and %20 for a space', async () => {
    const q = deployment.unique()
    const folder = await newFolder(deployment.mine, `${q} two words`)
    for (const blank of ['+', '%20']) {
      const { body } = await deployment.mine.get(`${FOLDERS}?q=${q}${blank}two${blank}words`)
      expect(body).toMatchObject({ count: 1, results: [folder] })
    }
  })

  it('[4.7.2, 4.7.3] 200: paginates few and many matches among many folders', async () => {
    const titles = Array.from({ length: 160 }, (_, number) => `Film ${String(number).padStart(3, '0')}`)
    const uuid = await newShelf(titles)
    const rare = await listFolders(deployment.mine, { parent: uuid, q: 'm 07', limit: 100 })
    expect(rare.count).toBe(10)
    expect(titlesOf(rare.results)).toEqual(titles.slice(70, 80))
    for (const q of ['film', 'm 0', 'i']) {
      const first = await listFolders(deployment.mine, { parent: uuid, q, limit: 33 })
      const forth = await pagesFrom(deployment.mine, first)
      const expected = titles.filter((title) => title.toLowerCase().includes(q))
      expect(titlesOf(forth.flatMap(({ results }) => results))).toEqual(expected)
      expect(new Set(forth.map(({ count }) => count))).toEqual(new Set([expected.length]))
      const last = forth.at(-1) ?? first
      const back = await pagesFrom(deployment.mine, last, 'previous')
      expect(back.map(({ results }) => results)).toEqual(forth.map(({ results }) => results).reverse())
    }
  })

  it('[4.7.2] 200: finds a renamed folder by its new title only', async () => {
    const [before, after] = [deployment.unique(), deployment.unique()]
    const { uuid } = await newFolder(deployment.mine, before)
    await deployment.mine.patch(`${FOLDERS}${uuid}/`, { title: after })
    expect(await listFolders(deployment.mine, { q: before })).toMatchObject({ count: 0 })
    expect(await listFolders(deployment.mine, { q: after })).toMatchObject({ count: 1 })
  })

  it('[4.7.2, 7.10] 400: rejects a term of more than 200 characters, or two terms', async () => {
    const { mine } = deployment
    expect(await mine.get(listPath({ q: 'ä'.repeat(200) }))).toMatchObject({ status: 200 })
    for (const query of [`q=${'a'.repeat(201)}`, 'q=a&q=b']) {
      const response = await mine.get(`${FOLDERS}?${query}`)
      expect(fieldsOf(expectProblem(response, 'invalid_request'))).toEqual(['q'])
    }
  })
})
