/**
 * Every operation of the contract has an SDK method that sends the documented request. Bodies are the examples of the
 * contract.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { operations } from '@reelkeep/contract'
import { Reelkeep } from 'reelkeep'
import { afterAll, describe, expect, it } from 'vitest'
import { calls } from '../../site/src/api/calls.ts'
import { sdkMethods } from '../../site/src/generated/sdk-methods.ts'

/** SDK methods that combine several operations, or use none. */
const composed = [
  'assets.waitUntilPlayable',
  'assets.waitUntilCompleted',
  'bulkOperations.preview',
  'bulkOperations.waitUntilFinished',
  'uploads.send',
  'uploads.resume',
  'versions.upload',
  'webhooks.verify',
]

type Heard = { method: string; path: string; query: Record<string, string>; body: unknown }
let heard: Heard | undefined

/** Responds to every request; a list has no items, an export has no lines, and a stream has one event. */
async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = Buffer.concat(await request.toArray()).toString()
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://server')
  heard = {
    method: request.method ?? '',
    path: pathname.replace('/api/v1/acme1234', ''),
    query: Object.fromEntries(searchParams),
    body: body && JSON.parse(body),
  }
  if (pathname.endsWith('/stream/'))
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: {}\n\n')
  else if (pathname.endsWith('/export/') && pathname.includes('/audit/')) response.end()
  else response.end(JSON.stringify({ results: [], next: null, has_more: false }))
}

const server = createServer((request, response) => void respond(request, response)).listen(0, '127.0.0.1')
await once(server, 'listening')
afterAll(() => server.close())

const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const client = new Reelkeep({ url, organization: 'acme1234', token: 'secret' })

type Method = (...given: unknown[]) => PromiseLike<unknown> | AsyncGenerator
const resources = client as unknown as Record<string, Record<string, Method>>
const offered = Object.entries(resources).flatMap(([resource, its]) =>
  Object.keys(its).map((method) => `${resource}.${method}`),
)

describe('every operation of the contract', () => {
  it.each(operations.map((operation) => [operation.id, operation] as const))(
    'has an SDK method that sends the documented request: %s',
    async (id, operation) => {
      const { body, path } = operation
      const { query } = calls[id] ?? {}
      const [resource = '', method = ''] = sdkMethods[id]?.split('.') ?? []
      const identifiers = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => `the-${name}`)
      const rest = (body as { examples: unknown[] } | undefined)?.examples[0] ?? query
      heard = undefined
      const result = resources[resource]?.[method]?.(...identifiers, ...(rest ? [rest] : []))
      await (result && 'next' in result ? result.next() : result)

      expect(heard).toEqual({
        method: operation.method,
        path: path.replace(/:(\w+)/g, 'the-$1'),
        query: body ? {} : asText(query ?? {}),
        body: body ? rest : '',
      })
      expect(Object.keys(operation.query.properties)).toEqual(expect.arrayContaining(Object.keys(query ?? {})))
    },
  )

  it('has exactly one SDK method; the only other methods are combinations of operations', () => {
    expect(offered.filter((name) => !composed.includes(name)).sort()).toEqual(Object.values(sdkMethods).sort())
  })

  it('is the only kind of row in the table of calls', () => {
    const ids: string[] = operations.map(({ id }) => id)
    expect(Object.keys(calls).filter((id) => !ids.includes(id))).toEqual([])
  })
})

const asText = (query: object) =>
  Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]))
