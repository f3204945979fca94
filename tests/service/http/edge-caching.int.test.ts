/**
 * Tests what the edge caches and for how long. The API behind the edge is a fake whose headers allow caching
 * everything for a year, which the edge must ignore.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startEdge } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'

const asset = '00000000-0000-7000-8000-000000000000'
const cacheForever = {
  'X-Accel-Expires': '31536000',
  'Cache-Control': 'public, max-age=31536000',
  Expires: 'Thu, 31 Dec 2099 23:59:59 GMT',
}

type Received = { readonly status: number; readonly text: string }

/** State of the fake API, which accepts every playback token except `invalid` and counts requests. */
const api = { file: { status: 200, text: '' } as Received, checks: 0, fetches: 0 }

function respond({ url = '' }: IncomingMessage, response: ServerResponse): void {
  if (url.startsWith('/play-access/')) {
    api.checks++
    const status = url.startsWith('/play-access/invalid') ? 403 : 204
    response.writeHead(status, { 'X-Media-Cache-Control': 'private', ...cacheForever }).end()
    return
  }
  api.fetches++
  response.writeHead(api.file.status, cacheForever).end(api.file.text)
}

const server = await opened(Promise.resolve(createServer(respond).listen(0, '127.0.0.1')))
await once(server, 'listening')
const { port } = server.address() as AddressInfo
const edge = await opened(startEdge(`http://127.0.0.1:${port}`))

/** Each test has a video of its own that the edge has not cached yet. */
let organization = 100_000
beforeEach(() => {
  organization++
  Object.assign(api, { file: { status: 200, text: 'first' }, checks: 0, fetches: 0 })
})

const segment = 'video-encode-1/240p/00000.m4s'
const subtitles = 'subtitles/00000000-0000-7000-8000-000000000001.vtt'
const pathOf = (token: string, name: string) => `/play/${token}/${organization}/${asset}/${name}`

async function send(name: string, { token = 'some-token', headers = {} } = {}): Promise<Received> {
  const found = await fetch(edge.baseUrl + pathOf(token, name), { headers })
  return { status: found.status, text: await found.text() }
}

describe('the edge does not cache', () => {
  it.each([
    [503, segment],
    [404, segment],
    [301, segment],
    [206, segment],
    [503, '240p.m3u8'],
    [404, '240p.m3u8'],
    [503, subtitles],
  ])('the status %d for %s, although the headers allow caching', async (status, name) => {
    api.file = { status, text: 'no file' }
    expect((await fetch(edge.baseUrl + pathOf('x', name), { redirect: 'manual' })).status).toBe(status)
    api.file = { status: 200, text: 'a file' }
    expect(await send(name)).toEqual({ status: 200, text: 'a file' })
  })

  it('error responses for invalid tokens, so that they cannot fill the cache', async () => {
    for (let count = 0; count < 3; count++) await send(segment, { token: 'invalid' })
    expect(api.checks).toBe(3)
    // Each error response came from the API.
    expect(api.fetches).toBe(3)
  })
})

/** Sends the request; returns whether the edge served it from its cache, without a request to the API. */
async function isServedFromCache(count: 'fetches' | 'checks', ...request: Parameters<typeof send>) {
  const { [count]: before } = api
  await send(...request)
  return api[count] === before
}

describe('the edge caches', () => {
  it('a segment for longer than a playlist', async () => {
    expect((await send(segment)).text).toBe('first')
    expect((await send('240p.m3u8')).text).toBe('first')
    api.file = { status: 404, text: 'deleted' }
    const playlist = async () => (await send('240p.m3u8')).text
    await expect.poll(playlist, { interval: 100 }).toBe('deleted')
    expect((await send(segment)).text).toBe('first')
  })

  it.each([subtitles, 'video-pictures-9/cover.jpg', '240p.m3u8'])(
    'the file %s for a short time only, because it may change or be deleted',
    async (name) => {
      await expect.poll(() => isServedFromCache('fetches', name)).toBe(true)
      expect((await send(name)).text).toBe('first')
      api.file = { status: 404, text: 'deleted' }
      const text = async () => (await send(name)).text
      await expect.poll(text, { interval: 100 }).toBe('deleted')
    },
  )

  it.each([
    ['a short playback token', 'p'.repeat(200), {}],
    ['the longest playback token', 'p'.repeat(6144), {}],
    ['the longest playback token, from a page', 'p'.repeat(6144), { referer: `https://a.example/${'x'.repeat(2000)}` }],
  ])('the authorization of %s for a short time only', async (_, token, headers) => {
    const isChecked = () => isServedFromCache('checks', segment, { token, headers })
    await expect.poll(isChecked).toBe(true)
    await expect.poll(isChecked, { interval: 100 }).toBe(false)
  })
})
