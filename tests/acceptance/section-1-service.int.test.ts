import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Deployment } from './deployment.ts'
import { FOLDERS, type Folder, listFolders, listPath, newFolder, titlesOf } from './folders.ts'
import { expectAnyProblem, expectProblem, withoutRequestId } from './problems.ts'

let deployment: Deployment
beforeAll(async () => {
  deployment = await Deployment.open()
})
afterAll(() => deployment[Symbol.asyncDispose]())

describe('1. The service', () => {
  it('[1.2] 200: a client lists only the folders of its own organization', async () => {
    const { mine, other } = deployment
    const q = deployment.unique()
    await newFolder(mine, `${q} mine`)
    await newFolder(other, `${q} theirs`)
    expect(titlesOf((await listFolders(mine, { q })).results)).toEqual([`${q} mine`])
    expect(titlesOf((await listFolders(other, { q })).results)).toEqual([`${q} theirs`])
  })

  it('[1.2] 404: the response for another organization is the same as for one that does not exist', async () => {
    const { mine, other } = deployment
    const foreign = await mine.at(other.organizationId).get(FOLDERS)
    const unknown = await mine.at('zz9zz9zz9zz9').get(FOLDERS)
    expectProblem(foreign, 'organization_not_found')
    expectProblem(unknown, 'organization_not_found')
    expect(withoutRequestId(foreign)).toEqual(withoutRequestId(unknown))
    expect(Object.keys(foreign.headers).sort()).toEqual(Object.keys(unknown.headers).sort())
  })

  it('[1.2] 404: a client cannot create a folder in another organization', async () => {
    const { mine, other } = deployment
    const title = deployment.unique()
    const rejected = await mine.at(other.organizationId).post(FOLDERS, { title })
    expectProblem(rejected, 'organization_not_found')
    expect(await listFolders(other, { q: title })).toMatchObject({ count: 0, results: [] })
    expect(await listFolders(mine, { q: title })).toMatchObject({ count: 0, results: [] })
  })

  it('[1.3] 201, 200: accepts and returns JSON', async () => {
    const title = `${deployment.unique()} Größe 📁`
    const created = await deployment.mine.post<Folder>(FOLDERS, JSON.stringify({ title }))
    expect(created.headers['content-type']).toMatch(/^application\/json\b/)
    expect(JSON.parse(created.text)).toHaveProperty('title', title)
    const listed = await deployment.mine.get(listPath({ q: title }))
    expect(listed.headers['content-type']).toMatch(/^application\/json\b/)
    expect(JSON.parse(listed.text)).toMatchObject({ results: [created.body] })
  })

  it('[1.3] 401: rejects requests without authentication', async () => {
    const path = `/api/v1/${deployment.mine.organizationId}/${FOLDERS}`
    const response = await deployment.send({ method: 'GET', path, headers: {}, body: undefined })
    expectProblem(response, 'unauthenticated')
  })

  it('[1.6] 201: creates a folder and a subfolder', async () => {
    const outer = await newFolder(deployment.mine, deployment.unique())
    const inner = await newFolder(deployment.mine, deployment.unique(), outer.uuid)
    const { results } = await listFolders(deployment.mine, { parent: outer.uuid })
    expect(results).toEqual([inner])
  })

  it('[1.7] 200: lists all folders, or those that match a search term', async () => {
    const q = deployment.unique()
    const outer = await newFolder(deployment.mine, q)
    const apple = await newFolder(deployment.mine, `${q} apple`, outer.uuid)
    const pear = await newFolder(deployment.mine, `${q} pear`, outer.uuid)
    const all = await listFolders(deployment.mine, { parent: outer.uuid })
    expect(all.results).toEqual([apple, pear])
    expect((await listFolders(deployment.mine, { q: `${q} p` })).results).toEqual([pear])
  })
})

describe('1. Paths', () => {
  it('[1.8] 200: accepts paths with and without a trailing slash', async () => {
    const q = deployment.unique()
    const folder = await newFolder(deployment.mine, q)
    for (const path of [`assets/folders/?q=${q}`, `assets/folders?q=${q}`]) {
      const { status, body } = await deployment.mine.get(path)
      expect({ status, body }).toMatchObject({ status: 200, body: { results: [folder] } })
    }
  })

  it('[1.8] 404: a path without an organization does not exist', async () => {
    const headers = { authorization: `token ${deployment.mine.token}` }
    const paths = ['/api/', '/api/v1/', `/api/v1/${FOLDERS}`, `/api/v1//${FOLDERS}`, `/${FOLDERS}`]
    for (const path of paths) {
      const response = await deployment.send({ method: 'GET', path, headers, body: undefined })
      expect({ path, status: response.status }).toEqual({ path, status: 404 })
    }
  })

  it.for(['ABCDEF', 'abc', '-', 'abcdefghijklm', '%20', 'a%2Fb', "a'--"])(
    '[1.8] 404: a malformed organization ID is not found: %s',
    async (organizationId) => {
      const response = await deployment.mine.at(organizationId).get(FOLDERS)
      expectProblem(response, 'organization_not_found')
    },
  )

  it('[1.8] 404: a very long organization ID is not found', async () => {
    expect(expectAnyProblem(await deployment.mine.at('a'.repeat(300)).get(FOLDERS)).status).toBe(404)
  })
})
