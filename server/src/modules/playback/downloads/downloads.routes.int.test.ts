/** Links to downloads, and the MP4 file that they return. */
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import type { downloads, tokens } from '@reelkeep/contract'
import { ApiProcess, HttpProxy, PlaybackFixture, Superuser, shortPlan, stackEnv, uploadAsset } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'
import type { AssetId, OrganizationId, TokenId } from '../../../kernel/ids.ts'

const fixture = await opened(PlaybackFixture.open())
const superuser = await opened(Superuser.open())
const { publisher } = fixture
const tokenId = '019a0000-0000-7000-8000-00000000000a'

const box = (name: string, ...contents: readonly Buffer[]) => {
  const content = Buffer.concat(contents)
  const head = Buffer.alloc(8)
  head.writeUInt32BE(8 + content.length)
  head.write(name, 4, 'latin1')
  return Buffer.concat([head, content])
}
const timescaled = (bytes: number) => {
  const content = Buffer.alloc(bytes)
  content.writeUInt32BE(30_000, 12)
  return content
}
const header = box('tfhd', Buffer.from([0, 2, 0, 0, 0, 0, 0, 1]))
const init = box(
  'moov',
  box('mvhd', timescaled(100)),
  box('trak', box('tkhd', Buffer.alloc(84)), box('mdia', box('mdhd', timescaled(24)))),
  box('mvex', box('trex', Buffer.alloc(24))),
)
const segmentOf = (text: string) => Buffer.concat([box('moof', box('traf', header)), box('mdat', Buffer.from(text))])

async function publishTrack(track: string, more = ' '): Promise<void> {
  const segments = [0, 1, 2].map((number) => ({ body: segmentOf(`${track} ${number}${more}`), seconds: 4 }))
  await publisher.publish(fixture.place, { track, firstSegment: 0, attempt: 'video-encode-1', init, segments })
}

beforeEach(async () => {
  await fixture.begin()
  await publishTrack('240p')
  await publishTrack('audio')
})

const create = (body: object, caller = fixture.caller) =>
  caller.post<downloads.Download & { code: string; detail: string }>(`assets/${fixture.place.assetId}/downloads/`, body)

async function linkOf(body: object = { kind: 'mp4' }): Promise<string> {
  const { status, body: download } = await create(body)
  expect(status).toBe(200)
  return new URL(download.url).pathname
}

const ask = (path: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
  fixture.testApi.send({ method, path, headers, body: undefined })

const textsOf = (file: string) => [...file.matchAll(/(?:240p|audio) \d/g)].map(([text]) => text)

describe('POST assets/<id>/downloads/', () => {
  it('returns a link to the largest complete rendition, valid for 15 minutes', async () => {
    const { status, body } = await create({ kind: 'mp4' })
    expect(status).toBe(200)
    expect(body).toEqual({
      ...{ kind: 'mp4', resolution: '240p', file_name: 'A video.mp4' },
      url: expect.stringMatching(/\/240p\.mp4$/),
      expires_at: expect.any(String),
    })
    const seconds = (Date.parse(body.expires_at) - Date.now()) / 1000
    expect(seconds).toBeGreaterThan(600)
    expect(seconds).toBeLessThanOrEqual(900)
  })

  it('returns a link to the uploaded file, which storage sends as an attachment', async () => {
    const { asset } = await uploadAsset(fixture.caller, { title: 'Zürich "1"' })
    const path = `assets/${asset.id}/downloads/`
    const { body } = await fixture.caller.post<downloads.Download>(path, { kind: 'source' })
    expect(body).toMatchObject({ kind: 'source', resolution: null, file_name: 'Zürich -1-' })
    const response = await fetch(body.url)
    expect([response.status, await response.text()]).toEqual([200, 'a file of thirty-two whole bytes'])
    expect(response.headers.get('content-disposition')).toContain("filename*=UTF-8''Z%C3%BCrich%20-1-")
    expect(response.headers.get('content-type')).toBe('application/octet-stream')
    const other = new URL(body.url)
    other.pathname = other.pathname.replace(asset.id, fixture.place.assetId)
    expect((await fetch(other)).status).toBe(403)
  })

  it('400: refuses a resolution of the source', async () => {
    expect(await create({ kind: 'source', resolution: '240p' })).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', errors: [{ field: 'resolution' }] },
    })
  })

  it('403: the source needs the scope source:read, an MP4 only assets:read', async () => {
    const input = { name: 'reader', scopes: ['assets:read'], expires_at: null }
    const { body } = await fixture.caller.post<tokens.NewToken>('tokens/', input)
    const reader = fixture.caller.withToken(body.token)
    expect(await create({ kind: 'source' }, reader)).toMatchObject({
      status: 403,
      body: { code: 'insufficient_scope' },
    })
    expect((await create({ kind: 'mp4' }, reader)).status).toBe(200)
  })

  it('409: refuses a rendition that is not complete, and lists the complete ones', async () => {
    expect(await create({ kind: 'mp4', resolution: '720p' })).toMatchObject({
      status: 409,
      body: { code: 'rendition_not_available', detail: '720p is not complete. Choose one of: 240p.' },
    })
  })

  it.each(['aes', 'drm'])('409: refuses an MP4 of an asset that is protected with %s', async (protection) => {
    await fixture.newVideo({ content_protection_type: protection })
    await publishTrack('240p')
    await publishTrack('audio')
    const { status, body } = await create({ kind: 'mp4' })
    expect([status, body.code]).toEqual([409, 'content_protected'])
    expect(body.detail).toContain(protection)
  })
})

describe('GET a download', () => {
  it('returns a header and all segments, interleaved, with the audio as the second track', async () => {
    const { status, headers, text } = await ask(await linkOf())
    expect(status).toBe(200)
    expect(textsOf(text)).toEqual(['240p 0', 'audio 0', '240p 1', 'audio 1', '240p 2', 'audio 2'])
    const tracks = [...text.matchAll(/tfhd.{7}(.)/gs)].map(([, track = '']) => track.charCodeAt(0))
    expect(tracks).toEqual([1, 2, 1, 2, 1, 2])
    expect(headers).toMatchObject({
      'content-type': 'video/mp4',
      'content-disposition': `attachment; filename="A video.mp4"; filename*=UTF-8''A%20video.mp4`,
      'accept-ranges': 'bytes',
      'cache-control': 'private, no-store',
      'x-accel-buffering': 'no',
    })
  })

  it('returns the same headers for HEAD, with the length of the whole file', async () => {
    const path = await linkOf()
    const [whole, head] = [await ask(path), await ask(path, {}, 'HEAD')]
    expect(head).toMatchObject({ status: 200, text: '' })
    for (const name of ['content-length', 'etag', 'content-type']) expect(head.headers[name]).toBe(whole.headers[name])
  })

  it('returns any range of the same bytes, so that a download can be resumed', async () => {
    const path = await linkOf()
    const { text, headers } = await ask(path)
    const etag = String(headers['etag'])
    const length = Number(headers['content-length'])
    let joined = ''
    for (let start = 0; start < length; start += 97) {
      const part = await ask(path, { range: `bytes=${start}-${start + 96}`, 'if-range': etag })
      expect(part.status).toBe(206)
      expect(part.headers['content-range']).toBe(`bytes ${start}-${Math.min(start + 97, length) - 1}/${length}`)
      joined += part.text
    }
    expect(joined).toBe(text)
    expect((await ask(path, { range: 'bytes=5-', 'if-range': '"other"' })).status).toBe(200)
    const outside = await ask(path, { range: `bytes=${length}-` })
    expect([outside.status, outside.headers['content-range']]).toEqual([416, `bytes */${length}`])
    for (const method of ['GET', 'HEAD'] as const) {
      expect((await ask(path, { 'if-none-match': etag }, method)).status).toBe(304)
    }
  })

  it('has another ETag for another file, also if all names and sizes are the same', async () => {
    const etags: unknown[] = []
    for (const text of ['a', 'b']) {
      await fixture.newVideo()
      for (const track of ['240p', 'audio']) await publishTrack(track, text)
      etags.push((await ask(await linkOf())).headers['etag'])
    }
    expect(etags).toEqual([expect.any(String), expect.any(String)])
    expect(etags[0]).not.toBe(etags[1])
  })

  it('403: a link is only valid for its own asset and rendition', async () => {
    const path = await linkOf()
    const first = fixture.place.assetId
    await fixture.newVideo()
    await publishTrack('240p')
    await publishTrack('audio')
    expect((await ask(path)).status).toBe(200)
    for (const other of [path.replace(first, fixture.place.assetId), path.replace('240p.mp4', '720p.mp4')]) {
      expect(await ask(other)).toMatchObject({ status: 403 })
    }
  })

  it('403: neither a playback token nor `open` downloads, and a link does not play', async () => {
    const path = await linkOf()
    for (const token of [fixture.pathTo('240p.mp4').split('/')[2], 'open']) {
      const other = path
        .split('/')
        .with(2, token ?? '')
        .join('/')
      const { status, text } = await ask(other)
      expect([status, JSON.parse(text).code]).toEqual([403, 'playback_denied'])
    }
    for (const name of ['master.m3u8', 'video-encode-1/240p/00000.m4s']) {
      expect((await ask(path.replace('240p.mp4', name))).status).toBe(403)
    }
  })

  it('403: a link ends with the API token that created it', async () => {
    const input = { name: 'reader', scopes: ['assets:read'], expires_at: null }
    const { body } = await fixture.caller.post<tokens.NewToken>('tokens/', input)
    const reader = fixture.caller.withToken(body.token)
    const path = new URL((await create({ kind: 'mp4' }, reader)).body.url).pathname
    expect((await ask(path)).status).toBe(200)
    await fixture.caller.delete(`tokens/${body.id}/`)
    await expect.poll(async () => (await ask(path)).status).toBe(403)
  })

  it('403: an expired link is refused', async () => {
    const { organizationId, assetId } = fixture.place
    const file = { organizationId: organizationId as OrganizationId, assetId: assetId as AssetId, file: '240p.mp4' }
    const reader = {
      organizationId: file.organizationId,
      id: tokenId as TokenId,
      expiresAt: null,
      playbackEpoch: 0,
    }
    const { tokenIssuer } = fixture.testApi.context
    const pathFor = (exp: number) =>
      `/play/${tokenIssuer.forDownload(reader, file, exp)}/${organizationId}/${assetId}/240p.mp4`
    const now = Math.floor(Date.now() / 1000)
    expect((await ask(pathFor(now + 60))).status).toBe(200)
    const { status, text } = await ask(pathFor(now - 1))
    expect([status, JSON.parse(text).detail]).toEqual([403, expect.stringContaining('has expired')])
  })

  it('404: a link ends when the asset is deleted, and works again when it is restored', async () => {
    const path = await linkOf()
    await fixture.caller.delete(`assets/${fixture.place.assetId}/`)
    expect((await ask(path)).status).toBe(404)
    await fixture.caller.post(`assets/${fixture.place.assetId}/restore/`)
    expect((await ask(path)).status).toBe(200)
  })

  it('503: a link does not work while the organization is suspended', async () => {
    const path = await linkOf()
    const organization = [fixture.place.organizationId]
    await superuser.query('insert into held_organizations (organization_id) values ($1)', organization)
    const { status, headers } = await ask(path)
    expect([status, headers['retry-after']]).toEqual([503, '1'])
    await superuser.query('delete from held_organizations where organization_id = $1', organization)
    expect((await ask(path)).status).toBe(200)
  })
})

describe('a long download', () => {
  const MEBIBYTE = 1024 ** 2
  const SIZE = 64 * MEBIBYTE

  it('reads no faster than the client, and nothing more after a disconnect', async () => {
    await using proxy = await HttpProxy.open(stackEnv().STORAGE_ENDPOINT)
    await using api = await ApiProcess.start({ STORAGE_ENDPOINT: proxy.url })
    await fixture.newVideo({}, shortPlan(2))
    const body = segmentOf('x'.repeat(SIZE))
    const segments = [body, body].map((each) => ({ body: each, seconds: 4 }))
    await publisher.publish(fixture.place, {
      track: '240p',
      firstSegment: 0,
      attempt: 'video-encode-1',
      init,
      segments,
    })
    const request = get(api.baseUrl + (await linkOf()))
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    expect(Number(response.headers['content-length'])).toBeGreaterThan(2 * SIZE)
    await once(response, 'readable')
    // The client stops reading: the buffers between storage and the client fill up, and the transfer stops.
    let before = -1
    const isStill = () => {
      const wasSame = before === proxy.downstreamBytes
      before = proxy.downstreamBytes
      return wasSame
    }
    await expect.poll(isStill, { interval: 500 }).toBe(true)
    expect(proxy.downstreamBytes).toBeLessThan(SIZE / 2)
    expect(proxy.openResponses).toBe(1)
    request.destroy()
    await expect.poll(() => proxy.openResponses).toBe(0)
    expect(proxy.downstreamBytes).toBeLessThan(SIZE / 2)
  })
})
