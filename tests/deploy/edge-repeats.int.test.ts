import { once } from 'node:events'
import http, { createServer, type Server } from 'node:http'
import https, { type RequestOptions } from 'node:https'
import type { AddressInfo } from 'node:net'
import { folders, isRepeatable, operations } from '@reelkeep/contract'
import type { Cell } from '@reelkeep/server/cells/directory.rules.ts'
import { routerConfiguration } from '@reelkeep/server/cells/router.rules.ts'
import { Nginx } from '@reelkeep/testkit'
import { describe, expect, it } from 'vitest'
import { ComposeEdge } from '../../tools/drills/roll/compose-edge.ts'

type RequestInput = {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

const key = { 'Idempotency-Key': 'once' }
const pathOf = (path: string) => `/api/v1/acme12${path.replaceAll(/:\w+/g, 'some-id')}`
const notTwice = operations.filter((operation) => !isRepeatable(operation))
const post = (path: string, headers: RequestInput['headers'] = {}): RequestInput => ({
  method: 'POST',
  path: pathOf(path),
  headers,
})

/** A proxy that repeats requests: its URL, and the certificate to trust. */
type Front = AsyncDisposable & { readonly url: string; readonly trust: RequestOptions }
type Opening = (instances: readonly string[]) => Promise<Front>

const openEdge: Opening = async (instances) => {
  const edge = await ComposeEdge.start(instances)
  const { certificate = '', host = '' } = edge.api
  return {
    url: edge.api.baseUrl(),
    trust: { ca: certificate, servername: host },
    [Symbol.asyncDispose]: () => edge[Symbol.asyncDispose](),
  }
}

const openRouter: Opening = async (instances) => {
  const api = instances.map((address) => `http://${address}`)
  const nginx = await Nginx.start((logs, port) =>
    routerConfiguration({
      version: 1,
      cells: { a: { api } as unknown as Cell },
      ...{ newOrganizations: 'a', organizations: {}, moves: {} },
      router: { listen: `127.0.0.1:${port}`, logs, trustedProxies: [] },
    }),
  )
  return {
    url: nginx.baseUrl,
    trust: {},
    [Symbol.asyncDispose]: () => nginx[Symbol.asyncDispose](),
  }
}

describe.each<readonly [string, Opening]>([
  ["Compose's edge", openEdge],
  ['the router', openRouter],
])('%s', (_, open) => {
  it.each<readonly [string, RequestInput]>([
    ['with an idempotency key', post(folders.createFolder.path, key)],
    ['that sets a state', { ...post(folders.updateFolder.path), method: folders.updateFolder.method }],
  ])('repeats a request %s on the next instance if the first one is killed', async (_, input) => {
    expect(await countReceivers(open, input)).toBe(2)
  })

  it.each<readonly [string, RequestInput]>([
    ['without an idempotency key', post(folders.createFolder.path)],
    ['without an idempotency key, with a space in its path', post('/assets/a%20b/chapters/')],
    ...notTwice.map(({ id, path }) => [`to ${id}, which does not support idempotency keys`, post(path, key)] as const),
    ...notTwice.flatMap(({ id, path }) =>
      otherSpellings(path).map((other) => [`to ${id} as ${other}`, post(other, key)] as const),
    ),
  ])('does not repeat a POST %s', async (_, input) => {
    expect(await countReceivers(open, input)).toBe(1)
  })
})

/** Other spellings of the path that the API accepts. */
function otherSpellings(path: string): string[] {
  const last = path.at(-2) ?? ''
  const encoded = `%${last.charCodeAt(0).toString(16)}`
  return [`${path}?a=b`, path.slice(0, -1), `/${path}`, `${path.slice(0, -2)}${encoded}/`]
}

/** Returns how many of two instances receive a request that kills every instance. */
async function countReceivers(open: Opening, { path, ...options }: RequestInput) {
  let receivers = 0
  const instances = [await openCrashing(() => receivers++), await openCrashing(() => receivers++)]
  try {
    await using front = await open(instances.map(addressOf))
    const request = front.url.startsWith('https:') ? https.request : http.request
    const sent = request(`${front.url}${path}`, { ...options, ...front.trust, agent: false }).end()
    const [response] = await once(sent, 'response')
    response.resume()
    expect(response.statusCode).toBe(502)
    return receivers
  } finally {
    for (const instance of instances) instance.close()
  }
}

/** Opens a server that responds to GET requests, and disconnects on all others like a killed instance. */
async function openCrashing(onReceived: () => void): Promise<Server> {
  const server = createServer((request, response) => {
    if (request.method === 'GET') return void response.end()
    onReceived()
    request.socket.destroy()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return server
}

const addressOf = (server: Server) => `127.0.0.1:${(server.address() as AddressInfo).port}`
