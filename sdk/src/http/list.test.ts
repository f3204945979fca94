import { setImmediate } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { openScriptedServer, problem, rejection } from '../../testing/scripted-server.ts'
import { ConnectionError, NotFoundError, Reelkeep, ServerError } from '../reelkeep.ts'

/** A page whose next page is on another host: only its cursor may be used. */
const page = (titles: string[], cursor: string | null) => ({
  body: {
    count: 3,
    next: cursor && `https://elsewhere.example/api/v1/acme1234/assets/folders/?cursor=${cursor}`,
    previous: null,
    results: titles.map((title) => ({ title, uuid: title })),
  },
})

describe('a list', () => {
  it('requests the first page once when awaited', async () => {
    using server = await openScriptedServer(page(['a', 'b'], 'two'))
    const { count, results, next } = await server.client().folders.list()
    expect([count, results.length, typeof next]).toEqual([3, 2, 'string'])
    expect(server.requests).toHaveLength(1)
  })

  it('requests all pages when iterated, with its query and token, from the host of the client', async () => {
    using server = await openScriptedServer(page(['a', 'b'], 'a/b='), page([], 'three'), page(['c'], null))
    const titles: string[] = []
    for await (const { title } of server.client().folders.list({ q: 'x', limit: 2 })) titles.push(title)
    expect(titles).toEqual(['a', 'b', 'c'])
    expect(server.requests.map(({ path }) => path.split('?')[1])).toEqual([
      'q=x&limit=2',
      'q=x&limit=2&cursor=a%2Fb%3D',
      'q=x&limit=2&cursor=three',
    ])
    expect(server.requests.every(({ headers }) => headers.authorization === 'token secret')).toBe(true)
  })

  it('returns the cursor of the next page', async () => {
    using server = await openScriptedServer(page(['a'], 'a/b='), page(['b'], null))
    const { folders } = server.client()
    const { nextCursor } = await folders.list({ limit: 1 })
    expect(nextCursor).toBe('a/b=')
    const next = await folders.list({ limit: 1, cursor: nextCursor ?? '' })
    expect([next.results[0]?.title, next.nextCursor]).toEqual(['b', null])
    expect(server.requests[1]?.path.split('?')[1]).toBe('limit=1&cursor=a%2Fb%3D')
  })

  it('accepts a URL of the next page without a host, and throws if that URL has no cursor', async () => {
    const { body } = page(['a'], null)
    using server = await openScriptedServer(
      { body: { ...body, next: '/api/v1/acme1234/assets/folders/?cursor=two' } },
      { body: { ...body, next: 'https://elsewhere.example/?page=3' } },
    )
    const loop = async () => {
      for await (const { title } of server.client().folders.list()) expect(title).toBe('a')
    }
    const error = await rejection(loop())
    expect(error).toBeInstanceOf(ServerError)
    expect(error).toMatchObject({ code: 'unexpected_response' })
    expect(server.requests.map(({ path }) => path.split('?')[1])).toEqual([undefined, 'cursor=two'])
  })

  it('does not request pages that the loop does not reach', async () => {
    using server = await openScriptedServer(page(['a', 'b'], 'two'))
    for await (const { title } of server.client().folders.list()) if (title === 'b') break
    expect(server.requests).toHaveLength(1)
  })

  it('throws when the loop reaches a page that cannot be read', async () => {
    using server = await openScriptedServer(page(['a'], 'two'), problem(404, 'folder_not_found'))
    const titles: string[] = []
    const loop = async () => {
      for await (const { title } of server.client().folders.list()) titles.push(title)
    }
    expect(await rejection(loop())).toBeInstanceOf(NotFoundError)
    expect(titles).toEqual(['a'])
  })
})

describe.each([
  ['a list', (client: Reelkeep) => client.folders.list()],
  ['the event log', (client: Reelkeep) => client.events.list()],
])('%s whose first page fails', (_, ask) => {
  const client = new Reelkeep({
    url: 'https://videos.example',
    organization: 'acme1234',
    token: 'secret',
    retriesMax: 0,
    fetch: () => Promise.reject(new Error('away')),
  })

  it('causes no unhandled rejection', async () => {
    const onUnhandled = vi.fn()
    process.on('unhandledRejection', onUnhandled)
    onTestFinished(() => void process.off('unhandledRejection', onUnhandled))
    void ask(client)
    const items = ask(client)
    // Node reports unhandled rejections before it runs the callbacks of `setImmediate`.
    await setImmediate()
    await setImmediate()
    expect(onUnhandled).not.toHaveBeenCalled()
    const loop = async () => {
      for await (const item of items) throw new Error(`There is ${item}.`)
    }
    expect(await rejection(loop())).toBeInstanceOf(ConnectionError)
    expect(await rejection(items)).toBeInstanceOf(ConnectionError)
  })
})

describe('the event log', () => {
  it('requests further pages after the number `after` until the end', async () => {
    const page = (after: number, has_more: boolean, ...numbers: number[]) => ({
      body: { after, has_more, next: '', results: numbers.map((number) => ({ number })) },
    })
    using server = await openScriptedServer(page(2, true, 1, 2), page(9, true), page(10, false, 10))
    const numbers: number[] = []
    for await (const { number } of server.client().events.list({ types: 'asset.*' })) numbers.push(number)
    expect(numbers).toEqual([1, 2, 10])
    expect(server.requests.map(({ path }) => path.split('?')[1])).toEqual([
      'types=asset.*',
      'types=asset.*&after=2',
      'types=asset.*&after=9',
    ])
  })
})
