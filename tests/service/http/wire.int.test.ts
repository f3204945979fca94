/** Tests that need a real connection: invalid HTTP, large bodies, request IDs in headers and the log. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { type ErrorCode, errorCatalogue } from '@reelkeep/contract'
import { ApiProcess, type Caller, newCaller } from '@reelkeep/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let api: ApiProcess
let caller: Caller
beforeAll(async () => {
  api = await ApiProcess.start()
  caller = await newCaller(api.send)
})
afterAll(() => api[Symbol.asyncDispose]())

type Exchanged = { status: number; head: string; body: string; received: string }

/** Sends the bytes unchanged and returns everything received until the connection ends. */
async function exchange(text: string): Promise<Exchanged> {
  const { hostname, port } = new URL(api.baseUrl)
  const socket = connect(Number(port), hostname)
  let received = ''
  socket.on('data', (bytes) => {
    received += bytes.toString()
  })
  socket.on('error', () => {})
  socket.write(text)
  await Promise.race([once(socket, 'close'), once(socket, 'end')])
  const [head = '', body = ''] = received.split('\r\n\r\n')
  return { status: Number(head.split(' ')[1]), head: head.toLowerCase(), body, received }
}

const lines = (...all: string[]) => `${all.join('\r\n')}\r\n\r\n`

const post = ['POST / HTTP/1.1', 'Host: x', 'Content-Type: application/json']

it.each(['/', '/docs/', '/api/v1/acme12/tokens/current/'])('TRACE %s returns nothing of the request', async (path) => {
  const request = lines(`TRACE ${path} HTTP/1.1`, 'Host: x', 'Connection: close', 'X-Secret: canary')
  const { status, received } = await exchange(request)
  expect([404, 405]).toContain(status)
  expect(received).not.toContain('canary')
})

describe('invalid HTTP', () => {
  it.each<[string, ErrorCode, string]>([
    ['a header that is too large', 'headers_too_large', lines('GET / HTTP/1.1', 'Host: x', `A: ${'x'.repeat(20_000)}`)],
    ['no HTTP at all', 'invalid_request', lines('hello there')],
    ['an invalid header', 'invalid_request', lines('GET / HTTP/1.1', 'Host: x', 'no colon here')],
  ])('gets a problem document with a 4xx status: %s', async (_, code, text) => {
    const { status, head, body } = await exchange(text)
    expect(status).toBe(errorCatalogue[code].status)
    expect(head).toContain('content-type: application/problem+json')
    expect(JSON.parse(body)).toMatchObject({ status, code, errors: [] })
  })

  it.each([
    ['Transfer-Encoding and Content-Length', lines(...post, 'Transfer-Encoding: chunked', 'Content-Length: 4')],
    ['two values of Content-Length', lines(...post, 'Content-Length: 4', 'Content-Length: 5')],
    ['an unknown transfer encoding', lines(...post, 'Transfer-Encoding: chunked, identity')],
    ['a header that ends with a bare line feed', lines(...post, 'A: b\nContent-Length: 4')],
    ['headers that end with bare line feeds', 'GET / HTTP/1.1\nHost: x\n\n'],
  ])('is refused with 400 if a proxy could read its length in another way: %s', async (_, text) => {
    const smuggled = lines('GET /api/v1/ HTTP/1.1', 'Host: x', 'Connection: close')
    const { status, head, received } = await exchange(`${text}0\r\n\r\n${smuggled}`)
    expect(status).toBe(400)
    expect(head).toContain('connection: close')
    expect(received.match(/HTTP\/1\.1 /g)).toHaveLength(1)
  })

  it('does not stop the service', async () => {
    expect((await caller.get('tokens/current/')).status).toBe(200)
  })
})

describe('a large body', () => {
  it('is rejected with 413 because of its Content-Length, before it is sent', async () => {
    const { status, body } = await exchange(
      lines(
        `POST /api/v1/${caller.organizationId}/assets/folders/ HTTP/1.1`,
        'Host: x',
        'Connection: close',
        `Authorization: token ${caller.token}`,
        'Content-Type: application/json',
        'Content-Length: 999999999999',
      ),
    )
    expect(status).toBe(413)
    expect(JSON.parse(body)).toMatchObject({ code: 'body_too_large' })
  })

  it('is accepted if it has exactly the maximum size', async () => {
    const BODY_BYTES_MAX = 1024 * 1024
    const body = '{"title": "x"}'.padEnd(BODY_BYTES_MAX)
    expect((await caller.post('assets/folders/', body)).status).toBe(201)
    expect((await caller.post('assets/folders/', `${body} `)).status).toBe(413)
  })
})

describe('the request ID', () => {
  const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

  it('is new for each request, and the same in header, problem and log', async () => {
    const one = await caller.get('assets/folders/11111111111/')
    const two = await caller.get('assets/folders/11111111111/')
    expect(one.headers['x-request-id']).toMatch(uuid)
    expect(two.headers['x-request-id']).not.toBe(one.headers['x-request-id'])
    expect(one.body.request_id).toBe(one.headers['x-request-id'])
    await expect.poll(() => api.log).toContain(`"request_id":"${one.body.request_id}"`)
  })

  it.each(['client-7', 'a_b-C'.repeat(12), '01JC8Z5T2R4V6X8Y0A2C4E6G8H'])(
    "is taken from the client's X-Request-Id header if that is valid: %s",
    async (id) => {
      const { headers } = await caller.get('tokens/current/', { 'x-request-id': id })
      expect(headers['x-request-id']).toBe(id)
    },
  )

  it.each(['short', 'x'.repeat(65), 'has blanks in it', 'quote"quote"', '<script>alert</script>', ''])(
    "is generated if the client's X-Request-Id header is invalid: %s",
    async (id) => {
      const { headers } = await caller.get('tokens/current/', { 'x-request-id': id })
      expect(headers['x-request-id']).toMatch(uuid)
    },
  )
})

describe('every response', () => {
  it('forbids caching and content sniffing', async () => {
    for (const path of ['tokens/current/', 'nowhere/']) {
      const { headers } = await caller.get(path)
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      })
    }
  })
})
