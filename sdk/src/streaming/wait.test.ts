import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { openScriptedServer, problem, rejection } from '../../testing/scripted-server.ts'
import { ConnectionError, NotFoundError, ProcessingError, RateLimitError, WaitTimeoutError } from '../reelkeep.ts'

type Video = { status?: string; playback_url?: string | null; progress?: number; error?: object }

const asset = ({ status = 'Processing', playback_url = null, progress = 0, error }: Video) => ({
  body: {
    id: 'a1',
    video: { status, playback_url, progress, renditions: [], error: error ?? null },
  },
})
const playable = asset({ playback_url: 'https://videos.example/1.m3u8', progress: 40 })
const forbidden = problem(403, 'insufficient_scope')

/** Responds to reads of the asset in order, and to the request for the stream. */
async function openService(polls: object[], stream: object | ((response: ServerResponse) => void)) {
  let count = 0
  return openScriptedServer((response, { path }) => {
    if (path.includes('/events/stream/')) {
      if (typeof stream === 'function') return stream(response)
      return respond(response, stream)
    }
    return respond(response, polls[Math.min(count++, polls.length - 1)])
  })
}

function respond(
  response: ServerResponse,
  scripted: { status?: number; headers?: Record<string, string>; body?: unknown } = {},
): void {
  response.writeHead(scripted.status ?? 200, scripted.headers).end(JSON.stringify(scripted.body))
}

const playableEvent = (id: string) =>
  `id: 41\nevent: asset.playable\ndata: {"number":41,"type":"asset.playable","asset_id":"${id}"}\n\n`

describe('waiting for a video', () => {
  it('reads the asset only when the stream reports a change', async () => {
    const streams: ServerResponse[] = []
    using server = await openService([asset({}), asset({ progress: 5 }), playable], (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('id: 40\n\n')
      streams.push(response)
    })
    const progress: number[] = []
    const waiting = server.client().assets.waitUntilPlayable('a1', {
      onProgress: (at) => progress.push(at.progress),
    })
    const polls = () => server.requests.filter(({ path }) => path.endsWith('/assets/a1/')).length
    // The asset is read at the start, and again when the stream is open, because earlier changes are not on the stream.
    await expect.poll(polls).toBe(2)
    const data = { type: 'asset.progress', asset_id: 'a1', data: { id: 'a1', progress: 12 } }
    streams[0]?.write(`event: asset.progress\ndata: ${JSON.stringify(data)}\n\n`)
    await expect.poll(() => progress).toEqual([0, 5, 12])
    expect(polls()).toBe(2)
    streams[0]?.write(playableEvent('a1'))
    expect((await waiting).video.playback_url).toBe('https://videos.example/1.m3u8')
    expect(progress).toEqual([0, 5, 12, 40])
    const stream = server.requests.find(({ path }) => path.includes('/events/stream/'))
    expect(stream?.path).toContain('?types=asset.*')
  })

  it('uses one stream for all waits, and closes the stream after the last wait', async () => {
    const streams: ServerResponse[] = []
    const isPlayable = new Set<string>()
    const polls: string[] = []
    using server = await openScriptedServer((response, { path }) => {
      const id = path.split('/').at(-2) ?? ''
      if (path.includes('/events/stream/')) {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write('id: 40\n\n')
        streams.push(response)
        return
      }
      polls.push(id)
      respond(response, isPlayable.has(id) ? playable : asset({}))
    })
    const { assets } = server.client()
    const ids = ['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7', 'a8']
    const waits = ids.map((id) => assets.waitUntilPlayable(id))
    await expect.poll(() => polls.length).toBe(2 * ids.length)
    const disconnected = Promise.withResolvers<void>()
    streams[0]?.on('close', () => disconnected.resolve())
    isPlayable.add('a3')
    streams[0]?.write(playableEvent('a3'))
    await waits[2]
    expect(polls).toHaveLength(2 * ids.length + 1)
    for (const id of ids) isPlayable.add(id)
    for (const id of ids) streams[0]?.write(playableEvent(id))
    await Promise.all(waits)
    await disconnected.promise
    expect(streams).toHaveLength(1)
  })

  it('does not report progress of a poll that is older than the last stream event', async () => {
    let streaming: ServerResponse | undefined
    const pollResponses: ServerResponse[] = []
    using server = await openScriptedServer((response, { path }) => {
      if (!path.includes('/events/stream/')) return void pollResponses.push(response)
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('id: 40\n\n')
      streaming = response
    })
    const reported: [string, number][] = []
    const waiting = server.client().assets.waitUntilCompleted('a1', {
      onProgress: ({ status, progress }) => reported.push([status, progress]),
    })
    const answerPoll = async (count: number, video: Video) => {
      await expect.poll(() => pollResponses.length).toBe(count)
      respond(pollResponses[count - 1] as ServerResponse, asset(video))
    }
    const sendProgress = async (status: string, progress: number) => {
      const data = { type: 'asset.progress', asset_id: 'a1', data: { id: 'a1', status, progress } }
      streaming?.write(`event: asset.progress\ndata: ${JSON.stringify(data)}\n\n`)
      await expect.poll(() => reported.at(-1)).toEqual([status, progress])
    }
    await answerPoll(1, { status: 'Queued' })
    await expect.poll(() => streaming).toBeDefined()
    await expect.poll(() => pollResponses.length).toBe(2)
    await sendProgress('Processing', 10)
    await answerPoll(2, { status: 'Queued' })
    streaming?.write(playableEvent('a1'))
    await expect.poll(() => pollResponses.length).toBe(3)
    await sendProgress('Processing', 41)
    await answerPoll(3, { progress: 39 })
    streaming?.write(playableEvent('a1'))
    await answerPoll(4, { status: 'Completed', progress: 100 })
    await waiting
    expect(reported).toEqual([
      ['Queued', 0],
      ['Processing', 10],
      ['Processing', 41],
      ['Completed', 100],
    ])
  })

  it('opens no stream if the video is already ready', async () => {
    using server = await openService([playable], forbidden)
    await server.client().assets.waitUntilPlayable('a1')
    expect(server.requests.map(({ path }) => path)).toEqual(['/api/v1/acme1234/assets/a1/'])
  })

  it('rejects with an error thrown by the callback, for polls and stream events', async () => {
    const callbackError = new Error('Thrown by the callback.')
    const data = { type: 'asset.progress', asset_id: 'a1', data: { id: 'a1', progress: 12 } }
    using server = await openService([asset({})], (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(`id: 40\n\nevent: asset.progress\ndata: ${JSON.stringify(data)}\n\n`)
    })
    const onProgress = ({ progress }: { progress: number }) => {
      if (progress === 12) throw callbackError
    }
    expect(await rejection(server.client().assets.waitUntilPlayable('a1', { onProgress }))).toBe(callbackError)
  })

  it.each([Number.POSITIVE_INFINITY, Number.NaN])(
    'accepts a timeout longer than timers support, and ignores NaN: %d',
    async (timeoutSeconds) => {
      using server = await openService([asset({}), playable], forbidden)
      const waiting = server.client().assets.waitUntilPlayable('a1', { timeoutSeconds })
      expect(await waiting).toMatchObject(playable.body)
    },
  )

  it('does not poll before Retry-After, and throws if that is too long', async () => {
    const later = (seconds: number) => problem(429, 'rate_limited', { headers: { 'retry-after': String(seconds) } })
    using server = await openService([later(2), playable], forbidden)
    await server.client({ retriesMax: 0 }).assets.waitUntilPlayable('a1')
    const [first, second] = server.requests
    expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThan(1990)
    using busy = await openService([later(301)], forbidden)
    expect(await rejection(busy.client().assets.waitUntilPlayable('a1'))).toBeInstanceOf(RateLimitError)
    expect(busy.requests).toHaveLength(1)
  })

  it.each([
    ['the token lacks events:read', forbidden],
    ['there are too many streams', problem(429, 'too_many_streams')],
    ['a proxy buffers the stream', (response: ServerResponse) => void response.writeHead(200)],
  ])('polls if %s', async (_, stream) => {
    using server = await openService([asset({}), playable], stream)
    expect(await server.client().assets.waitUntilPlayable('a1')).toMatchObject(playable.body)
  })

  it('waits for all renditions with waitUntilCompleted', async () => {
    using server = await openService([playable, asset({ status: 'Completed' })], forbidden)
    const done = await server.client().assets.waitUntilCompleted('a1')
    expect(done.video.status).toBe('Completed')
  })

  it('retries while the service is unavailable', async () => {
    const unavailable = problem(503, 'unavailable', { headers: { 'retry-after': '0' } })
    // There are more failures than retries of a single call.
    using server = await openService([unavailable, unavailable, unavailable, playable], forbidden)
    expect(await server.client().assets.waitUntilPlayable('a1')).toMatchObject(playable.body)
  })
})

describe('waiting for a video that will not become ready', () => {
  it.each([
    ['not_a_video', { status: 'Error', error: { code: 'not_a_video', detail: 'It is a text.' } }],
    ['cancelled', { status: 'Cancelled' }],
    ['upload_expired', { status: 'Cancelled', error: { code: 'upload_expired', detail: 'No file.' } }],
  ])('throws an error with the code of the failure: %s', async (code, video) => {
    using server = await openService([asset(video)], forbidden)
    const error = await rejection(server.client().assets.waitUntilPlayable('a1'))
    expect(error).toBeInstanceOf(ProcessingError)
    expect(error).toMatchObject({ assetId: 'a1', code })
  })

  it('throws when the asset is deleted, or does not exist', async () => {
    const missing = problem(404, 'asset_not_found')
    using server = await openService([asset({}), missing], forbidden)
    const error = await rejection(server.client().assets.waitUntilPlayable('a1'))
    expect(error).toMatchObject({ name: 'ProcessingError', code: 'deleted' })
    using empty = await openService([missing], forbidden)
    expect(await rejection(empty.client().assets.waitUntilPlayable('a1'))).toBeInstanceOf(NotFoundError)
  })

  it('throws after the timeout', async () => {
    using server = await openService([asset({})], forbidden)
    const waiting = server.client().assets.waitUntilPlayable('a1', { timeoutSeconds: 0.2 })
    const error = await rejection(waiting)
    expect(error).toBeInstanceOf(WaitTimeoutError)
    expect(error).not.toBeInstanceOf(ConnectionError)
    expect(String(error)).toContain('a1 was not playable within 0.2 seconds')
  })

  it('ends when the signal is aborted, and closes the stream', async () => {
    const disconnected = Promise.withResolvers<void>()
    const reason = new Error('Enough.')
    const abort = new AbortController()
    using server = await openService([asset({})], (response) => {
      response.on('close', () => disconnected.resolve())
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('id: 40\n\n', () => abort.abort(reason))
    })
    const options = { signal: abort.signal }
    expect(await rejection(server.client().assets.waitUntilPlayable('a1', options))).toBe(reason)
    await disconnected.promise
  })
})
