/** The embed page, player files and oEmbed. The player files are dummies; tests/browser/playback loads real ones. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import { setEmbedOrigins, setOpen } from '@reelkeep/server/modules/organizations/organizations.ts'
import { type Caller, openOwner, openSession, Publisher, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'reelkeep-player-files-'))
afterAll(() => rmSync(folder, { recursive: true }))
writeFileSync(join(folder, 'embed-AbCd_12-.js'), 'page')
writeFileSync(join(folder, 'embed-AbCd_12-.js.br'), 'page in brotli')
writeFileSync(join(folder, 'embed-AbCd_12-.js.gz'), 'page in gzip')
writeFileSync(join(folder, 'reelkeep-player.js'), 'element')

const run = promisify(execFile)
const jpegOf = async (size: string) => {
  const picture = ['-f', 'lavfi', '-i', `testsrc2=size=${size}`, '-frames:v', '1', '-f', 'mjpeg', '-']
  return (await run('ffmpeg', ['-v', 'error', ...picture], { encoding: 'buffer' })).stdout
}

const PUBLIC_URL = 'https://video.example'
const testApi = await opened(TestApi.open({ PLAYER_FOLDER: folder, PUBLIC_URL }))
const publisher = await opened(Publisher.open())
const owner = await opened(Promise.resolve(openOwner()))

let caller: Caller
let assetId: string
beforeEach(async () => {
  caller = await testApi.newOrganization()
  await setOpen(owner.forOrganization(caller.organizationId as OrganizationId), true)
  const fields = { title: 'Hills & <dales>', content_protection_type: 'disable' }
  assetId = (await openSession(caller, fields)).asset.id
  await publisher.showPictures({ organizationId: caller.organizationId, assetId }, 'video-pictures-4', {
    cover: 'cover.jpg',
    thumbnails: [],
    storyboard: 'storyboard.vtt',
  })
})

const get = (path: string, headers: Record<string, string> = {}) =>
  testApi.send({ method: 'GET', path, headers, body: undefined })

const pagePath = () => `/embed/${caller.organizationId}/${assetId}/`

describe('GET /embed/<organization>/<asset>/', () => {
  it('200: contains the player, with a strict policy and no cookie', async () => {
    const { status, headers, text } = await get(pagePath())
    expect(status).toBe(200)
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    expect(headers['content-security-policy']).toContain("default-src 'none'")
    expect(headers['content-security-policy']).not.toContain('frame-ancestors')
    expect(headers['content-security-policy']).not.toContain('unsafe')
    expect(headers['referrer-policy']).toBe('strict-origin')
    expect(headers).not.toHaveProperty('set-cookie')
    expect(headers).not.toHaveProperty('x-frame-options')
    expect(text).toContain(`<script type="module" src="${PUBLIC_URL}/embed/-/embed-AbCd_12-.js">`)
    expect(text).toContain('<reelkeep-player')
  })

  it('200: contains the title and the image of an open video, and can be cached briefly', async () => {
    const { headers, text } = await get(pagePath())
    expect(text).toContain('<title>Hills &amp; &lt;dales&gt;</title>')
    expect(text).toContain('/video-pictures-4/cover.jpg"')
    expect(headers['cache-control']).toBe('public, max-age=60')
    expect(headers).not.toHaveProperty('x-robots-tag')
  })

  it('200: contains no metadata if the token is not valid for the video, and is not cached', async () => {
    const { status, headers, text } = await get(`${pagePath()}?token=not.a.token`)
    expect(status).toBe(200)
    expect(text).not.toContain('Hills')
    expect(text).not.toContain('cover.jpg')
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-robots-tag': 'noindex' })
  })

  it.each(['aes', 'drm'])('200: contains no metadata of a video protected by %s', async (type) => {
    const fields = { title: 'Secret', content_protection_type: type }
    assetId = (await openSession(caller, fields)).asset.id
    const { text, headers } = await get(pagePath())
    expect(text).not.toContain('Secret')
    expect(headers['x-robots-tag']).toBe('noindex')
  })

  it('200: can be embedded by the configured origins, or by all if there are none', async () => {
    const db = owner.forOrganization(caller.organizationId as OrganizationId)
    const ancestors = async () =>
      /frame-ancestors (.+)$/.exec((await get(pagePath())).headers['content-security-policy'] ?? '')?.[1]
    await setEmbedOrigins(db, ['https://www.example.com', 'https://*.example.org'])
    expect(await ancestors()).toBe('https://www.example.com https://*.example.org')
    const other = await testApi.newOrganization()
    caller = other
    assetId = (await openSession(other)).asset.id
    expect(await ancestors()).toBeUndefined()
  })
})

describe('GET /embed/-/<file>', () => {
  const script = '/embed/-/embed-AbCd_12-.js'

  it('200: is immutable if the name contains a hash, and can be used by any page', async () => {
    expect(await get(script)).toMatchObject({
      status: 200,
      text: 'page',
      headers: {
        'content-type': 'text/javascript; charset=utf-8',
        'cache-control': 'public, max-age=31536000, immutable',
        'access-control-allow-origin': '*',
        vary: 'Accept-Encoding',
      },
    })
    expect((await get('/embed/-/reelkeep-player.js')).headers['cache-control']).toBe('public, max-age=300')
  })

  it.each([
    ['gzip, deflate, br', 'br', 'page in brotli'],
    ['gzip', 'gzip', 'page in gzip'],
    ['br;q=0, gzip', 'gzip', 'page in gzip'],
    ['identity', undefined, 'page'],
  ])('200: is compressed for Accept-Encoding %s', async (accepted, encoding, text) => {
    const response = await get(script, { 'accept-encoding': accepted })
    expect(response.text).toBe(text)
    expect(response.headers['content-encoding']).toBe(encoding)
  })
})

describe('GET /oembed', () => {
  const oembed = (query: string) => {
    const url = encodeURIComponent(`${PUBLIC_URL}${pagePath()}`)
    return get(`/oembed?url=${url}${query}`)
  }
  const putPicture = async (name: string, size: string) =>
    publisher.put(`${caller.organizationId}/${assetId}/${name}`, await jpegOf(size))

  it('200: returns the embed code of a video', async () => {
    await putPicture('video-pictures-4/cover.jpg', '640x360')
    const { status, text, headers } = await oembed('&format=json')
    expect(status).toBe(200)
    expect(headers['access-control-allow-origin']).toBe('*')
    expect(JSON.parse(text)).toMatchObject({
      version: '1.0',
      type: 'video',
      title: 'Hills & <dales>',
      provider_name: 'Reelkeep',
      width: 800,
      height: 450,
      html: expect.stringMatching(/^<iframe src="https:\/\/video\.example\/embed\/.*title="Hills &amp; &lt;dales&gt;"/),
      thumbnail_url: expect.stringMatching(/cover\.jpg$/),
      thumbnail_width: 640,
      thumbnail_height: 360,
    })
  })

  it('200: returns no thumbnail if its size cannot be read from storage', async () => {
    const { status, text } = await oembed('&format=json')
    expect([status, Object.keys(JSON.parse(text)).filter((name) => name.startsWith('thumbnail'))]).toEqual([200, []])
  })

  it('200: returns the cover that was chosen with its own size, and the embed page has it too', async () => {
    await publisher.showPictures({ organizationId: caller.organizationId, assetId }, 'video-pictures-5', {
      ...{ cover: 'cover.jpg', thumbnails: ['thumbnail-1.jpg'], storyboard: 'storyboard.vtt' },
    })
    await putPicture('video-pictures-5/thumbnail-1.jpg', '300x400')
    const { status } = await caller.send('PUT', `assets/${assetId}/cover/`, { thumbnail: 1 })
    expect(status).toBe(200)
    const found = JSON.parse((await oembed('&format=json')).text) as { thumbnail_url: string }
    expect(found).toMatchObject({ thumbnail_width: 300, thumbnail_height: 400 })
    const { thumbnail_url: url } = found
    expect(url).toMatch(/\/covers\/[0-9a-f-]{36}\.jpg$/)
    expect((await get(pagePath())).text).toContain(`<meta property="og:image" content="${url}"`)
  })

  it('200: respects maxwidth and maxheight', async () => {
    const sized = JSON.parse((await oembed('&maxwidth=320&maxheight=90')).text) as object
    expect(sized).toMatchObject({ width: 160, height: 90 })
    const unsized = JSON.parse((await oembed('&maxwidth=-5&maxheight=x')).text) as object
    expect(unsized).toMatchObject({ width: 800, height: 450 })
  })
})

describe('GET /embed/ and /oembed: 404', () => {
  it('is returned with the page for an unknown video', async () => {
    assetId = assetId.replace(/.{12}$/, '000000000000')
    const { status, headers, text } = await get(pagePath())
    expect(status).toBe(404)
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    expect(text).toContain('<reelkeep-player')
  })

  it.each(['/embed/-/nothing.js', '/embed/-/..%2fpackage.json', '/embed/x/y/', '/embed/-/embed-AbCd_12-.js.br'])(
    'is returned for %s',
    async (path) => {
      expect((await get(path)).status).toBe(404)
    },
  )

  it.each([
    '',
    '?url=',
    '?url=https%3A%2F%2Fother.example%2Fembed%2Facme1234%2F01a1dfd4-6eb0-744d-b662-af04dea6b7d5%2F',
    '?url=https%3A%2F%2Fvideo.example%2Fembed%2Facme1234%2F01a1dfd4-6eb0-744d-b662-af04dea6b7d5%2F',
    '?url=a&url=b',
  ])('is returned by oEmbed for %s', async (query) => {
    expect((await get(`/oembed${query}`)).status).toBe(404)
  })
})

it('501: oEmbed does not support XML', async () => {
  expect((await get('/oembed?format=xml&url=x')).status).toBe(501)
})

it.each([
  ['the embed page', (page: string) => page],
  ['oEmbed', (page: string) => `/oembed?url=${encodeURIComponent(PUBLIC_URL + page)}`],
])('429: %s limits requests for videos that do not exist, by IP address', async (_, pathOf) => {
  const settings = { FAILED_PLAYBACK_PER_MINUTE: '3', PLAYER_FOLDER: folder, PUBLIC_URL }
  await using strict = await TestApi.open(settings)
  const request = (index: number) => {
    const path = pathOf(`/embed/nobody0${index}/${crypto.randomUUID()}/`)
    return strict.send({ method: 'GET', path, headers: {}, body: undefined })
  }
  for (const index of [0, 1, 2]) {
    const { status, headers } = await request(index)
    expect(status).not.toBe(429)
    expect(headers['ratelimit']).toMatch(new RegExp(`^"failed-playback";r=${2 - index};t=\\d+$`))
  }
  expect((await request(3)).status).toBe(429)
})

it('503: the embed page is unavailable if the player is not built', async () => {
  await using bare = await TestApi.open({ PLAYER_FOLDER: join(folder, 'nowhere') })
  const path = pagePath()
  const response = await bare.send({ method: 'GET', path, headers: {}, body: undefined })
  expect(response.status).toBe(503)
  expect(response.text).toContain('@reelkeep/player build')
})
