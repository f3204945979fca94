import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Deployment } from './deployment.ts'
import { FOLDERS, type Folder, folderUuidForm, listFolders, newFolder } from './folders.ts'
import { expectProblem, fieldsOf } from './problems.ts'

let deployment: Deployment
beforeAll(async () => {
  deployment = await Deployment.open()
})
afterAll(() => deployment[Symbol.asyncDispose]())

const create = (body: unknown) => deployment.mine.post<Folder>(FOLDERS, body)

describe('4.6 Create a folder', () => {
  it('[4.6.1, 4.6.5, 7.10] 201: returns exactly title and uuid', async () => {
    const title = deployment.unique()
    const { status, headers, body } = await create({ title })
    expect(status).toBe(201)
    expect(headers['content-type']).toMatch(/^application\/json\b/)
    expect(body).toEqual({ title, uuid: expect.stringMatching(folderUuidForm) })
  })

  it('[4.6.1] 201: accepts the path without a trailing slash', async () => {
    const title = deployment.unique()
    const { status, body } = await deployment.mine.post('assets/folders', { title })
    expect({ status, body }).toMatchObject({ status: 201, body: { title } })
  })

  it('[4.6.1] 201: accepts a content type with a charset', async () => {
    const title = `${deployment.unique()} ü`
    const type = { 'content-type': 'Application/JSON; charset=UTF-8' }
    const { status, body } = await deployment.mine.post(FOLDERS, { title }, type)
    expect({ status, body }).toMatchObject({ status: 201, body: { title } })
  })

  it('[4.6.5] 201: two requests with the same title create two folders', async () => {
    const title = deployment.unique()
    const [one, two] = [await newFolder(deployment.mine, title), await newFolder(deployment.mine, title)]
    expect(one.uuid).not.toBe(two.uuid)
    expect(await listFolders(deployment.mine, { q: title })).toMatchObject({ count: 2 })
  })

  it('[4.6.5] 201: fifty concurrent requests create fifty folders', async () => {
    const parent = (await newFolder(deployment.mine, deployment.unique())).uuid
    const calls = Array.from({ length: 50 }, (_, number) => create({ title: `${number}`, parent }))
    const responses = await Promise.all(calls)
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]))
    expect(new Set(responses.map(({ body }) => body.uuid)).size).toBe(50)
    expect(await listFolders(deployment.mine, { parent })).toMatchObject({ count: 50 })
  })
})

describe('4.6 title', () => {
  it.for([
    ['blanks', '  ', '  '],
    ['a tab and a line feed', '\t', '\n'],
    ['blanks of other scripts', '\u00a0\u3000', '\u2003'],
  ] as const)('[4.6.2] 201: a title is trimmed: %s', async ([, before, after]) => {
    const title = `${deployment.unique()}  in two words`
    const { status, body } = await create({ title: `${before}${title}${after}` })
    expect({ status, body }).toMatchObject({ status: 201, body: { title } })
    expect((await listFolders(deployment.mine, { q: title })).results).toEqual([body])
  })

  it('[4.6.2] 201: accepts a title of one character', async () => {
    const parent = (await newFolder(deployment.mine, deployment.unique())).uuid
    for (const title of ['a', '0', '中', '😀', '/', '"']) {
      expect(await create({ title, parent })).toMatchObject({ status: 201, body: { title } })
    }
  })

  it('[4.6.2] 201: accepts a title of 255 characters of any size, not counting surrounding whitespace', async () => {
    const parent = (await newFolder(deployment.mine, deployment.unique())).uuid
    for (const letter of ['a', 'ü', '中', '😀']) {
      const title = letter.repeat(255)
      const response = await create({ title: `${' '.repeat(1100)}${title}  `, parent })
      expect(response).toMatchObject({ status: 201, body: { title } })
    }
  })

  it('[4.6.2, 7.10, 8.4] 400: rejects a title of 256 characters or more', async () => {
    for (const letter of ['a', 'ü', '中', '😀']) {
      for (const length of [256, 1025, 10_000]) {
        const problem = expectProblem(await create({ title: letter.repeat(length) }), 'invalid_title')
        expect(fieldsOf(problem)).toEqual(['title'])
        expect(problem.detail).toContain('at most 255 characters')
      }
    }
  })

  it.for([
    ['is missing', 'invalid_request', {}],
    ['is null', 'invalid_request', { title: null }],
    ['is a number', 'invalid_request', { title: 7 }],
    ['is true', 'invalid_request', { title: true }],
    ['is an array', 'invalid_request', { title: ['Lectures'] }],
    ['is an object', 'invalid_request', { title: { text: 'Lectures' } }],
    ['is empty', 'invalid_title', { title: '' }],
    ['is blank', 'invalid_title', { title: ' \t\n\u00a0' }],
    ['is far too long', 'invalid_title', { title: 'a'.repeat(5000) }],
  ] as const)('[4.6.2, 7.10] 400: rejects a title that %s', async ([, code, body]) => {
    const problem = expectProblem(await create(body), code)
    expect(fieldsOf(problem)).toEqual(['title'])
  })

  it('[4.6.2, 7.10] 400: rejects a title with control characters, direction controls or invalid Unicode', async () => {
    for (const title of ['a\u0000b', 'a\nb', 'a\u007fb', 'a\ud800b', '\udc00', 'a\u202eb', 'a\u2066b']) {
      const response = await create(JSON.stringify({ title }))
      expect(fieldsOf(expectProblem(response, 'invalid_title'))).toEqual(['title'])
    }
  })
})

describe('4.6 parent', () => {
  it('[4.6.3] 201: without a parent the folder is created at the root', async () => {
    const q = deployment.unique()
    const absent = await create({ title: `${q} absent` })
    const none = await create({ title: `${q} null`, parent: null })
    const { results } = await listFolders(deployment.mine, { parent: 'root', q })
    expect(results).toEqual([absent.body, none.body])
  })

  it('[4.6.3, 4.6.4] 201: the folder is created in the given parent only', async () => {
    const q = deployment.unique()
    const outer = await newFolder(deployment.mine, `${q} outer`)
    const sibling = await newFolder(deployment.mine, `${q} sibling`)
    const inner = await create({ title: `${q} inner`, parent: outer.uuid })
    const childrenOf = async (parent: string) => (await listFolders(deployment.mine, { parent, q })).results
    expect(await childrenOf(outer.uuid)).toEqual([inner.body])
    expect(await childrenOf(sibling.uuid)).toEqual([])
    expect(await childrenOf('root')).toEqual([outer, sibling])
  })

  it('[4.6.4] 201, 400: accepts a folder with 31 ancestors and rejects a folder with 32', async () => {
    const path: Folder[] = []
    for (let depth = 1; depth <= 32; depth++) {
      const title = `${deployment.unique()} ${depth}`
      path.push(await newFolder(deployment.mine, title, path.at(-1)?.uuid ?? null))
    }
    const [deepest] = path.slice(-1)
    const read = await deployment.mine.get(`${FOLDERS}${deepest?.uuid}/`)
    expect(read.body).toMatchObject({ path: path.slice(0, -1) })
    const rejected = await create({ title: 'Too deep', parent: deepest?.uuid })
    expect(fieldsOf(expectProblem(rejected, 'folder_too_deep'))).toEqual(['parent'])
    expect(await listFolders(deployment.mine, { parent: deepest?.uuid ?? '' })).toMatchObject({
      count: 0,
    })
  })

  it('[4.6.3, 7.10] 400: rejects a folder that does not exist', async () => {
    const q = deployment.unique()
    const deleted = await newFolder(deployment.mine, deployment.unique())
    await deployment.mine.delete(`${FOLDERS}${deleted.uuid}/`)
    for (const parent of ['11111111111', 'root', 'nonsense', deleted.uuid, 'ÿ', ' ', '0OIl']) {
      const response = await create({ title: q, parent })
      expect(fieldsOf(expectProblem(response, 'parent_not_found'))).toEqual(['parent'])
    }
    expect(await listFolders(deployment.mine, { q })).toMatchObject({ count: 0 })
  })

  it('[4.6.3, 7.10] 400: the response for a folder of another organization is the same as for a missing one', async () => {
    const q = deployment.unique()
    const foreign = await newFolder(deployment.other, deployment.unique())
    const problemFor = async (parent: string) => {
      const problem = expectProblem(await create({ title: q, parent }), 'parent_not_found')
      const { request_id: _, ...rest } = problem
      return JSON.stringify(rest).replaceAll(parent, '(the parent)')
    }
    expect(await problemFor(foreign.uuid)).toBe(await problemFor('11111111111'))
    expect(await listFolders(deployment.mine, { q })).toMatchObject({ count: 0 })
    expect(await listFolders(deployment.other, { q })).toMatchObject({ count: 0 })
  })

  it.for([
    ['is a number', 7],
    ['is an object', { uuid: '11111111111' }],
    ['is an array', ['11111111111']],
    ['is false', false],
    ['is empty', ''],
    ['is far too long', 'a'.repeat(5000)],
  ] as const)('[4.6.3, 7.10] 400: rejects a parent that %s', async ([, parent]) => {
    const problem = expectProblem(await create({ title: 'Lost', parent }), 'invalid_request')
    expect(fieldsOf(problem)).toEqual(['parent'])
  })
})
