import { errorCatalogue, errorCodes, type Problem } from '@reelkeep/contract'
import { type HttpResponse, type Method, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { describe, expect, it } from 'vitest'

const testApi = await opened(TestApi.open())
const caller = await testApi.newOrganization()

function expectProblem({ status, headers, text }: HttpResponse): Problem {
  expect(headers['content-type']).toBe('application/problem+json; charset=utf-8')
  const problem = JSON.parse(text) as Problem
  expect(Object.keys(problem).sort()).toEqual(['code', 'detail', 'errors', 'request_id', 'status', 'title', 'type'])
  expect(problem.status).toBe(status)
  expect(problem.request_id).toBe(headers['x-request-id'])
  return problem
}

const at = (path: string, method: Method = 'GET', headers = {}, body?: string) =>
  testApi.send({ method, path, headers, body })

const inside = (path: string) => `/api/v1/${caller.organizationId}/${path}`

describe('a problem document', () => {
  it('lists all errors of a request at once', async () => {
    const { body } = await caller.post('tokens/', { name: '', scopes: ['x'], expires: 1 })
    expect(body.errors.map(({ field }) => field).sort()).toEqual(['expires', 'name', 'scopes[0]'])
    for (const violation of body.errors) expect(violation.detail).toContain(violation.field)
  })

  it('links to a page that explains its code; every code has such a page', async () => {
    for (const code of errorCodes) {
      const { status, headers, text } = await at(`/docs/errors/${code}/`)
      expect(status, code).toBe(200)
      expect(headers['content-type']).toBe('text/html; charset=utf-8')
      expect(text).toContain(`HTTP status ${errorCatalogue[code].status}`)
    }
    const problem = expectProblem(await caller.get('assets/folders/11111111111/'))
    expect((await at(new URL(problem.type).pathname)).status).toBe(200)
  })

  it.each([
    ['the root', '/'],
    ['another version', '/api/v2/x/tokens/'],
    ['an unknown path', '/api/v1/acme42/nowhere/'],
    ['an unknown error code', '/docs/errors/nonsense/'],
    ['a code that every object has', '/docs/errors/constructor/'],
  ])('is returned with 404 for %s', async (_, path) => {
    expect(expectProblem(await at(path)).code).toBe('not_found')
  })

  it('is returned with 404 for an unknown path with a body, for every method', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) {
      const headers = { 'content-type': 'application/json' }
      const response = await at('/nowhere/', method, headers, '{"a": 1}')
      expect(expectProblem(response).code).toBe('not_found')
    }
  })

  it.each([
    ['a percent sign without digits', '%zz'],
    ['bytes that are not UTF-8', '%ff%fe'],
    ['half a percent-encoding', '%e2%28%a1'],
  ])('is returned with 400 or 404 for a path with %s', async (_, segment) => {
    const problem = expectProblem(await caller.get(`assets/folders/${segment}/`))
    expect([400, 404]).toContain(problem.status)
  })

  it('is returned with 404 for an identifier that is too long', async () => {
    expect(expectProblem(await caller.get(`assets/folders/${'a'.repeat(500)}/`)).status).toBe(404)
    expect(expectProblem(await caller.at('a'.repeat(500)).get('tokens/')).status).toBe(404)
  })

  it('is returned with 401 and a header that names the authentication scheme', async () => {
    const response = await at(inside('tokens/'))
    expect(expectProblem(response).code).toBe('unauthenticated')
    expect(response.headers['www-authenticate']).toBe('token')
  })

  it('is returned with 405 and the allowed methods, even without a token', async () => {
    const response = await at(inside('tokens/current/'), 'DELETE')
    expect(expectProblem(response).code).toBe('method_not_allowed')
    expect(response.headers['allow']).toBe('GET, HEAD')
  })

  it.each([
    ['incomplete', '{"title": '],
    ['nothing', ''],
    ['a text', 'title=x'],
    ['invalid by a trailing comma', '{"title": "x",}'],
    ['an attack on prototypes', '{"__proto__": {"title": "x"}}'],
  ])('is returned with 400 for a body that is %s', async (_, body) => {
    const headers = {
      authorization: `token ${caller.token}`,
      'content-type': 'application/json',
      'content-length': String(body.length),
    }
    const response = await at(inside('assets/folders/'), 'POST', headers, body)
    const codes = ['malformed_json', 'invalid_request', 'unknown_field']
    expect(codes).toContain(expectProblem(response).code)
  })

  it.each(['text/plain', 'application/xml', 'multipart/form-data; boundary=x', 'json', ''])(
    'is returned with 415 for a body of the type "%s"',
    async (type) => {
      const response = await caller.post('assets/folders/', { title: 'x' }, { 'content-type': type })
      expect(expectProblem(response).code).toBe('unsupported_media_type')
    },
  )
})

describe('a request with a content type but without a body', () => {
  it('is accepted by a DELETE operation with 204', async () => {
    const { body } = await caller.post<{ uuid: string }>('assets/folders/', { title: 'x' })
    const headers = { 'content-type': 'application/json' }
    expect((await caller.delete(`assets/folders/${body.uuid}/`, headers)).status).toBe(204)
  })

  it('is accepted by a token rotation with 201', async () => {
    const { body } = await caller.post<{ id: string }>('tokens/', { name: 'x', scopes: ['*'] })
    const headers = { 'content-type': 'application/json' }
    const response = await caller.post(`tokens/${body.id}/rotate/`, undefined, headers)
    expect(response.status).toBe(201)
  })
})

describe('the API token', () => {
  it('is accepted in the header that code samples of the OpenAPI document have', async () => {
    const { components } = JSON.parse((await at('/docs/openapi.json')).text)
    const headers = sampleHeaders(components.securitySchemes.token, caller.token)
    expect((await at(inside('tokens/current/'), 'GET', headers)).status).toBe(200)
  })

  it.each(['token', 'Token', 'TOKEN', 'Bearer', 'bearer'])('is accepted after the scheme %s', async (word) => {
    const headers = { authorization: `${word} ${caller.token}` }
    expect((await at(inside('tokens/current/'), 'GET', headers)).status).toBe(200)
  })

  it.each(['', 'token', 'token ', 'Basic dTpw', 'token a b', `token ${'x'.repeat(300)}`, 'rlk_x'])(
    'is rejected with 401 in the header "%s"',
    async (authorization) => {
      const response = await at(inside('tokens/current/'), 'GET', { authorization })
      expect(expectProblem(response).code).toBe('unauthenticated')
    },
  )

  it('gets the same 404 for another organization as for one that does not exist', async () => {
    const theirs = await testApi.newOrganization()
    const [foreign, absent] = [
      expectProblem(await caller.at(theirs.organizationId).get('tokens/')),
      expectProblem(await caller.at('nobody00').get('tokens/')),
    ]
    expect(foreign.code).toBe('organization_not_found')
    expect({ ...foreign, request_id: '' }).toEqual({ ...absent, request_id: '' })
  })
})

type SecurityScheme = { readonly type: string; readonly scheme?: string; readonly name?: string }

/** Headers of generated code samples: `http` puts the scheme in front of the token, `apiKey` sends only the token. */
const sampleHeaders = ({ type, scheme = '', name = '' }: SecurityScheme, token: string): Record<string, string> =>
  type === 'http' ? { authorization: `${scheme} ${token}` } : { [name.toLowerCase()]: token }
