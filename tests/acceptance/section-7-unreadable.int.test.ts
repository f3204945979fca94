import { gzipSync } from 'node:zlib'
import type { HttpResponse } from '@reelkeep/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Deployment } from './deployment.ts'
import { FOLDERS, listFolders } from './folders.ts'
import { expectAnyProblem, expectProblem } from './problems.ts'

let deployment: Deployment
beforeAll(async () => {
  deployment = await Deployment.open()
})
afterAll(() => deployment[Symbol.asyncDispose]())

const BODY_BYTES_MAX = 1024 * 1024

const create = (body: unknown, headers: Record<string, string> = {}) => deployment.mine.post(FOLDERS, body, headers)

/** Sends a raw request body to the endpoint that creates folders. */
async function createRaw(init: RequestInit, headers: Record<string, string> = {}): Promise<HttpResponse> {
  const { baseUrl, mine } = deployment
  const response = await fetch(`${baseUrl}/api/v1/${mine.organizationId}/${FOLDERS}`, {
    method: 'POST',
    ...init,
    headers: { authorization: `token ${mine.token}`, ...headers },
  })
  const text = await response.text()
  return { status: response.status, headers: Object.fromEntries(response.headers), text }
}

/** A request body for a folder, padded with spaces to the given length. */
const bodyOf = (title: string, bytes: number) => JSON.stringify({ title }).padEnd(bytes, ' ')

describe('7. Unreadable bodies', () => {
  it('[7.9, 7.10] 400: rejects an empty body and names the missing field', async () => {
    const response = await createRaw({ body: '' }, { 'content-type': 'application/json' })
    expect(expectProblem(response, 'invalid_request').errors[0]?.field).toBe('title')
  })

  it.for([' ', '{', '{"title":"x"', '{"title":"x"}}', "{'title':'x'}", '{"title":x}', 'title=x'])(
    '[7.9, 7.10] 400: rejects a body that is not JSON: %s',
    async (body) => {
      const response = await createRaw({ body }, { 'content-type': 'application/json' })
      expectProblem(response, 'malformed_json')
    },
  )

  it.for(['[]', '"title"', '7', 'true', '[{"title":"x"}]'])(
    '[7.9, 7.10] 400: rejects JSON that is not an object: %s',
    async (body) => {
      expectProblem(await create(body), 'invalid_request')
    },
  )

  it.for([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'application/jsonp',
    'nonsense',
    'application/json; charset=latin1',
  ])('[7.9, 7.10] 415: rejects the content type %s', async (type) => {
    const title = deployment.unique()
    const response = await create({ title }, { 'content-type': type })
    expectProblem(response, 'unsupported_media_type')
    expect(await listFolders(deployment.mine, { q: title })).toMatchObject({ count: 0 })
  })

  it('[7.9, 7.10] 415: rejects a compressed body', async () => {
    const body = gzipSync('{"title":"Lost"}')
    const response = await createRaw({ body }, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
    expectProblem(response, 'unsupported_media_type')
  })

  it('[7.9, 7.10] 415: rejects a body without a content type', async () => {
    const response = await createRaw({ body: new TextEncoder().encode('{"title":"Lost"}') })
    expectProblem(response, 'unsupported_media_type')
  })

  it('[7.10] 201: accepts a body of 1 MiB', async () => {
    const title = deployment.unique()
    expect(await create(bodyOf(title, BODY_BYTES_MAX))).toMatchObject({ status: 201 })
  })

  it('[7.9, 7.10] 413: rejects a body of 1 MiB and one byte', async () => {
    const title = deployment.unique()
    expectProblem(await create(bodyOf(title, BODY_BYTES_MAX + 1)), 'body_too_large')
    expect(await listFolders(deployment.mine, { q: title })).toMatchObject({ count: 0 })
  })

  it('[7.9, 7.10] 413: rejects a large body without Content-Length', async () => {
    const chunk = new TextEncoder().encode(bodyOf('Lost', BODY_BYTES_MAX / 2))
    const body = ReadableStream.from([chunk, chunk, chunk])
    const init = { body, duplex: 'half' } as RequestInit
    const response = await createRaw(init, { 'content-type': 'application/json' })
    expectProblem(response, 'body_too_large')
  })
})

describe('7. No request causes a server error', () => {
  it.for([
    `/api/v1/%zz/${FOLDERS}`,
    `/api/v1/%/${FOLDERS}`,
    `/api/v1/%ff/${FOLDERS}`,
    `/api/v1/%00/${FOLDERS}`,
    `/%zz`,
    `/${'a'.repeat(200)}`,
  ])('[7.9] 4xx: rejects the unusual path %s', async (path) => {
    const headers = { authorization: `token ${deployment.mine.token}` }
    expectRejection(await deployment.send({ method: 'GET', path, headers, body: undefined }))
  })

  it.for([
    'q=%00',
    'q=%ff%fe',
    'q=%zz',
    'q=%ED%A0%80',
    'q[]=a',
    'q[a]=b',
    'limit=1&limit=2',
    'parent=%00',
    'parent=%ff',
    'cursor=WzEsIlx1MDAwMCIsIngiXQ',
    'cursor=WzEsIlx1ZDgwMCIsIngiXQ',
    'cursor=WzEse30sW11d',
    '__proto__=1',
    'constructor=1',
    '&&&===',
  ])('[7.9] 200 or 4xx: accepts or rejects the unusual query %s', async (query) => {
    const response = await deployment.mine.get(`${FOLDERS}?${query}`)
    if (response.status !== 200) expectRejection(response)
  })

  it.for([
    '{"title":"x","__proto__":{"parent":"x"}}',
    '{"title":"x","constructor":{"prototype":{}}}',
    '{"title":{"toString":1}}',
    '{"title":1e400}',
    '{"title":"x","parent":"\\u0000"}',
    '{"title":"x","parent":"\\ud800"}',
  ])('[7.9] 4xx: rejects the unusual body %s', async (body) => {
    expectRejection(await create(body))
  })

  it('[7.9] 4xx: rejects a body with very many brackets or fields', async () => {
    const brackets = '['.repeat(20_000) + ']'.repeat(20_000)
    expectRejection(await create(`{"title":"x","parent":${brackets}}`))
    const fields = Object.fromEntries(Array.from({ length: 50_000 }, (_, name) => [`f${name}`, 1]))
    expectRejection(await create({ title: 'x', ...fields }))
  })

  it('[7.9] 400: rejects a body that is not UTF-8', async () => {
    const body = Buffer.from(`{"title":"${deployment.unique()} ÿ"}`, 'latin1')
    expectRejection(await createRaw({ body }, { 'content-type': 'application/json' }))
  })

  function expectRejection(response: HttpResponse) {
    expect(response.status, response.text).toBeGreaterThanOrEqual(400)
    expect(response.status, response.text).toBeLessThan(500)
    expectAnyProblem(response)
  }
})
