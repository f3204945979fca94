import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { openScriptedServer, problem, rejection } from '../../testing/scripted-server.ts'
import {
  ApiError,
  AuthenticationError,
  ConflictError,
  ConnectionError,
  GoneError,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  Reelkeep,
  ReelkeepError,
  ServerError,
  TimeoutError,
} from '../reelkeep.ts'

const atOnce = { headers: { 'retry-after': '0' } }
const busy = problem(503, 'unavailable', atOnce)
const folder = { body: { uuid: 'abc', title: 'Lectures' } }

describe('an API call', () => {
  it('sends the token, and the body as JSON', async () => {
    using server = await openScriptedServer(folder)
    expect(await server.client().folders.create({ title: 'Lectures' })).toEqual(folder.body)
    const [request] = server.requests
    expect(request).toMatchObject({
      method: 'POST',
      path: '/api/v1/acme1234/assets/folders/',
      body: '{"title":"Lectures"}',
    })
    expect(request?.headers).toMatchObject({
      authorization: 'token secret',
      'content-type': 'application/json',
    })
  })

  it('escapes identifiers and query values, and repeats parameters with several values', async () => {
    using server = await openScriptedServer({})
    await server.client().assets.read('../tokens/current')
    await server.client().folders.list({ q: 'a&b=c', limit: 5 })
    await server.client().assets.list({ tag: ['a', 'b'], status: [] })
    expect(server.requests.map(({ path }) => path.replace('/api/v1/acme1234', ''))).toEqual([
      '/assets/..%2Ftokens%2Fcurrent/',
      '/assets/folders/?q=a%26b%3Dc&limit=5',
      '/assets/?tag=a&tag=b',
    ])
  })

  it.each(['', '.', '..', undefined as unknown as string])(
    'sends nothing if an identifier is empty or a dot segment: %j',
    async (id) => {
      using server = await openScriptedServer({ status: 204, body: '' })
      const error = await rejection(server.client().subtitles.delete('1', id))
      expect(error).toBeInstanceOf(ReelkeepError)
      expect(String(error)).toContain('is not a valid subtitle_id')
      expect(await rejection(server.client().assets.delete(id))).toBeInstanceOf(ReelkeepError)
      expect(server.requests).toEqual([])
    },
  )

  it('uses settings of the constructor, then of the environment; the error names a missing setting', async () => {
    using server = await openScriptedServer(folder)
    vi.stubEnv('REELKEEP_URL', server.url)
    vi.stubEnv('REELKEEP_ORGANIZATION', 'of/environment')
    const unstub = { [Symbol.dispose]: () => void vi.unstubAllEnvs() }
    using _ = unstub
    expect(() => new Reelkeep()).toThrow('new Reelkeep({ token })')
    vi.stubEnv('REELKEEP_TOKEN', 'of-environment')
    await new Reelkeep().folders.read('abc')
    await new Reelkeep({ organization: 'acme', token: 'given' }).folders.read('abc')
    expect(server.requests.map(({ path, headers }) => [path, headers.authorization])).toEqual([
      ['/api/v1/of%2Fenvironment/assets/folders/abc/', 'token of-environment'],
      ['/api/v1/acme/assets/folders/abc/', 'token given'],
    ])
  })

  it.each([
    ['url', 'videos.example'],
    ['url', 'ftp://videos.example'],
    ['url', 'https://admin:hunter2@videos.example'],
    ['token', 'hunter2\n'],
    ['token', 'hunter2’'],
    ['organization', 'hunter2 '],
    ['organization', '..'],
  ])('rejects an invalid setting without revealing its value: %s %j', (name, value) => {
    const right = { url: 'https://videos.example', organization: 'acme', token: 'secret' }
    const make = () => new Reelkeep({ ...right, [name]: value })
    expect(make).toThrow(ReelkeepError)
    expect(make).toThrow(`The \`${name}\` of the Reelkeep client`)
    expect(make).not.toThrow('hunter2')
  })

  it('returns text unchanged, and undefined for an empty response', async () => {
    using server = await openScriptedServer({ body: 'WEBVTT\n' }, { status: 204, body: '' })
    expect(await server.client().chapters.export('1')).toBe('WEBVTT\n')
    expect(await server.client().assets.delete('1')).toBeUndefined()
  })
})

describe('an API call that the service refuses', () => {
  it.each([
    [400, InvalidRequestError],
    [401, AuthenticationError],
    [403, PermissionError],
    [404, NotFoundError],
    [409, ConflictError],
    [410, GoneError],
    [413, InvalidRequestError],
    [429, RateLimitError],
    [500, ServerError],
  ])('throws the error class of its status: %i', async (status, Kind) => {
    using server = await openScriptedServer(problem(status, 'some_code'))
    const error = await rejection(server.client({ retriesMax: 0 }).tokens.readCurrent())
    expect(error).toBeInstanceOf(Kind)
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({
      name: Kind.name,
      status,
      code: 'some_code',
      message: 'About some_code.',
      requestId: 'request-1',
    })
  })

  it('reports the invalid field', async () => {
    const errors = [{ field: 'chapters[2].start_time', code: 'invalid_value', detail: 'Too late.' }]
    using server = await openScriptedServer(problem(400, 'invalid_request', { errors }))
    const error = await rejection(server.client().chapters.add('1', { chapters: [] }))
    expect(error).toMatchObject({ field: 'chapters[2].start_time', errors })
    expect(server.requests).toHaveLength(1)
  })

  it.each([
    [502, ServerError],
    [404, NotFoundError],
    [200, ServerError],
  ])('reports that the response is not from Reelkeep: %i', async (status, Kind) => {
    const body = '<html><h1>nginx</h1></html>'
    using server = await openScriptedServer({
      status,
      body,
      headers: { 'content-type': 'text/html' },
    })
    const error = await rejection(server.client({ retriesMax: 0 }).tokens.readCurrent())
    expect(error).toBeInstanceOf(Kind)
    expect(error).toMatchObject({ status, code: 'unexpected_response', errors: [] })
    expect(String(error)).toContain(`${server.url}/api/v1/acme1234/tokens/current/ responded with ${status}`)
  })
})

describe('a response of a proxy', () => {
  it.each([{ code: 'ETIMEDOUT' }, { code: 'upstream', detail: { host: 'a' } }, { code: 5, detail: 'x' }, null, 'busy'])(
    'is not mistaken for a problem document: %j',
    async (body) => {
      using server = await openScriptedServer({ status: 404, body: JSON.stringify(body) })
      expect(await rejection(server.client().folders.read('abc'))).toMatchObject({
        status: 404,
        code: 'unexpected_response',
      })
    },
  )

  it('keeps the HTTP status, whatever status the body contains', async () => {
    const { body } = problem(200, 'some_code')
    using server = await openScriptedServer({ status: 404, body: { ...body, errors: null } })
    const error = await rejection(server.client().folders.read('abc'))
    expect(error).toBeInstanceOf(NotFoundError)
    expect(error).toMatchObject({ status: 404, code: 'some_code', errors: [] })
  })
})

describe('the request id of an error', () => {
  const headers = { 'x-request-id': 'of-header' }

  it.each([
    [502, '<html>'],
    [200, '<html>'],
    [404, { code: 'some_code', detail: 'Not here.' }],
  ])('comes from the header if the body has none: %i %j', async (status, body) => {
    using server = await openScriptedServer({ status, headers, body })
    const error = await rejection(server.client({ retriesMax: 0 }).tokens.readCurrent())
    expect(error).toMatchObject({ status, requestId: 'of-header' })
  })

  it('comes from the body if body and header have one, and is empty if neither has one', async () => {
    using server = await openScriptedServer(problem(404, 'some_code', { headers }), {
      status: 404,
      body: { code: 'some_code', detail: 'Not here.' },
    })
    const { tokens } = server.client()
    expect(await rejection(tokens.readCurrent())).toMatchObject({ requestId: 'request-1' })
    expect(await rejection(tokens.readCurrent())).toMatchObject({ requestId: '' })
  })
})

describe('a redirected API call', () => {
  it.each([301, 302, 303, 307, 308])('does not follow the redirect: %i', async (status) => {
    using elsewhere = await openScriptedServer(folder)
    const location = `${elsewhere.url}/api/`
    using server = await openScriptedServer({ status, headers: { location } })
    const error = await rejection(server.client().folders.create({ title: 'Lectures' }))
    expect(error).toBeInstanceOf(ServerError)
    expect(error).toMatchObject({ status, code: 'unexpected_response' })
    expect(String(error)).toContain(location)
    expect(String(error)).toContain('https://')
    expect([server.requests.length, elsewhere.requests.length]).toEqual([1, 0])
  })
})

describe('an API call with a temporary error', () => {
  it('is retried after the time in Retry-After, not before', async () => {
    const later = problem(429, 'rate_limited', { headers: { 'retry-after': '1' } })
    using server = await openScriptedServer(later, folder)
    await server.client().folders.read('abc')
    const [first, second] = server.requests
    expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThan(990)
  })

  it('throws immediately if Retry-After is too long', async () => {
    const later = problem(429, 'rate_limited', { headers: { 'retry-after': '61' } })
    using server = await openScriptedServer(later, folder)
    const error = await rejection(server.client().folders.read('abc'))
    expect(error).toBeInstanceOf(RateLimitError)
    expect(error).toMatchObject({ retryAfterSeconds: 61 })
    expect(server.requests).toHaveLength(1)
  })

  it('accepts a date in Retry-After', async () => {
    const date = new Date(Date.now() + 3600_000).toUTCString()
    using server = await openScriptedServer(problem(503, 'unavailable', { headers: { 'retry-after': date } }))
    const error = (await rejection(server.client().folders.read('abc'))) as ApiError
    expect(error.retryAfterSeconds).toBeGreaterThan(3590)
    expect(error.retryAfterSeconds).toBeLessThanOrEqual(3600)
  })

  it('is retried twice by default, then throws', async () => {
    using server = await openScriptedServer(busy)
    expect(await rejection(server.client().folders.read('abc'))).toBeInstanceOf(ServerError)
    expect(server.requests).toHaveLength(3)
    await rejection(server.client({ retriesMax: 1 }).folders.read('abc'))
    expect(server.requests).toHaveLength(3 + 2)
    await rejection(server.client().folders.read('abc', { retriesMax: 0 }))
    expect(server.requests).toHaveLength(3 + 2 + 1)
  })

  it.each([408, 500, 504, 522])('is retried for status %i', async (status) => {
    using server = await openScriptedServer({ status, body: 'Later.' }, folder)
    expect(await server.client().folders.read('abc')).toEqual(folder.body)
  })

  it('is not retried for status 501', async () => {
    using server = await openScriptedServer({ status: 501, body: 'Never.' }, folder)
    expect(await rejection(server.client().folders.read('abc'))).toBeInstanceOf(ServerError)
    expect(server.requests).toHaveLength(1)
  })

  it('uses the default number of retries if the given one is NaN', async () => {
    using server = await openScriptedServer(busy, busy, busy, folder)
    const settings = { retriesMax: Number.NaN, timeoutSeconds: Number.NaN }
    const error = await rejection(server.client(settings).folders.read('abc', settings))
    expect(error).toBeInstanceOf(ServerError)
    expect(server.requests).toHaveLength(3)
  })

  it.each(['0', 'Thu, 01 Jan 2015 00:00:00 GMT'])(
    'waits before the retry even if Retry-After is 0 or in the past: %s',
    async (time) => {
      const later = problem(429, 'rate_limited', { headers: { 'retry-after': time } })
      using server = await openScriptedServer(later, folder)
      await server.client().folders.read('abc')
      const [first, second] = server.requests
      expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThan(240)
    },
  )

  it('uses the same idempotency key for its retries, but another key than the next call', async () => {
    using server = await openScriptedServer(busy, 'disconnect', folder, folder)
    const client = server.client()
    await client.folders.create({ title: 'Lectures' })
    await client.folders.create({ title: 'Lectures' })
    const keys = server.requests.map(({ headers }) => headers['idempotency-key'])
    expect(keys).toHaveLength(4)
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/)
    expect(keys.slice(1, 3)).toEqual([keys[0], keys[0]])
    expect(keys[3]).not.toBe(keys[0])
  })

  it('creates an idempotency key in a page on plain http', async () => {
    // In pages on plain http, Web Crypto has only `getRandomValues`.
    vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) })
    onTestFinished(() => void vi.unstubAllGlobals())
    using server = await openScriptedServer(folder)
    await server.client().folders.create({ title: 'One' })
    await server.client().folders.create({ title: 'Two' })
    const keys = server.requests.map(({ headers }) => headers['idempotency-key'])
    expect(keys).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), expect.stringMatching(/^[0-9a-f]{32}$/)])
    expect(keys[0]).not.toBe(keys[1])
  })

  it('uses the idempotency key of the caller', async () => {
    using server = await openScriptedServer(folder)
    await server.client().folders.create({ title: 'Lectures' }, { idempotencyKey: 'import-7' })
    expect(server.requests[0]?.headers['idempotency-key']).toBe('import-7')
  })
})

describe('an empty response', () => {
  it('is returned as an empty string if the operation returns text', async () => {
    using server = await openScriptedServer({ body: '' })
    expect(await server.client().chapters.export('1')).toBe('')
  })

  it('is returned as undefined for status 204, and causes an error for other statuses', async () => {
    using server = await openScriptedServer({ status: 204, body: '' }, { body: '' })
    expect(await server.client().assets.delete('1')).toBeUndefined()
    const error = await rejection(server.client().assets.read('1'))
    expect(error).toBeInstanceOf(ServerError)
    expect(error).toMatchObject({ code: 'unexpected_response' })
  })
})

describe('an API call whose response is lost', () => {
  it('is retried if the operation is idempotent', async () => {
    using server = await openScriptedServer('disconnect', {})
    await server.client().uploadSessions.complete('1')
    expect(server.requests).toHaveLength(2)
  })

  it('is not retried if the operation is not idempotent', async () => {
    using server = await openScriptedServer('disconnect', {})
    expect(await rejection(server.client().assets.retry('1'))).toBeInstanceOf(ConnectionError)
    expect(server.requests).toHaveLength(1)
  })

  it('is retried if the response is truncated', async () => {
    using server = await openScriptedServer((response) => {
      response.writeHead(200, { 'content-length': '1000' })
      response.write('{"uuid":', () => response.destroy())
    }, folder)
    expect(await server.client().folders.read('abc')).toEqual(folder.body)
  })

  it('counts a 404 on a retried delete as success', async () => {
    using server = await openScriptedServer('disconnect', problem(404, 'asset_not_found'))
    await server.client().assets.delete('1')
    expect(server.requests).toHaveLength(2)
  })

  it('throws NotFoundError for a 404 if the earlier attempt cannot have deleted anything', async () => {
    using server = await openScriptedServer(problem(429, 'rate_limited', atOnce), problem(404, 'asset_not_found'))
    expect(await rejection(server.client().assets.delete('1'))).toBeInstanceOf(NotFoundError)
    using other = await openScriptedServer('disconnect', problem(404, 'organization_not_found'))
    expect(await rejection(other.client().assets.delete('1'))).toBeInstanceOf(NotFoundError)
  })

  it('reports which URL could not be reached, and why', async () => {
    const server = await openScriptedServer({})
    server[Symbol.dispose]()
    const error = await rejection(server.client({ retriesMax: 0 }).tokens.readCurrent())
    expect(error).toBeInstanceOf(ConnectionError)
    expect(error).not.toBeInstanceOf(TimeoutError)
    expect(String(error)).toContain(server.url)
    expect(String(error)).toContain('ECONNREFUSED')
  })
})

describe('the timeout of an API call', () => {
  it('causes a retry, and an error after the last retry', async () => {
    using server = await openScriptedServer('hang')
    const settings = { timeoutSeconds: 1, retriesMax: 1 }
    const error = await rejection(server.client(settings).tokens.readCurrent())
    expect(error).toBeInstanceOf(TimeoutError)
    expect(error).toBeInstanceOf(ConnectionError)
    expect(String(error)).toContain('within 1 seconds')
    expect(server.requests).toHaveLength(2)
  })

  it.each([Number.POSITIVE_INFINITY, 30 * 24 * 3600])(
    'may be longer than timers support: %d seconds',
    async (timeoutSeconds) => {
      using server = await openScriptedServer((response) => {
        setTimeout(() => response.end(JSON.stringify(folder.body)), 100)
      })
      const options = { timeoutSeconds, retriesMax: 0 }
      expect(await server.client().folders.read('abc', options)).toEqual(folder.body)
    },
  )

  it('includes reading the response body', async () => {
    using server = await openScriptedServer((response) => {
      response.writeHead(200)
      response.write('{')
    })
    const options = { timeoutSeconds: 0.1, retriesMax: 0 }
    expect(await rejection(server.client().tokens.readCurrent(options))).toBeInstanceOf(TimeoutError)
  })
})

describe('the signal of an API call', () => {
  const reason = new Error('Aborted.')

  it('prevents the request if it is already aborted', async () => {
    using server = await openScriptedServer(folder)
    const signal = AbortSignal.abort(reason)
    expect(await rejection(server.client().folders.create({ title: 'x' }, { signal }))).toBe(reason)
    expect(server.requests).toEqual([])
  })

  it('rejects the call, if aborted while it waits for a response', async () => {
    const abort = new AbortController()
    using server = await openScriptedServer(() => abort.abort(reason))
    const options = { signal: abort.signal }
    expect(await rejection(server.client().folders.read('abc', options))).toBe(reason)
    expect(server.requests).toHaveLength(1)
  })

  it('ends the delay before a retry', async () => {
    // Fake timers do not advance, so only the signal can end the delay before the retry.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const abort = new AbortController()
    const later = problem(429, 'rate_limited', { headers: { 'retry-after': '50' } })
    const answer = () => new Response(JSON.stringify(later.body), { status: 429, headers: later.headers })
    const fetch = vi.fn(async () => answer())
    const settings = { url: 'https://videos.example', organization: 'acme1234', token: 'secret' }
    const { folders } = new Reelkeep({ ...settings, fetch })
    const failing = rejection(folders.read('abc', { signal: abort.signal }))
    await expect.poll(() => fetch.mock.calls.length).toBe(1)
    // Waits until the client has read the response, which takes a few turns of the event loop.
    for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve))
    abort.abort(reason)
    const error = await failing
    expect(error).toBe(reason)
    expect(error).not.toBeInstanceOf(ReelkeepError)
  })
})
