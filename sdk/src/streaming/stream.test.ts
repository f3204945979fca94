import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { openScriptedServer, problem, rejection } from '../../testing/scripted-server.ts'
import { ConnectionError, PermissionError, Reelkeep, ServerError } from '../reelkeep.ts'

const event = (number: number) =>
  `id: ${number}\nevent: folder.created\ndata: {"number":${number},"type":"folder.created"}\n\n`
const opening = (lastId: number) => `retry: 10\nid: ${lastId}\n\n`
const headers = { 'content-type': 'text/event-stream' }

/** The numbers of the first `count` events. */
async function numbersOf(stream: AsyncIterable<object>, count: number): Promise<unknown[]> {
  const numbers: unknown[] = []
  for await (const event of stream) {
    numbers.push('number' in event ? event.number : event)
    if (numbers.length === count) break
  }
  return numbers
}

describe('a disconnected event stream', () => {
  it('continues after the last received event, without duplicates', async () => {
    using server = await openScriptedServer(
      // The second event is truncated; it is sent again.
      (response) => {
        response.writeHead(200, headers)
        response.write(opening(40) + event(41) + event(42).slice(0, 30), () => response.destroy())
      },
      { headers, body: event(42) + event(43) },
      { headers, body: event(44) },
    )
    const stream = server.client().events.stream({ types: 'folder.*' })
    expect(await numbersOf(stream, 4)).toEqual([41, 42, 43, 44])
    expect(server.requests.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '41', '43'])
    expect(server.requests.every(({ path }) => path.endsWith('/events/stream/?types=folder.*'))).toBe(true)
  })

  it('continues from the last id, even if its block had no event', async () => {
    using server = await openScriptedServer({ headers, body: `${opening(40)}id: 57\n\n` }, { headers, body: event(58) })
    expect(await numbersOf(server.client().events.stream(), 1)).toEqual([58])
    expect(server.requests[1]?.headers['last-event-id']).toBe('57')
  })

  it('reconnects after a restart of the service', async () => {
    using server = await openScriptedServer({ headers, body: opening(40) }, 'disconnect', problem(503, 'unavailable'), {
      headers,
      body: event(41),
    })
    expect(await numbersOf(server.client().events.stream(), 1)).toEqual([41])
  })

  it('throws after the given number of failed reconnects', async () => {
    using server = await openScriptedServer({ headers, body: opening(40) }, problem(503, 'unavailable'))
    const stream = server.client().events.stream({}, { retriesMax: 2 })
    expect(await rejection(numbersOf(stream, 1))).toBeInstanceOf(ServerError)
    expect(server.requests).toHaveLength(1 + 2)
  })

  it('uses the default number of reconnects if the given one is NaN', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: false })
    onTestFinished(() => void vi.useRealTimers())
    let tries = 0
    const unavailable = new Reelkeep({
      url: 'https://videos.example',
      organization: 'acme1234',
      token: 'secret',
      fetch: () => {
        tries++
        return Promise.reject(new Error('unavailable'))
      },
    })
    const stream = unavailable.events.stream({}, { retriesMax: Number.NaN })
    const given = rejection(numbersOf(stream, 1))
    await vi.advanceTimersByTimeAsync(2 * 3_600_000)
    expect(tries).toBe(1 + 120)
    expect(await given).toBeInstanceOf(ConnectionError)
  })

  it('counts a stream that ends without data as a failed reconnect', async () => {
    using server = await openScriptedServer({ headers, body: opening(40) }, { headers, body: '' })
    const stream = server.client().events.stream({}, { retriesMax: 2 })
    expect(await rejection(numbersOf(stream, 1))).toBeInstanceOf(ConnectionError)
    expect(server.requests).toHaveLength(1 + 2)
  })

  it('does not reconnect before Retry-After', async () => {
    const later = problem(429, 'too_many_streams', { headers: { 'retry-after': '1' } })
    using server = await openScriptedServer({ headers, body: opening(40) }, later, {
      headers,
      body: event(41),
    })
    expect(await numbersOf(server.client().events.stream(), 1)).toEqual([41])
    const [, refused, taken] = server.requests
    expect((taken?.atMs ?? 0) - (refused?.atMs ?? 0)).toBeGreaterThan(990)
  })

  it.each([
    ['an HTML page', { headers: { 'content-type': 'text/html' }, body: '<p>Welcome</p>\n\n' }],
    ['invalid JSON', { headers, body: 'id: 41\ndata: {"number":\n\n' }],
  ])('rejects a response that is not an event stream: %s', async (_, response) => {
    using server = await openScriptedServer(response)
    const error = await rejection(numbersOf(server.client().events.stream(), 1))
    expect(error).toBeInstanceOf(ServerError)
    expect(error).toMatchObject({ code: 'unexpected_response' })
    expect(server.requests).toHaveLength(1)
  })

  it('does not reconnect if the token lacks the scope', async () => {
    using server = await openScriptedServer(problem(403, 'insufficient_scope'))
    expect(await rejection(numbersOf(server.client().events.stream(), 1))).toBeInstanceOf(PermissionError)
    expect(server.requests).toHaveLength(1)
  })
})

describe('an event stream', () => {
  it('yields progress events, which have no sequence number', async () => {
    const progress = { type: 'asset.progress', asset_id: '1', data: { id: '1', progress: 37 } }
    const body = `${opening(40)}event: asset.progress\ndata: ${JSON.stringify(progress)}\n\n`
    using server = await openScriptedServer({ headers, body })
    expect(await numbersOf(server.client().events.stream(), 1)).toEqual([progress])
  })

  it('reports for each connection the number that it continues after', async () => {
    using server = await openScriptedServer({ headers, body: opening(40) + event(41) }, { headers, body: event(42) })
    const opened: unknown[] = []
    const stream = server.client().events.stream({}, { onOpen: (after) => opened.push(after) })
    expect(await numbersOf(stream, 2)).toEqual([41, 42])
    expect(opened).toEqual([40, 41])
  })

  it('disconnects when its loop ends', async () => {
    const disconnected = Promise.withResolvers<void>()
    using server = await openScriptedServer((response) => {
      response.on('close', () => disconnected.resolve())
      response.writeHead(200, headers).write(opening(40) + event(41))
    })
    await numbersOf(server.client().events.stream(), 1)
    await disconnected.promise
  })

  it('throws the reason of the signal, even while no events arrive', async () => {
    const reason = new Error('Enough.')
    const abort = new AbortController()
    using server = await openScriptedServer((response) => {
      response.writeHead(200, headers).write(opening(40))
      setTimeout(() => abort.abort(reason), 50)
    })
    const stream = server.client().events.stream({}, { signal: abort.signal })
    expect(await rejection(numbersOf(stream, 1))).toBe(reason)
  })
})
