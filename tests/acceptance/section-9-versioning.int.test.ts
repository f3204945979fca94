import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Deployment } from './deployment.ts'
import { FOLDERS, type FolderPage, listPath, newFolder } from './folders.ts'
import { expectProblem } from './problems.ts'

let deployment: Deployment
beforeAll(async () => {
  deployment = await Deployment.open()
})
afterAll(() => deployment[Symbol.asyncDispose]())

describe('9. Versioning', () => {
  it('[9.1] 200: v1 follows /api/ in paths, and in the URLs of other pages', async () => {
    const { baseUrl, mine } = deployment
    const q = deployment.unique()
    await newFolder(mine, `${q} 1`)
    await newFolder(mine, `${q} 2`)
    const url = `${baseUrl}/api/v1/${mine.organizationId}/${listPath({ q, limit: 1 })}`
    const response = await fetch(url, { headers: { authorization: `token ${mine.token}` } })
    expect(response.status).toBe(200)
    const { next } = (await response.json()) as FolderPage
    expect(new URL(next ?? '').pathname).toContain(`/api/v1/${mine.organizationId}/`)
  })

  it.for(['/api/v2', '/api/v0', '/api/V1', '/api/v1.0', '/api/1', '/api', '/v1', '/API/v1', ''])(
    '[9.1] 404: the path prefix "%s" does not exist',
    async (prefix) => {
      const { mine, send } = deployment
      const path = `${prefix}/${mine.organizationId}/${FOLDERS}`
      const headers = { authorization: `token ${mine.token}` }
      expectProblem(await send({ method: 'GET', path, headers, body: undefined }), 'not_found')
    },
  )

  it('[9.2] 200: v1 is not deprecated', async () => {
    const { headers } = await deployment.mine.get(FOLDERS)
    expect(headers).not.toHaveProperty('deprecation')
    expect(headers).not.toHaveProperty('sunset')
  })
})
