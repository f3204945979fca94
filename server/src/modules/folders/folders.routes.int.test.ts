import { type Caller, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'

type Folder = { title: string; uuid: string }
type Details = Folder & {
  parent: string | null
  path: Folder[]
  folder_count: number
  asset_count: number
  created_at: string
  updated_at: string
}
type Page = { count: number; next: string | null; previous: string | null; results: Folder[] }
type Node = { title: string; depth: number; has_more: boolean }

const FOLDERS = 'assets/folders/'

const testApi = await opened(TestApi.open())
let caller: Caller
beforeEach(async () => {
  caller = await testApi.newOrganization()
})

async function create(title: string, parent: Folder | null = null): Promise<Folder> {
  const { status, body } = await caller.post<Folder>(FOLDERS, {
    title,
    parent: parent?.uuid ?? null,
  })
  expect(status).toBe(201)
  return body
}
const read = async ({ uuid }: Folder) => (await caller.get<Details>(`${FOLDERS}${uuid}/`)).body
const move = (folder: Folder, parent: Folder | null) =>
  caller.post<Details>(`${FOLDERS}${folder.uuid}/move/`, { parent: parent?.uuid ?? null })
const titles = async () => {
  const { body } = await caller.get<Page>(FOLDERS)
  expect(body.results).toHaveLength(body.count)
  return body.results.map(({ title }) => title)
}

/** Creates nested folders, each inside the previous one. */
async function chain(length: number, top: Folder | null = null): Promise<Folder[]> {
  const folders: Folder[] = []
  for (let level = 1; level <= length; level++) {
    folders.push(await create(`level ${level}`, folders.at(-1) ?? top))
  }
  return folders
}

describe('GET assets/folders/<uuid>/', () => {
  it('200: returns the path of the folder and the number of its subfolders', async () => {
    const [a, b, c] = await chain(3)
    await create('beside c', b)
    expect(await read(b as Folder)).toEqual({
      ...b,
      parent: a?.uuid,
      path: [a],
      folder_count: 2,
      asset_count: 0,
      external_id: null,
      metadata: {},
      legal_hold: false,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
      updated_at: expect.stringMatching(/Z$/),
    })
    expect((await read(c as Folder)).path).toEqual([a, b])
  })

  it('404: gives the same error for a folder of another organization and an unknown one', async () => {
    const foreign = await (await testApi.newOrganization()).post<Folder>(FOLDERS, {
      title: 'Theirs',
    })
    const ofOther = await caller.get(`${FOLDERS}${foreign.body.uuid}/`)
    const unknown = await caller.get(`${FOLDERS}11111111111/`)
    const malformed = await caller.get(`${FOLDERS}no-folder/`)
    for (const { status, body } of [ofOther, unknown, malformed]) {
      expect([status, { ...body, request_id: '' }]).toEqual([404, { ...unknown.body, request_id: '' }])
    }
  })
})

describe('PATCH assets/folders/<uuid>/', () => {
  it('200: changes the title and the search index and nothing else', async () => {
    const [a, b] = await chain(2)
    const before = await read(b as Folder)
    const { status, body } = await caller.patch<Details>(`${FOLDERS}${b?.uuid}/`, {
      title: ' Neu ',
    })
    expect(status).toBe(200)
    expect(body).toEqual({ ...before, title: 'Neu', updated_at: body.updated_at })
    expect(body.updated_at > before.updated_at).toBe(true)
    expect((await caller.get<Page>(`${FOLDERS}?q=NEU`)).body.count).toBe(1)
    expect((await caller.get<Page>(`${FOLDERS}?q=level+2`)).body.count).toBe(0)
    expect(await titles()).toEqual([a?.title, 'Neu'])
  })
})

describe('POST assets/folders/<uuid>/move/', () => {
  it('200: moves a folder with its contents into another folder and back to the root', async () => {
    const [a, b, c] = await chain(3)
    const target = await create('target')
    expect((await move(b as Folder, target)).body.path).toEqual([target])
    expect((await read(c as Folder)).path).toEqual([target, b])
    expect((await read(a as Folder)).folder_count).toBe(0)
    expect((await move(b as Folder, null)).body).toMatchObject({ parent: null, path: [] })
  })

  it('200: accepts the current parent', async () => {
    const [a, b] = await chain(2)
    expect((await move(b as Folder, a as Folder)).body.parent).toBe(a?.uuid)
  })

  it('400: rejects moving a folder into itself or its subfolders', async () => {
    const folders = await chain(3)
    for (const target of folders) {
      const { status, body } = await caller.post(`${FOLDERS}${folders[0]?.uuid}/move/`, {
        parent: target.uuid,
      })
      expect([status, body.code]).toEqual([400, 'folder_into_itself'])
    }
  })

  it('400: rejects a move that would nest folders more than 32 levels deep', async () => {
    const deep = await chain(30)
    const three = await chain(3)
    const rejected = await caller.post(`${FOLDERS}${three[0]?.uuid}/move/`, {
      parent: deep.at(-1)?.uuid,
    })
    expect(rejected.body.code).toBe('folder_too_deep')
    expect((await move(three[1] as Folder, deep.at(-1) as Folder)).status).toBe(200)
    expect((await read(three[2] as Folder)).path).toHaveLength(31)
  })

  it('400 and 404: rejects an unknown target or folder', async () => {
    const folder = await create('here')
    const response = await caller.post(`${FOLDERS}${folder.uuid}/move/`, { parent: '11111111111' })
    expect([response.body.code, response.body.errors[0]?.field]).toEqual(['parent_not_found', 'parent'])
    const { body } = await caller.post(`${FOLDERS}11111111111/move/`, { parent: folder.uuid })
    expect(body.code).toBe('folder_not_found')
  })

  it('two concurrent moves of folders into each other do not create a cycle', async () => {
    for (let round = 0; round < 10; round++) {
      const [a, b] = [await create(`a${round}`), await create(`b${round}`)]
      const responses = await Promise.all([move(a, b), move(b, a)])
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 400])
    }
  })
})

describe('DELETE assets/folders/<uuid>/', () => {
  it('204: deletes an empty folder', async () => {
    const folder = await create('empty')
    const { status, text } = await caller.delete(`${FOLDERS}${folder.uuid}/`)
    expect([status, text]).toEqual([204, ''])
    expect((await caller.delete(`${FOLDERS}${folder.uuid}/`)).body.code).toBe('folder_not_found')
    expect(await titles()).toEqual([])
  })

  it('409, then 204: deletes a folder with subfolders only with recursive=true', async () => {
    const [a, b] = await chain(3)
    await create('stays')
    const preview = await caller.get(`${FOLDERS}${a?.uuid}/deletion/`)
    expect(preview.body).toEqual({ folder_count: 3, asset_count: 0, allowed: true })
    expect((await caller.delete(`${FOLDERS}${a?.uuid}/`)).body.code).toBe('folder_not_empty')
    expect(await titles()).toHaveLength(4)
    expect((await caller.delete(`${FOLDERS}${a?.uuid}/?recursive=true`)).status).toBe(204)
    expect(await titles()).toEqual(['stays'])
    expect((await caller.get(`${FOLDERS}${b?.uuid}/`)).status).toBe(404)
  })

  it('of a deletion and a concurrent creation in the folder, one fails', async () => {
    for (let round = 0; round < 10; round++) {
      const parent = await create('parent')
      const [deleted, created] = await Promise.all([
        caller.delete(`${FOLDERS}${parent.uuid}/`),
        caller.post(FOLDERS, { title: 'child', parent: parent.uuid }),
      ])
      expect([
        [204, 400],
        [409, 201],
      ]).toContainEqual([deleted.status, created.status])
    }
  })
})

describe('GET assets/folders/tree/', () => {
  const draw = async (query: string) => {
    const { body } = await caller.get<{ results: Node[] }>(`${FOLDERS}tree/${query}`)
    return body.results.map((node) => '  '.repeat(node.depth - 1) + node.title + (node.has_more ? ' …' : ''))
  }

  it('200: returns each folder before its subfolders, down to the requested depth', async () => {
    const [a] = await chain(4)
    await create('zebra', a)
    expect(await draw('')).toEqual(['level 1', '  level 2', '    level 3 …', '  zebra'])
    expect(await draw('?depth=1')).toEqual(['level 1 …'])
    expect(await draw(`?parent=${a?.uuid}&depth=32`)).toEqual(['level 2', '  level 3', '    level 4', 'zebra'])
  })

  it('200: returns folders with the same parent in natural order', async () => {
    const part = await create('Part 10')
    for (const title of ['b', 'École', 'Zoo', 'a 10', 'a 2', 'Echo']) await create(title, part)
    await create('Part 9')
    const below = ['a 2', 'a 10', 'b', 'Echo', 'École', 'Zoo'].map((title) => `  ${title}`)
    expect(await draw('')).toEqual(['Part 9', 'Part 10', ...below])
  })

  it('200: returns 100 subfolders per folder and says that there are more', async () => {
    const top = await create('top')
    await Promise.all(Array.from({ length: 101 }, (_, i) => create(`child ${1000 + i}`, top)))
    const tree = await draw('')
    expect(tree).toHaveLength(101)
    expect(tree[0]).toBe('top …')
  })

  it('400: rejects an unknown folder', async () => {
    const { body } = await caller.get(`${FOLDERS}tree/?parent=nowhere`)
    expect(body.code).toBe('parent_not_found')
  })
})

describe('the folder tree', () => {
  it('has has_more: true for every folder whose subfolders are not all included', async () => {
    await Promise.all(
      Array.from({ length: 40 }, async (_, top) => {
        const parent = await create(`top ${top}`)
        for (let child = 0; child < 30; child++) await create(`child ${child}`, parent)
      }),
    )
    type Tree = { results: (Node & { uuid: string; parent: string | null })[] }
    const { results } = (await caller.get<Tree>(`${FOLDERS}tree/`)).body
    expect(results).toHaveLength(1000)
    for (const { uuid, depth, has_more } of results) {
      const shown = results.filter(({ parent }) => parent === uuid).length
      expect(has_more).toBe(depth === 1 && shown < 30)
    }
  })
})

describe('the count of folders', () => {
  it('is correct at the root after creations, moves and deletions', async () => {
    const atRoot = async () => (await caller.get<Page>(`${FOLDERS}?parent=root`)).body.count
    const [a, b] = [await create('a'), await create('b')]
    const child = await create('child', a)
    expect(await atRoot()).toBe(2)
    await move(child, null)
    expect(await atRoot()).toBe(3)
    await move(b, a)
    expect(await atRoot()).toBe(2)
    await caller.delete(`${FOLDERS}${a.uuid}/?recursive=true`)
    expect(await atRoot()).toBe(1)
  })

  it('is the number of existing folders after many concurrent creations and deletions', async () => {
    const folders = await Promise.all(Array.from({ length: 60 }, (_, i) => create(`f${i}`)))
    await Promise.all(folders.slice(0, 25).map(({ uuid }) => caller.delete(`${FOLDERS}${uuid}/`)))
    const { body } = await caller.get<Page>(`${FOLDERS}?limit=100`)
    expect([body.count, body.results.length]).toEqual([35, 35])
  })
})
