/** Media files: segments and images, whole and by range. */
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { ApiProcess, HttpProxy, PlaybackFixture, stackEnv } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'

const fixture = await opened(PlaybackFixture.open())
const { small0, publisher } = fixture
beforeEach(() => fixture.begin())

/** Matches a cache lifetime of six to seven hours. */
const untilTokenExpires = /^private, max-age=2[1-5]\d{3}, immutable$/

describe('GET a media file', () => {
  it('returns the stored bytes with their type, cacheable as long as the token is valid', async () => {
    await fixture.publishOpening()
    const { status, headers, text } = await fixture.ask(small0)
    expect({ status, text }).toEqual({ status: 200, text: 'small 0' })
    expect(headers).toMatchObject({
      'content-type': 'video/mp4',
      'content-length': '7',
      'cache-control': expect.stringMatching(untilTokenExpires),
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
      'content-security-policy': 'sandbox',
    })
    expect(headers['etag']).toMatch(/^"[^"]+"$/)
    expect(headers).not.toHaveProperty('set-cookie')
    expect(headers).not.toHaveProperty('ratelimit')
    expect((await fixture.ask('video-encode-1/audio/init.mp4')).headers['content-type']).toBe('audio/mp4')
  })

  it('serves images', async () => {
    await publisher.showPictures(fixture.place, 'video-pictures-4', {
      cover: 'cover.jpg',
      thumbnails: ['thumbnail-1.jpg'],
      storyboard: 'storyboard.vtt',
    })
    for (const name of ['cover.jpg', 'thumbnail-1.jpg', 'storyboard.vtt']) {
      expect(await fixture.ask(`video-pictures-4/${name}`)).toMatchObject({
        status: 200,
        text: name,
      })
    }
    // The image sheets of a storyboard are served from the folder of the storyboard.
    const { organizationId, assetId } = fixture.place
    await publisher.put(`${organizationId}/${assetId}/video-pictures-4/sheet-1.jpg`, 'sheet')
    expect(await fixture.ask('video-pictures-4/sheet-1.jpg')).toMatchObject({
      status: 200,
      text: 'sheet',
    })
  })

  it('returns its size for a HEAD request', async () => {
    await fixture.publishOpening()
    const head = await fixture.ask(small0, {}, 'HEAD')
    expect(head).toMatchObject({ status: 200, text: '' })
    expect(head.headers).toMatchObject({ 'content-length': '7', 'content-type': 'video/mp4' })
  })

  it.each(['bytes=0-1,3-4', 'bytes=x', 'lines=0-1', 'bytes=-'])(
    'returns the whole file for an unsupported range: %s',
    async (range) => {
      await fixture.publishOpening()
      expect(await fixture.ask(small0, { range })).toMatchObject({ status: 200, text: 'small 0' })
    },
  )

  it('returns the whole file for a request with If-Range', async () => {
    await fixture.publishOpening()
    const headers = { range: 'bytes=2-3', 'if-range': '"whatever"' }
    expect(await fixture.ask(small0, headers)).toMatchObject({ status: 200, text: 'small 0' })
  })
})

describe('GET a media file: 206', () => {
  it.each([
    ['bytes=0-2', 'sma', 'bytes 0-2/7'],
    ['bytes=5-', ' 0', 'bytes 5-6/7'],
    ['bytes=-3', 'l 0', 'bytes 4-6/7'],
    ['bytes=5-100', ' 0', 'bytes 5-6/7'],
  ])('returns the requested range: %s', async (range, text, contentRange) => {
    await fixture.publishOpening()
    const response = await fixture.ask(small0, { range })
    expect(response).toMatchObject({ status: 206, text })
    expect(response.headers).toMatchObject({
      'content-range': contentRange,
      'content-length': String(text.length),
      'cache-control': 'private, no-cache',
    })
  })
})

describe('GET a media file: 304', () => {
  it('is returned for a known ETag', async () => {
    await fixture.publishOpening()
    const etag = (await fixture.ask(small0)).headers['etag'] ?? ''
    const again = await fixture.ask(small0, { 'if-none-match': etag })
    expect(again).toMatchObject({ status: 304, text: '' })
    expect(again.headers['etag']).toBe(etag)
  })
})

describe('GET a media file: 416', () => {
  it('returns the size of the file for a range beyond its end', async () => {
    await fixture.publishOpening()
    const response = await fixture.ask(small0, { range: 'bytes=7-9' })
    expect(response).toMatchObject({ status: 416, text: '' })
    expect(response.headers).toMatchObject({
      'content-range': 'bytes */7',
      'cache-control': 'no-store',
    })
  })
})

describe('a large media file', () => {
  const MEBIBYTE = 1024 ** 2
  const SIZE = 64 * MEBIBYTE

  it('is read from storage no faster than the viewer reads it, and no further after a disconnect', async () => {
    const env = stackEnv()
    await using proxy = await HttpProxy.open(env.STORAGE_ENDPOINT)
    await using api = await ApiProcess.start({ STORAGE_ENDPOINT: proxy.url })
    const { organizationId, assetId } = fixture.place
    await fixture.publishOpening()
    await publisher.put(`${organizationId}/${assetId}/${small0}`, Buffer.alloc(SIZE))
    const request = get(api.baseUrl + fixture.pathTo(small0))
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    expect(response.headers['content-length']).toBe(String(SIZE))
    await once(response, 'readable')
    // The viewer stops reading: the buffers between storage and the viewer fill up, and the transfer stops.
    let before = -1
    await expect
      .poll(
        () => {
          const isStill = before === proxy.downstreamBytes
          before = proxy.downstreamBytes
          return isStill
        },
        { interval: 500 },
      )
      .toBe(true)
    expect(proxy.downstreamBytes).toBeLessThan(SIZE / 2)
    expect(proxy.openResponses).toBe(1)
    request.destroy()
    await expect.poll(() => proxy.openResponses).toBe(0)
    expect(proxy.downstreamBytes).toBeLessThan(SIZE / 2)
  })
})
