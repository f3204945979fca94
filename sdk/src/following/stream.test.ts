import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { openScriptedServer, problem, rejection } from '../../testing/scripted-server.ts'
import { ConnectionError, PermissionError, Reelkeep, ServerError } from '../reelkeep.ts'

const event = (number: number) =>
  `id: ${number}\nevent: folder.created\ndata: {"number":${number},"type":"folder.created"}\n\n`
const begin = (lastId: number) => `retry: 10\nid: ${lastId}\n\n`
const headers = { 'content-type': 'text/event-stream' }

/** Numbers until there are so many. */
async function numbersOf(stream: AsyncIterable<object>, count: number): Promise<unknown[]> {
  const numbers: unknown[] = []
  for await (const told of stream) {
    numbers.push('number' in told ? told.number : told)
    if (numbers.length === count) break
  }
  return numbers
}

describe('a stream that is cut off', () => {
  it('goes on where it was, and tells nothing twice', async () => {
    using server = await openScriptedServer(
      // The second event is cut in the middle; it comes again.
      (response) => {
        response.writeHead(200, headers)
        response.write(begin(40) + event(41) + event(42).slice(0, 30), () => response.destroy())
      },
      { headers, body: event(42) + event(43) },
      { headers, body: event(44) },
    )
    const stream = server.client().events.stream({ types: 'folder.*' })
    expect(await numbersOf(stream, 4)).toEqual([41, 42, 43, 44])
    expect(server.heard.map(({ headers }) => headers['last-event-id'])).toEqual([
      undefined,
      '41',
      '43',
    ])
    expect(server.heard.every(({ path }) => path.endsWith('/events/stream/?types=folder.*'))).toBe(
      true,
    )
  })

  it('keeps the place that it was told of without an event', async () => {
    using server = await openScriptedServer(
      { headers, body: `${begin(40)}id: 57\n\n` },
      { headers, body: event(58) },
    )
    expect(await numbersOf(server.client().events.stream(), 1)).toEqual([58])
    expect(server.heard[1]?.headers['last-event-id']).toBe('57')
  })

  it('outlives a service that restarts', async () => {
    using server = await openScriptedServer(
      { headers, body: begin(40) },
      'cut',
      problem(503, 'unavailable'),
      { headers, body: event(41) },
    )
    expect(await numbersOf(server.client().events.stream(), 1)).toEqual([41])
  })

  it('is given up after as many tries as it was told', async () => {
    using server = await openScriptedServer(
      { headers, body: begin(40) },
      problem(503, 'unavailable'),
    )
    const stream = server.client().events.stream({}, { retriesMax: 2 })
    expect(await rejection(numbersOf(stream, 1))).toBeInstanceOf(ServerError)
    expect(server.heard).toHaveLength(1 + 2)
  })

  it('is given up some time, if the number of tries is none', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: false })
    onTestFinished(() => void vi.useRealTimers())
    let tries = 0
    const away = new Reelkeep({
      url: 'https://videos.example',
      organization: 'acme1234',
      token: 'secret',
      fetch: () => {
        tries++
        return Promise.reject(new Error('away'))
      },
    })
    const stream = away.events.stream({}, { retriesMax: Number.NaN })
    const given = rejection(numbersOf(stream, 1))
    await vi.advanceTimersByTimeAsync(2 * 3_600_000)
    expect(tries).toBe(1 + 120)
    expect(await given).toBeInstanceOf(ConnectionError)
  })

  it('is given up as well if it always ends before it begins', async () => {
    using server = await openScriptedServer({ headers, body: begin(40) }, { headers, body: '' })
    const stream = server.client().events.stream({}, { retriesMax: 2 })
    expect(await rejection(numbersOf(stream, 1))).toBeInstanceOf(ConnectionError)
    expect(server.heard).toHaveLength(1 + 2)
  })

  it('stays away for as long as it is asked to', async () => {
    const later = problem(429, 'too_many_streams', { headers: { 'retry-after': '1' } })
    using server = await openScriptedServer({ headers, body: begin(40) }, later, {
      headers,
      body: event(41),
    })
    expect(await numbersOf(server.client().events.stream(), 1)).toEqual([41])
    const [, refused, taken] = server.heard
    expect((taken?.atMs ?? 0) - (refused?.atMs ?? 0)).toBeGreaterThan(990)
  })

  it.each([
    ['a page', { headers: { 'content-type': 'text/html' }, body: '<p>Welcome</p>\n\n' }],
    ['an event that is none', { headers, body: 'id: 41\ndata: {"number":\n\n' }],
  ])('does not take for an event what is none: %s', async (_, answer) => {
    using server = await openScriptedServer(answer)
    const error = await rejection(numbersOf(server.client().events.stream(), 1))
    expect(error).toBeInstanceOf(ServerError)
    expect(error).toMatchObject({ code: 'unexpected_answer' })
    expect(server.heard).toHaveLength(1)
  })

  it('does not ask again for what it may not have', async () => {
    using server = await openScriptedServer(problem(403, 'insufficient_scope'))
    expect(await rejection(numbersOf(server.client().events.stream(), 1))).toBeInstanceOf(
      PermissionError,
    )
    expect(server.heard).toHaveLength(1)
  })
})

describe('a stream', () => {
  it('tells of progress, which has no number', async () => {
    const progress = { type: 'asset.progress', asset_id: '1', data: { id: '1', progress: 37 } }
    const body = `${begin(40)}event: asset.progress\ndata: ${JSON.stringify(progress)}\n\n`
    using server = await openScriptedServer({ headers, body })
    expect(await numbersOf(server.client().events.stream(), 1)).toEqual([progress])
  })

  it('is hung up when its loop ends', async () => {
    const hungUp = Promise.withResolvers<void>()
    using server = await openScriptedServer((response) => {
      response.on('close', () => hungUp.resolve())
      response.writeHead(200, headers).write(begin(40) + event(41))
    })
    await numbersOf(server.client().events.stream(), 1)
    await hungUp.promise
  })

  it('throws the reason when it is aborted, also while nothing happens', async () => {
    const reason = new Error('Enough.')
    const abort = new AbortController()
    using server = await openScriptedServer((response) => {
      response.writeHead(200, headers).write(begin(40))
      setTimeout(() => abort.abort(reason), 50)
    })
    const stream = server.client().events.stream({}, { signal: abort.signal })
    expect(await rejection(numbersOf(stream, 1))).toBe(reason)
  })
})
