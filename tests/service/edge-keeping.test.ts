/**
 * What the edge keeps, and for how long, whatever it is told: it stands here in front of an API
 * that says what a broken one might.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Edge } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'

const asset = '00000000-0000-7000-8000-000000000000'
const keepForEver = {
  'X-Accel-Expires': '31536000',
  'Cache-Control': 'public, max-age=31536000',
  Expires: 'Thu, 31 Dec 2099 23:59:59 GMT',
}

type Said = { readonly status: number; readonly text: string }

/** Lets everybody in but who has the pass `refused`, and counts. */
const api = { piece: { status: 200, text: '' } as Said, checks: 0, fetches: 0 }

function answer({ url = '' }: IncomingMessage, response: ServerResponse): void {
  if (url.startsWith('/play-access/')) {
    api.checks++
    const status = url.startsWith('/play-access/refused') ? 403 : 204
    response.writeHead(status, { 'X-Piece-Caching': 'private', ...keepForEver }).end()
    return
  }
  api.fetches++
  response.writeHead(api.piece.status, keepForEver).end(api.piece.text)
}

const server = await opened(Promise.resolve(createServer(answer).listen(0, '127.0.0.1')))
await once(server, 'listening')
const { port } = server.address() as AddressInfo
const edge = await opened(Edge.start(`http://127.0.0.1:${port}`))

/** Each test has a video of its own, of which the edge knows nothing yet. */
let organization = 100_000
beforeEach(() => {
  organization++
  Object.assign(api, { piece: { status: 200, text: 'first' }, checks: 0, fetches: 0 })
})

const segment = 'video-encode-1/240p/00000.m4s'
const subtitles = 'subtitles/00000000-0000-7000-8000-000000000001.vtt'
const pathOf = (pass: string, name: string) => `/play/${pass}/${organization}/${asset}/${name}`

async function ask(name: string, { pass = 'some-pass', headers = {} } = {}): Promise<Said> {
  const found = await fetch(edge.baseUrl + pathOf(pass, name), { headers })
  return { status: found.status, text: await found.text() }
}

describe('is not kept', () => {
  it.each([
    [503, segment],
    [404, segment],
    [301, segment],
    [206, segment],
    [503, '240p.m3u8'],
    [404, '240p.m3u8'],
    [503, subtitles],
  ])('%d of %s, although it says that it may be', async (status, name) => {
    api.piece = { status, text: 'no piece' }
    expect((await fetch(edge.baseUrl + pathOf('x', name), { redirect: 'manual' })).status).toBe(
      status,
    )
    api.piece = { status: 200, text: 'a piece' }
    expect(await ask(name)).toEqual({ status: 200, text: 'a piece' })
  })

  it('a refusal: nobody can fill the memory for answers with them', async () => {
    for (let count = 0; count < 3; count++) await ask(segment, { pass: 'refused' })
    expect(api.checks).toBe(3)
    // Refused in the API's own words.
    expect(api.fetches).toBe(3)
  })
})

describe('is kept', () => {
  it('a segment: for good', async () => {
    expect((await ask(segment)).text).toBe('first')
    api.piece = { status: 404, text: 'deleted' }
    await newSecond()
    await newSecond()
    await newSecond()
    expect((await ask(segment)).text).toBe('first')
    expect(api.fetches).toBe(1)
  })

  it.each([subtitles, 'video-pictures-9/cover.jpg', '240p.m3u8'])(
    'a while, because it may be deleted or change: %s',
    async (name) => {
      expect((await ask(name)).text).toBe('first')
      expect((await ask(name)).text).toBe('first')
      expect(api.fetches).toBe(1)
      api.piece = { status: 404, text: 'deleted' }
      const text = async () => (await ask(name)).text
      await expect.poll(text, { timeout: 5000, interval: 100 }).toBe('deleted')
    },
  )

  it.each([
    ['a short pass', 'p'.repeat(200), {}],
    ['the longest', 'p'.repeat(6144), {}],
    [
      'the longest, from a page',
      'p'.repeat(6144),
      { referer: `https://a.example/${'x'.repeat(2000)}` },
    ],
  ])('a moment, the answer about %s', async (_, pass, headers) => {
    await newSecond()
    for (let count = 0; count < 5; count++) await ask(segment, { pass, headers })
    // Between two seconds it may be asked once more.
    expect(api.checks).toBeLessThanOrEqual(2)
    const { checks } = api
    const asked = async () => {
      await ask(segment, { pass, headers })
      return api.checks
    }
    await expect.poll(asked, { timeout: 4000, interval: 100 }).toBeGreaterThan(checks)
  })
})

/** The edge counts in whole seconds; what begins with one has room. */
const newSecond = () => new Promise((resolve) => setTimeout(resolve, 1000 - (Date.now() % 1000)))
