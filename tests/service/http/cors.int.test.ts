/** Tests CORS: which origins may call the API, and which headers their browsers get. */
import { type HttpResponse, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { describe, expect, it } from 'vitest'

const page = 'https://studio.example'
const testApi = await opened(TestApi.open({ API_ORIGINS: `${page}, http://127.0.0.1:8090` }))
const closed = await opened(TestApi.open())
const caller = await testApi.newOrganization()
const inside = (path: string) => `/api/v1/${caller.organizationId}/${path}`

const preflight = (path: string, origin: string, { send } = testApi) =>
  send({
    method: 'OPTIONS',
    path,
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,idempotency-key',
    },
    body: undefined,
  })

const corsHeadersOf = ({ headers }: Pick<HttpResponse, 'headers'>) =>
  Object.keys(headers).filter((name) => name.startsWith('access-control-'))

describe('CORS: a page of an allowed origin', () => {
  it('gets 204 for a preflight without a token', async () => {
    const { status, headers, text } = await preflight(inside('assets/upload-sessions/'), page)
    expect(status).toBe(204)
    expect(text).toBe('')
    expect(headers).toMatchObject({
      'access-control-allow-origin': page,
      'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
      'access-control-allow-headers':
        'Authorization, Content-Type, Idempotency-Key, If-Match, Last-Event-ID, X-Request-Id',
      'access-control-max-age': '3600',
      vary: 'Origin',
    })
    expect(headers).not.toHaveProperty('access-control-allow-credentials')
  })

  it('can read the response, its request ID and its rate limits', async () => {
    const response = await caller.get('tokens/current/', { origin: 'http://127.0.0.1:8090' })
    expect(response.status).toBe(200)
    expect(response.headers).toMatchObject({
      'access-control-allow-origin': 'http://127.0.0.1:8090',
      vary: 'Origin',
    })
    for (const name of ['X-Request-Id', 'Retry-After', 'Idempotency-Replayed', 'RateLimit']) {
      expect(response.headers['access-control-expose-headers']).toContain(name)
    }
  })

  it.each([
    ['400', 'POST', 'assets/folders/', 400],
    ['404 for an unknown resource', 'GET', 'assets/folders/11111111111/', 404],
    ['404 for an unknown path', 'GET', 'nowhere/', 404],
    ['405', 'PATCH', 'assets/folders/', 405],
  ] as const)('can read the error: %s', async (_, method, path, status) => {
    const response = await caller.send(method, path, method === 'GET' ? undefined : {}, {
      origin: page,
    })
    expect(response.status).toBe(status)
    expect(response.headers['access-control-allow-origin']).toBe(page)
  })

  it('can read the 401 for an invalid token', async () => {
    const response = await caller.withToken('nonsense').get('tokens/current/', { origin: page })
    expect(response.status).toBe(401)
    expect(response.headers['access-control-allow-origin']).toBe(page)
  })

  it('gets 404 for a preflight to an unknown path', async () => {
    expect((await preflight('/nowhere/', page)).status).toBe(404)
  })

  it('gets 405 for an OPTIONS request that is not a preflight', async () => {
    const path = inside('tokens/current/')
    const response = await testApi.send({
      method: 'OPTIONS',
      path,
      headers: { origin: page },
      body: undefined,
    })
    expect(response.status).toBe(405)
    expect(response.headers['allow']).toBe('GET, HEAD')
  })
})

describe('CORS: a page of another origin', () => {
  it.each(['https://studio.example.evil', 'http://studio.example', 'https://STUDIO.example', 'null'])(
    'gets 405 without CORS headers, and Vary: Origin, for a preflight from %s',
    async (origin) => {
      const response = await preflight(inside('assets/folders/'), origin)
      expect(response.status).toBe(405)
      expect(corsHeadersOf(response)).toEqual([])
      expect(response.headers['vary']).toBe('Origin')
    },
  )

  it('gets 200 without CORS headers, so the browser does not let the page read the response', async () => {
    const response = await caller.get('tokens/current/', { origin: 'https://other.example' })
    expect(response.status).toBe(200)
    expect(corsHeadersOf(response)).toEqual([])
  })
})

describe('CORS without API_ORIGINS', () => {
  it('rejects every preflight with 405', async () => {
    const response = await preflight(inside('assets/folders/'), page, closed)
    expect(response.status).toBe(405)
    expect(corsHeadersOf(response)).toEqual([])
    expect(response.headers).not.toHaveProperty('vary')
  })
})
