import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import fastify from 'fastify'
import { describe, expect, it } from 'vitest'
import { compressResponses } from './compression.ts'
import { entityTagOf, preconditionOf } from './entity-tag.ts'

const long = JSON.stringify({ text: 'ä'.repeat(2000) })
const tag = entityTagOf(1)

function open(text: string, config: { operation?: string; isPublic?: true } = { operation: 'listFolders' }) {
  const http = fastify()
  compressResponses(http)
  http.get('/', { config }, (_, reply) =>
    reply.headers({ 'Content-Type': 'application/json', ETag: tag, Vary: 'Origin' }).send(text),
  )
  return (acceptEncoding?: string, method: 'GET' | 'HEAD' = 'GET') =>
    http.inject({
      method,
      url: '/',
      headers: acceptEncoding === undefined ? {} : { 'accept-encoding': acceptEncoding },
    })
}

describe('compressResponses', () => {
  it.each([
    ['br, gzip', 'br', brotliDecompressSync],
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['br;q=0, gzip', 'gzip', gunzipSync],
  ] as const)('compresses a long response for Accept-Encoding: %s', async (accepted, encoding, decompress) => {
    const { headers, rawPayload } = await open(long)(accepted)
    expect(headers).toMatchObject({
      'content-encoding': encoding,
      'content-length': String(rawPayload.length),
      vary: 'Origin, Accept-Encoding',
    })
    expect(rawPayload.length).toBeLessThan(200)
    expect(decompress(rawPayload).toString()).toBe(long)
  })

  it.each([undefined, 'identity', 'deflate'])('does not compress for Accept-Encoding: %s', async (accepted) => {
    const { headers, payload } = await open(long)(accepted)
    expect(headers['content-encoding']).toBeUndefined()
    expect(headers['vary']).toBe('Origin, Accept-Encoding')
    expect(payload).toBe(long)
  })

  it('does not compress a short response, a public one, or one of a route outside the API', async () => {
    for (const send of [open('{}'), open(long, { operation: 'play', isPublic: true }), open(long, {})]) {
      const { headers } = await send('br, gzip')
      expect(headers['content-encoding']).toBeUndefined()
      expect(headers['vary']).toBe('Origin')
    }
  })

  it('returns the same headers for HEAD as for GET', async () => {
    const send = open(long)
    const [get, head] = [await send('br'), await send('br', 'HEAD')]
    for (const name of ['content-encoding', 'content-length', 'etag', 'vary'])
      expect(head.headers[name], name).toBe(get.headers[name])
    expect(head.rawPayload).toHaveLength(0)
  })

  it('gives each encoding an ETag of its own, and If-Match accepts all of them', async () => {
    const send = open(long)
    const tags = [await send(), await send('gzip'), await send('br')].map(({ headers }) => String(headers['etag']))
    expect(new Set(tags).size).toBe(3)
    for (const sent of tags) expect(() => preconditionOf({ 'If-Match': sent })(1)).not.toThrow()
  })
})
