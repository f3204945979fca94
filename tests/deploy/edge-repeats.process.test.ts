import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { folders, isRepeatable, operations } from '@reelkeep/contract'
import { expect, it } from 'vitest'
import { ComposeEdge } from '../rehearsals/compose-edge.ts'

type Wish = {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

const key = { 'Idempotency-Key': 'once' }
const pathOf = (path: string) => `/api/v1/acme12${path.replaceAll(/:\w+/g, 'some-id')}`
const notTwice = operations.filter((operation) => !isRepeatable(operation))
const post = (path: string, headers: Wish['headers'] = {}): Wish => ({
  method: 'POST',
  path: pathOf(path),
  headers,
})

it.each<readonly [string, Wish]>([
  ['with a key', post(folders.createFolder.path, key)],
  [
    'that says how a thing is to be',
    { ...post(folders.renameFolder.path), method: folders.renameFolder.method },
  ],
])('a request %s that an instance died of is given to the next', async (_, wish) => {
  expect(await takersOf(wish)).toBe(2)
})

it.each<readonly [string, Wish]>([
  ['without a key', post(folders.createFolder.path)],
  ...notTwice.map(({ id, path }) => [`to ${id}, which takes none`, post(path, key)] as const),
  ...notTwice.map(({ id, path }) => [`to ${id}?a=b`, post(`${path}?a=b`, key)] as const),
])('a POST %s is not', async (_, wish) => {
  expect(await takersOf(wish)).toBe(1)
})

/** How many of two instances are given a request by an edge of its own, if each dies of it. */
async function takersOf({ path, ...wish }: Wish) {
  let takers = 0
  const instances = [await openMortal(() => takers++), await openMortal(() => takers++)]
  try {
    await using edge = await ComposeEdge.start(instances.map(addressOf))
    const { certificate = '', host = '' } = edge.api
    const trust = { ca: certificate, servername: host, agent: false }
    const sent = request(`${edge.api.baseUrl()}${path}`, { ...wish, ...trust }).end()
    const [answer] = await once(sent, 'response')
    answer.resume()
    expect(answer.statusCode).toBe(502)
    return takers
  } finally {
    for (const instance of instances) instance.close()
  }
}

/** Answers what only asks, and hangs up on all else, as an instance does that is killed. */
async function openMortal(takes: () => void): Promise<Server> {
  const server = createServer((asked, answer) => {
    if (asked.method === 'GET') return void answer.end()
    takes()
    asked.socket.destroy()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return server
}

const addressOf = (server: Server) => `127.0.0.1:${(server.address() as AddressInfo).port}`
