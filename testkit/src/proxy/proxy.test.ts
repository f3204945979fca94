import { once } from 'node:events'
import { createServer, request as openRequest, type RequestListener } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { afterEach, describe, expect, it } from 'vitest'
import { latency, resetPeer } from './fault-proxy.ts'
import { changeResponse, HttpProxy, respond } from './http-proxy.ts'
import { afterUpstreamBytes, bandwidth, TcpProxy } from './tcp-proxy.ts'

let cleanup = new AsyncDisposableStack()
afterEach(async () => {
  await cleanup.disposeAsync()
  cleanup = new AsyncDisposableStack()
})

/** Responds with the body of the request. */
const echo: RequestListener = (request, response) => {
  void buffer(request).then(
    (body) => response.writeHead(200, { 'x-path': request.url }).end(body),
    () => response.destroy(),
  )
}

async function openTarget(): Promise<string> {
  const server = createServer(echo).listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanup.defer(() => server[Symbol.asyncDispose]())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const openHttp = async () => cleanup.use(await HttpProxy.open(await openTarget()))
const openTcp = async () => cleanup.use(await TcpProxy.open(await openTarget()))

const post = (url: string, body: string | Uint8Array<ArrayBuffer> = 'hello') => fetch(url, { method: 'POST', body })
const statusOf = async (url: string) => (await post(url)).status

describe('the HTTP proxy', () => {
  it('forwards requests that match no rule, and records them', async () => {
    const proxy = await openHttp()
    proxy.rules = [{ match: ({ path }) => path === '/other', action: respond(503) }]
    const answer = await post(`${proxy.url}/a?b=%2F`)
    expect([answer.headers.get('x-path'), await answer.text()]).toEqual(['/a?b=%2F', 'hello'])
    expect(proxy.requests).toMatchObject([{ method: 'POST', path: '/a?b=%2F' }])
    expect(proxy.downstreamBytes).toBe(5)
  })

  it('applies the first matching rule, at most as often as the rule allows', async () => {
    const proxy = await openHttp()
    proxy.rules = [{ action: respond(503), times: 1 }, { action: respond(404) }]
    expect([await statusOf(proxy.url), await statusOf(proxy.url)]).toEqual([503, 404])
    proxy.reset()
    expect(await statusOf(proxy.url)).toBe(200)
  })

  it('delays requests', async () => {
    const proxy = await openHttp()
    const { promise, resolve } = Promise.withResolvers<void>()
    proxy.rules = [{ action: latency(() => promise, respond(204)) }]
    const status = statusOf(proxy.url)
    await expect.poll(() => proxy.requests.length).toBe(1)
    resolve()
    expect(await status).toBe(204)
  })

  it('changes responses', async () => {
    const proxy = await openHttp()
    const action = changeResponse(async (response, { body }) => {
      const text = `${response.body} ${(await body()).length}`
      return { ...response, status: 201, body: Buffer.from(text) }
    })
    proxy.rules = [{ action }]
    const answer = await post(proxy.url)
    expect([answer.status, await answer.text()]).toEqual([201, 'hello 5'])
  })

  it('resets the connection of a request, and all connections while it is disabled', async () => {
    const proxy = await openHttp()
    proxy.rules = [{ action: resetPeer, times: 1 }]
    await expect(post(proxy.url)).rejects.toThrow()
    proxy.disable()
    await expect(post(proxy.url)).rejects.toThrow()
    proxy.enable()
    expect(await statusOf(proxy.url)).toBe(200)
  })

  it('resets the connection if the target refuses connections while the body arrives', async () => {
    const proxy = await openHttp()
    proxy.target = 'http://127.0.0.1:1'
    proxy.rules = [{ action: changeResponse((response) => response) }]
    const client = openRequest(proxy.url, { method: 'POST' })
    const failure = once(client, 'response')
    client.write('first')
    await expect.poll(() => proxy.requests.length).toBe(1)
    // When this connection was refused, an earlier connection of the proxy was refused too.
    await expect(once(connect(1, '127.0.0.1'), 'connect')).rejects.toThrow('ECONNREFUSED')
    client.end('last')
    await expect(failure).rejects.toThrow()
  })
})

describe('the TCP proxy', () => {
  const MEBIBYTE = 1024 ** 2

  it('forwards bytes in both directions unchanged', async () => {
    const proxy = await openTcp()
    const body = new Uint8Array(8 * MEBIBYTE).fill(7)
    const answer = await post(proxy.url, body)
    expect(Buffer.from(await answer.arrayBuffer()).equals(body)).toBe(true)
    expect(proxy.upstreamBytes).toBeGreaterThan(body.length)
  })

  it('resets a connection after a number of bytes, in either direction', async () => {
    const proxy = await openTcp()
    const body = new Uint8Array(2 * MEBIBYTE)
    proxy.rules = [{ match: afterUpstreamBytes(MEBIBYTE), action: resetPeer, times: 1 }]
    await expect(post(proxy.url, body)).rejects.toThrow()
    const isInResponse = ({ direction, totalBytes }: { direction: string; totalBytes: number }) =>
      direction === 'downstream' && totalBytes > MEBIBYTE
    proxy.rules = [{ match: isInResponse, action: resetPeer, times: 1 }]
    await expect(post(proxy.url, body).then((answer) => answer.bytes())).rejects.toThrow()
  })

  it('limits the bandwidth', async () => {
    const proxy = await openTcp()
    proxy.rules = [{ match: ({ direction }) => direction === 'upstream', action: bandwidth(4 * MEBIBYTE) }]
    const start = performance.now()
    await post(proxy.url, new Uint8Array(MEBIBYTE))
    expect(performance.now() - start).toBeGreaterThan(200)
  })
})
