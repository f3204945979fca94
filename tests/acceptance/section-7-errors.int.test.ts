import { randomUUID } from 'node:crypto'
import type { ErrorCode } from '@reelkeep/contract'
import type { HttpResponse } from '@reelkeep/testkit'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { Deployment, isExternal } from './deployment.ts'
import { FOLDERS, listFolders, listPath, newFolder } from './folders.ts'
import { expectAnyProblem, expectProblem, fieldsOf } from './problems.ts'

let deployment: Deployment
beforeAll(async () => {
  deployment = await Deployment.open()
})
afterAll(() => deployment[Symbol.asyncDispose]())

const create = (body: unknown, headers: Record<string, string> = {}) => deployment.mine.post(FOLDERS, body, headers)

const examples: Partial<Record<ErrorCode, () => Promise<HttpResponse>>> = {
  invalid_request: () => create({}),
  malformed_json: () => create('{'),
  unknown_field: () => create({ title: 'Lost', foldr: 'x' }),
  parent_not_found: () => create({ title: 'Lost', parent: '11111111111' }),
  invalid_cursor: () => deployment.mine.get(listPath({ cursor: 'junk' })),
  unauthenticated: () => deployment.mine.withToken('junk').get(FOLDERS),
  insufficient_scope: async () => (await deployment.newToken(['tokens:read'])).get(FOLDERS),
  organization_not_found: () => deployment.mine.at('zz9zz9zz9zz9').get(FOLDERS),
  not_found: () => deployment.mine.get('nowhere/'),
  method_not_allowed: () => deployment.mine.send('PUT', FOLDERS, {}),
  idempotency_key_reused: async () => {
    const headers = { 'idempotency-key': randomUUID() }
    await create({ title: deployment.unique() }, headers)
    return create({ title: deployment.unique() }, headers)
  },
  body_too_large: () => create({ title: 'a'.repeat(1024 * 1024) }),
  unsupported_media_type: () => create('title=Lost', { 'content-type': 'text/plain' }),
}

describe('7. The shape of an error', () => {
  it.for(Object.entries(examples))(
    '[7.9] %s is reported as problem details with code, errors and request ID',
    async ([code, send]) => {
      const one = expectProblem(await send(), code as ErrorCode)
      const two = expectProblem(await send(), code as ErrorCode)
      expect(one.request_id).not.toBe(two.request_id)
    },
  )

  it('[7.9] the type of a problem is the URL of a page about its code', async () => {
    const { type, code } = expectProblem(await create({}), 'invalid_request')
    const page = await fetch(type)
    expect(page.status).toBe(200)
    expect(await page.text()).toContain(code)
  })

  it('[7.9, 7.10] 400: names unknown fields and creates nothing', async () => {
    const title = deployment.unique()
    const response = await create({ title, Parent: null, folder: 'x', uuid: '11111111111' })
    const problem = expectProblem(response, 'unknown_field')
    expect(fieldsOf(problem)).toEqual(['Parent', 'folder', 'uuid'])
    expect(await listFolders(deployment.mine, { q: title })).toMatchObject({ count: 0 })
  })
})

describe('7. All errors at once', () => {
  it('[7.9] 400: reports all errors of a body', async () => {
    const problem = expectAnyProblem(await create({ title: 7, parent: [], extra: 1, more: 2 }))
    expect(fieldsOf(problem)).toEqual(['extra', 'more', 'parent', 'title'])
  })

  it('[7.9] 400: reports a title that is too long together with an unknown field', async () => {
    const problem = expectAnyProblem(await create({ title: 'a'.repeat(256), extra: 1 }))
    expect(fieldsOf(problem)).toEqual(['extra', 'title'])
  })

  it('[7.9] 400: reports format errors before errors that need a database query', async () => {
    const body = { title: 'a'.repeat(256), parent: '11111111111' }
    expect(fieldsOf(expectAnyProblem(await create(body)))).toEqual(['title'])
    expect(fieldsOf(expectAnyProblem(await create({ ...body, title: 'a' })))).toEqual(['parent'])
  })

  it('[7.9] 400: reports all errors of a query', async () => {
    const response = await deployment.mine.get(`${FOLDERS}?limit=0&q=${'a'.repeat(201)}&extra=1`)
    expect(fieldsOf(expectAnyProblem(response))).toEqual(['extra', 'limit', 'q'])
  })

  it('[7.9] 400: reports an invalid limit together with an invalid cursor', async () => {
    const response = await deployment.mine.get(`${FOLDERS}?limit=0&cursor=junk`)
    expect(fieldsOf(expectAnyProblem(response))).toEqual(['cursor', 'limit'])
  })
})

describe('7. Unknown paths and methods', () => {
  it.for(['nowhere/', '', 'asset', 'assets/folders/x/y/z/', 'Assets/folders/'])(
    '[7.9, 7.10] 404: the path %j does not exist',
    async (path) => {
      expectProblem(await deployment.mine.get(path), 'not_found')
    },
  )

  it('[7.9, 7.10] 404: an unknown path is not found with any method, with and without a token', async () => {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const) {
      expectProblem(await deployment.mine.send(method, 'nowhere/'), 'not_found')
      const request = { method, path: '/nowhere', headers: {}, body: undefined }
      expectProblem(await deployment.send(request), 'not_found')
    }
  })

  it.for(['PUT', 'PATCH', 'DELETE'] as const)(
    '[7.9, 7.10] 405: rejects %s and lists the allowed methods in Allow',
    async (method) => {
      const body = method === 'DELETE' ? undefined : { title: 'Lost' }
      for (const path of [FOLDERS, 'assets/folders']) {
        const response = await deployment.mine.send(method, path, body)
        expectProblem(response, 'method_not_allowed')
        const allowed = response.headers['allow']?.split(/, */) ?? []
        expect(allowed).toEqual(expect.arrayContaining(['GET', 'HEAD', 'POST']))
        expect(allowed).not.toContain(method)
      }
    },
  )
})

describe('7. Too many requests', () => {
  // The rate limit can be lowered only in our own deployment.
  it.skipIf(isExternal)('[7.9, 7.10, 8.4] 429: the response headers state the limit and when to retry', async () => {
    const strict = await Deployment.open({ RATE_LIMIT_PER_MINUTE: '3' })
    onTestFinished(() => strict[Symbol.asyncDispose]())
    for (let number = 0; number < 3; number++) await newFolder(strict.mine, strict.unique())
    const rejected = await strict.mine.get(FOLDERS)
    expectProblem(rejected, 'rate_limited')
    expect(rejected.headers['retry-after']).toMatch(/^[1-9]\d?$/)
    expect(rejected.headers).toHaveProperty('ratelimit')
    expect(rejected.headers).toHaveProperty('ratelimit-policy')
    expect(await strict.other.get(FOLDERS)).toMatchObject({ status: 200 })
  })
})
