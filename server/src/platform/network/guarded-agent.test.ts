/** A server on loopback counts connections: no spelling of its address, host name or redirect may reach it. */
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { onlyNetworks, openGuardedAgent, publicInternet } from './guarded-agent.ts'
import { toNetworkPorts } from './network-ports.ts'
import type { ResolveName } from './resolve-name.ts'

let loopback: Server
let port: number
let connections = 0
const opened: Server[] = []

async function listen(host: string, listener: RequestListener, at = 0): Promise<Server> {
  const server = createServer(listener).listen(at, host)
  opened.push(server)
  await once(server, 'listening')
  return server
}
const portOf = (server: Server) => (server.address() as AddressInfo).port

beforeAll(async () => {
  // Listens on all addresses of the machine, both families, to detect any successful connection.
  loopback = await listen('::', (_, answer) => answer.end('secret'))
  loopback.on('connection', () => connections++)
  port = portOf(loopback)
})
afterAll(() => {
  for (const server of opened) {
    server.closeAllConnections()
    server.close()
  }
})

/** The response status of a POST, or the error code. */
async function post(url: string, networks: readonly string[] = [], resolve?: ResolveName) {
  const allowed = toNetworkPorts(networks)
  if (!allowed) throw new Error(`not networks: ${networks}`)
  const isAllowed = networks.length > 0 ? onlyNetworks(allowed) : publicInternet([443, port])
  const agent = openGuardedAgent({ isAllowed, connectSecondsMax: 5, ...(resolve && { resolve }) })
  try {
    const { origin, pathname } = new URL(url)
    const answer = await agent.request({ origin, path: pathname, method: 'POST', body: '{}' })
    await answer.body.dump()
    return answer.statusCode
  } catch (error) {
    return (error as { code?: string }).code
  } finally {
    await agent.destroy()
  }
}

const resolvingTo =
  (...addresses: string[]): ResolveName =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))

describe('the guarded agent does not connect to', () => {
  it.each([
    ['loopback', 'http://127.0.0.1:PORT/'],
    ['loopback by HTTPS', 'https://127.0.0.1:PORT/'],
    ['loopback by name', 'http://localhost:PORT/'],
    ['loopback by name and HTTPS', 'https://localhost:PORT/'],
    ['another loopback address', 'https://127.8.9.10:PORT/'],
    ['loopback in decimal', 'https://2130706433:PORT/'],
    ['loopback in octal', 'https://0177.0.0.1:PORT/'],
    ['loopback as one octal number', 'https://017700000001:PORT/'],
    ['loopback in hexadecimal', 'https://0x7f.0x0.0x0.0x1:PORT/'],
    ['loopback as one hexadecimal number', 'https://0x7f000001:PORT/'],
    ['shortened loopback', 'https://127.1:PORT/'],
    ['shortened octal loopback', 'https://0177.1:PORT/'],
    ['zero', 'https://0:PORT/'],
    ['unspecified', 'https://0.0.0.0:PORT/'],
    ['loopback in circled digits', 'https://①②⑦.⓪.⓪.①:PORT/'],
    ['loopback with ideographic full stops', 'https://127。0。0。1:PORT/'],
    ['loopback in full-width digits', 'https://１２７.０.０.１:PORT/'],
    ['percent-encoded loopback', 'https://%31%32%37.0.0.1:PORT/'],
    ['IPv6 loopback', 'https://[::1]:PORT/'],
    ['IPv6 loopback in full', 'https://[0000:0000:0000:0000:0000:0000:0000:0001]:PORT/'],
    ['the unspecified IPv6 address', 'https://[::]:PORT/'],
    ['IPv4-mapped loopback', 'https://[::ffff:127.0.0.1]:PORT/'],
    ['IPv4-mapped loopback in hexadecimal', 'https://[::ffff:7f00:1]:PORT/'],
    ['IPv4-compatible loopback', 'https://[::127.0.0.1]:PORT/'],
    ['loopback through NAT64', 'https://[64:ff9b::7f00:1]:PORT/'],
    ['loopback through 6to4', 'https://[2002:7f00:1::]:PORT/'],
    ['loopback through Teredo', 'https://[2001:0:7f00:1::]:PORT/'],
    ['loopback with credentials', 'https://user:pass@127.0.0.1:PORT/'],
    ['loopback with a user name that looks like a host', 'https://example.com@127.0.0.1:PORT/'],
  ])('%s: %s', async (_, url) => {
    const before = connections
    expect(await post(url.replace('PORT', String(port)))).toBe('FORBIDDEN_ADDRESS')
    expect(connections).toBe(before)
  })

  it.each([
    ['a private network', 'https://10.0.0.1/'],
    ['a private network', 'https://192.168.1.1/'],
    ['metadata', 'https://169.254.169.254/latest/meta-data/'],
    ['metadata in decimal', 'https://2852039166/'],
    ['metadata in IPv6', 'https://[fd00:ec2::254]/'],
    ['Oracle metadata', 'https://192.0.0.192/'],
    ['the Azure host agent', 'https://168.63.129.16/'],
    ['link-local', 'https://[fe80::1]/'],
    ['carrier-grade NAT', 'https://100.64.0.1/'],
    ['benchmarks', 'https://198.18.0.1/'],
    ['multicast', 'https://224.0.0.1/'],
    ['broadcast', 'https://255.255.255.255/'],
    ['the public internet by plain HTTP', 'http://8.8.8.8/'],
    ['the public internet by plain HTTP on the port of HTTPS', 'http://8.8.8.8:443/'],
    ['another port of the public internet', 'https://8.8.8.8:22/'],
  ])('a forbidden network (%s): %s', async (_, url) => {
    expect(await post(url)).toBe('FORBIDDEN_ADDRESS')
  })

  it.each([
    ['loopback', ['127.0.0.1']],
    ['loopback beside a public address', ['8.8.8.8', '127.0.0.1']],
    ['loopback in IPv6 beside a public address', ['8.8.8.8', '::1']],
    ['metadata', ['169.254.169.254']],
    ['no address', []],
  ])('a host name that resolves to %s', async (_, addresses) => {
    const before = connections
    const url = `https://hook.example:${port}/`
    expect(await post(url, [], resolvingTo(...addresses))).toBe('FORBIDDEN_ADDRESS')
    expect(connections).toBe(before)
  })
})

describe('the guarded agent', () => {
  it('connects to allowed networks by address and by name, but not to other addresses', async () => {
    expect(await post(`http://127.0.0.1:${port}/`, ['127.0.0.0/8:*'])).toBe(200)
    expect(await post(`http://127.0.0.1:${port}/`, [`127.0.0.0/8:${port}`])).toBe(200)
    const url = `http://hook.example:${port}/`
    expect(await post(url, ['127.0.0.0/8:*'], resolvingTo('127.0.0.1'))).toBe(200)
    const before = connections
    expect(await post(`http://127.0.0.1:${port}/`, ['127.0.0.2/32:*'])).toBe('FORBIDDEN_ADDRESS')
    expect(await post(`http://127.0.0.1:${port}/`, ['127.0.0.0/8:1'])).toBe('FORBIDDEN_ADDRESS')
    expect(await post(`http://[::1]:${port}/`, ['127.0.0.0/8:*'])).toBe('FORBIDDEN_ADDRESS')
    expect(await post('https://8.8.8.8/', ['127.0.0.0/8:*'])).toBe('FORBIDDEN_ADDRESS')
    expect(connections).toBe(before)
  })

  it('refuses a host name that resolves to a forbidden address on a later connection', async () => {
    const good = await listen('127.0.0.2', (_, answer) => answer.end())
    const url = `http://hook.example:${portOf(good)}/`
    const evil = await listen('127.0.0.1', (_, answer) => answer.end(), portOf(good))
    let arrived = 0
    evil.on('connection', () => arrived++)
    let lookups = 0
    const resolve: ResolveName = (name) => resolvingTo(lookups++ === 0 ? '127.0.0.2' : '127.0.0.1')(name)
    expect(await post(url, ['127.0.0.2/32:*'], resolve)).toBe(200)
    expect(lookups).toBe(1)
    expect(await post(url, ['127.0.0.2/32:*'], resolve)).toBe('FORBIDDEN_ADDRESS')
    expect(arrived).toBe(0)
  })

  it('returns a redirect to loopback and does not follow it', async () => {
    const location = `http://127.0.0.1:${port}/secret`
    const redirecting = await listen('127.0.0.2', (_, answer) => answer.writeHead(307, { location }).end())
    const before = connections
    expect(await post(`http://127.0.0.2:${portOf(redirecting)}/`, ['127.0.0.0/8:*'])).toBe(307)
    expect(connections).toBe(before)
  })
})
