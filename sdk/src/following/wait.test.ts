import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { openScriptedServer, problem, rejection } from '../../testing/scripted-server.ts'
import {
  ConnectionError,
  NotFoundError,
  ProcessingError,
  RateLimitError,
  WaitTimeoutError,
} from '../reelkeep.ts'

type Video = { status?: string; playback_url?: string | null; progress?: number; error?: object }

const asset = ({ status = 'Processing', playback_url = null, progress = 0, error }: Video) => ({
  body: {
    id: 'a1',
    video: { status, playback_url, progress, renditions: [], error: error ?? null },
  },
})
const playable = asset({ playback_url: 'https://videos.example/1.m3u8', progress: 40 })
const forbidden = problem(403, 'insufficient_scope')

/** What is answered to one who asks for the asset, in turn, and to one who follows the stream. */
async function openService(looks: object[], stream: object | ((response: ServerResponse) => void)) {
  let count = 0
  return openScriptedServer((response, { path }) => {
    if (path.includes('/events/stream/')) {
      if (typeof stream === 'function') return stream(response)
      return say(response, stream)
    }
    return say(response, looks[Math.min(count++, looks.length - 1)])
  })
}

function say(
  response: ServerResponse,
  answer: { status?: number; headers?: Record<string, string>; body?: unknown } = {},
): void {
  response.writeHead(answer.status ?? 200, answer.headers).end(JSON.stringify(answer.body))
}

const playableEvent = (id: string) =>
  `id: 41\nevent: asset.playable\ndata: {"number":41,"type":"asset.playable","asset_id":"${id}"}\n\n`

describe('waiting for a video', () => {
  it('looks when the stream tells of something, and not before', async () => {
    const told: ServerResponse[] = []
    using server = await openService([asset({}), asset({ progress: 5 }), playable], (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('id: 40\n\n')
      told.push(response)
    })
    const progress: number[] = []
    const waiting = server.client().assets.waitUntilPlayable('a1', {
      onProgress: (at) => progress.push(at.progress),
    })
    const looks = () => server.heard.filter(({ path }) => path.endsWith('/assets/a1/')).length
    // Once at first, and once when the stream is there: what happened in between is in none of its events.
    await expect.poll(looks).toBe(2)
    const data = { type: 'asset.progress', asset_id: 'a1', data: { id: 'a1', progress: 12 } }
    told[0]?.write(`event: asset.progress\ndata: ${JSON.stringify(data)}\n\n`)
    await expect.poll(() => progress).toEqual([0, 5, 12])
    expect(looks()).toBe(2)
    told[0]?.write(playableEvent('a1'))
    expect((await waiting).video.playback_url).toBe('https://videos.example/1.m3u8')
    expect(progress).toEqual([0, 5, 12, 40])
    const stream = server.heard.find(({ path }) => path.includes('/events/stream/'))
    expect(stream?.path).toContain('?types=asset.*')
  })

  it('shares one stream with all that are waited for, which ends with the last', async () => {
    const told: ServerResponse[] = []
    const isPlayable = new Set<string>()
    const looks: string[] = []
    using server = await openScriptedServer((response, { path }) => {
      const id = path.split('/').at(-2) ?? ''
      if (path.includes('/events/stream/')) {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write('id: 40\n\n')
        told.push(response)
        return
      }
      looks.push(id)
      say(response, isPlayable.has(id) ? playable : asset({}))
    })
    const { assets } = server.client()
    const ids = ['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7', 'a8']
    const waits = ids.map((id) => assets.waitUntilPlayable(id))
    await expect.poll(() => looks.length).toBe(2 * ids.length)
    const hungUp = Promise.withResolvers<void>()
    told[0]?.on('close', () => hungUp.resolve())
    isPlayable.add('a3')
    told[0]?.write(playableEvent('a3'))
    await waits[2]
    expect(looks).toHaveLength(2 * ids.length + 1)
    for (const id of ids) isPlayable.add(id)
    for (const id of ids) told[0]?.write(playableEvent(id))
    await Promise.all(waits)
    await hungUp.promise
    expect(told).toHaveLength(1)
  })

  it('tells no progress of a look that the stream has overtaken', async () => {
    let streaming: ServerResponse | undefined
    const looking: ServerResponse[] = []
    using server = await openScriptedServer((response, { path }) => {
      if (!path.includes('/events/stream/')) return void looking.push(response)
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('id: 40\n\n')
      streaming = response
    })
    const told: [string, number][] = []
    const waiting = server.client().assets.waitUntilCompleted('a1', {
      onProgress: ({ status, progress }) => told.push([status, progress]),
    })
    const answerLook = async (count: number, video: Video) => {
      await expect.poll(() => looking.length).toBe(count)
      say(looking[count - 1] as ServerResponse, asset(video))
    }
    const tell = async (status: string, progress: number) => {
      const data = { type: 'asset.progress', asset_id: 'a1', data: { id: 'a1', status, progress } }
      streaming?.write(`event: asset.progress\ndata: ${JSON.stringify(data)}\n\n`)
      await expect.poll(() => told.at(-1)).toEqual([status, progress])
    }
    await answerLook(1, { status: 'Queued' })
    await expect.poll(() => streaming).toBeDefined()
    await expect.poll(() => looking.length).toBe(2)
    await tell('Processing', 10)
    await answerLook(2, { status: 'Queued' })
    streaming?.write(playableEvent('a1'))
    await expect.poll(() => looking.length).toBe(3)
    await tell('Processing', 41)
    await answerLook(3, { progress: 39 })
    streaming?.write(playableEvent('a1'))
    await answerLook(4, { status: 'Completed', progress: 100 })
    await waiting
    expect(told).toEqual([
      ['Queued', 0],
      ['Processing', 10],
      ['Processing', 41],
      ['Completed', 100],
    ])
  })

  it('asks for no stream if there is nothing to wait for', async () => {
    using server = await openService([playable], forbidden)
    await server.client().assets.waitUntilPlayable('a1')
    expect(server.heard.map(({ path }) => path)).toEqual(['/api/v1/acme1234/assets/a1/'])
  })

  it('throws what the callback throws, wherever it was told of progress', async () => {
    const fault = new Error('A fault of the page.')
    const data = { type: 'asset.progress', asset_id: 'a1', data: { id: 'a1', progress: 12 } }
    using server = await openService([asset({})], (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(`id: 40\n\nevent: asset.progress\ndata: ${JSON.stringify(data)}\n\n`)
    })
    const onProgress = ({ progress }: { progress: number }) => {
      if (progress === 12) throw fault
    }
    expect(await rejection(server.client().assets.waitUntilPlayable('a1', { onProgress }))).toBe(
      fault,
    )
  })

  it.each([Number.POSITIVE_INFINITY, Number.NaN])(
    'may take longer than timers can count, and a limit that is no number is none: %d',
    async (timeoutSeconds) => {
      using server = await openService([asset({}), playable], forbidden)
      const waiting = server.client().assets.waitUntilPlayable('a1', { timeoutSeconds })
      expect(await waiting).toEqual(playable.body)
    },
  )

  it('stays away for as long as it is asked to, or says that this is too long', async () => {
    const later = (seconds: number) =>
      problem(429, 'rate_limited', { headers: { 'retry-after': String(seconds) } })
    using server = await openService([later(2), playable], forbidden)
    await server.client({ retriesMax: 0 }).assets.waitUntilPlayable('a1')
    const [first, second] = server.heard
    expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThan(1990)
    using busy = await openService([later(301)], forbidden)
    expect(await rejection(busy.client().assets.waitUntilPlayable('a1'))).toBeInstanceOf(
      RateLimitError,
    )
    expect(busy.heard).toHaveLength(1)
  })

  it.each([
    ['may not follow events', forbidden],
    ['is one too many', problem(429, 'too_many_streams')],
    [
      'hears nothing, because something holds it back',
      (response: ServerResponse) => void response.writeHead(200),
    ],
  ])('looks every now and then if it %s', async (_, stream) => {
    using server = await openService([asset({}), playable], stream)
    expect(await server.client().assets.waitUntilPlayable('a1')).toEqual(playable.body)
  })

  it('has all of it made, if that is waited for', async () => {
    using server = await openService([playable, asset({ status: 'Completed' })], forbidden)
    const done = await server.client().assets.waitUntilCompleted('a1')
    expect(done.video.status).toBe('Completed')
  })

  it('outlives a service that is away', async () => {
    const away = problem(503, 'unavailable', { headers: { 'retry-after': '0' } })
    // Longer than a call by itself would.
    using server = await openService([away, away, away, playable], forbidden)
    expect(await server.client().assets.waitUntilPlayable('a1')).toEqual(playable.body)
  })
})

describe('a video that will not come', () => {
  it.each([
    ['not_a_video', { status: 'Error', error: { code: 'not_a_video', detail: 'It is a text.' } }],
    ['cancelled', { status: 'Cancelled' }],
  ])('throws its code: %s', async (code, video) => {
    using server = await openService([asset(video)], forbidden)
    const error = await rejection(server.client().assets.waitUntilPlayable('a1'))
    expect(error).toBeInstanceOf(ProcessingError)
    expect(error).toMatchObject({ assetId: 'a1', code })
  })

  it('was deleted meanwhile, or was never there', async () => {
    const missing = problem(404, 'asset_not_found')
    using server = await openService([asset({}), missing], forbidden)
    const error = await rejection(server.client().assets.waitUntilPlayable('a1'))
    expect(error).toMatchObject({ name: 'ProcessingError', code: 'deleted' })
    using empty = await openService([missing], forbidden)
    expect(await rejection(empty.client().assets.waitUntilPlayable('a1'))).toBeInstanceOf(
      NotFoundError,
    )
  })

  it('is waited for no longer than told', async () => {
    using server = await openService([asset({})], forbidden)
    const waiting = server.client().assets.waitUntilPlayable('a1', { timeoutSeconds: 0.2 })
    const error = await rejection(waiting)
    expect(error).toBeInstanceOf(WaitTimeoutError)
    expect(error).not.toBeInstanceOf(ConnectionError)
    expect(String(error)).toContain('a1 was not playable within 0.2 seconds')
  })

  it('is waited for until the signal, and nothing is left open', async () => {
    const hungUp = Promise.withResolvers<void>()
    const reason = new Error('Enough.')
    const abort = new AbortController()
    using server = await openService([asset({})], (response) => {
      response.on('close', () => hungUp.resolve())
      response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .write('id: 40\n\n', () => abort.abort(reason))
    })
    const options = { signal: abort.signal }
    expect(await rejection(server.client().assets.waitUntilPlayable('a1', options))).toBe(reason)
    await hungUp.promise
  })
})
