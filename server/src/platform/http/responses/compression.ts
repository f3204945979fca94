/**
 * Compresses responses of the API for clients that accept it. Playback routes are not compressed: their documents are
 * small or already compressed media.
 */
import { promisify } from 'node:util'
import { brotliCompress, gzip, constants as zlib } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { acceptsEncoding } from './accepted-encoding.ts'
import { encodedEntityTag } from './entity-tag.ts'

/** Shorter responses fit into one packet, so compressing them saves no time. */
const COMPRESSED_BYTES_MIN = 1024

/** Compresses JSON as well as gzip does at its default level, in less time. */
const BROTLI_QUALITY = 4

const brotli = promisify(brotliCompress)
const encoders = {
  br: (text: string) => brotli(text, { params: { [zlib.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: promisify<string, Buffer>(gzip),
}

export function compressResponses(http: FastifyInstance): void {
  http.addHook('onSend', (request, reply, payload, done) => {
    if (!isCompressible(request, payload)) return done(null, payload)
    addVary(reply, 'Accept-Encoding')
    const encoding = (['br', 'gzip'] as const).find((encoding) => acceptsEncoding(request, encoding))
    if (!encoding) return done(null, payload)
    encoders[encoding](payload).then((encoded) => {
      reply.header('Content-Encoding', encoding)
      const tag = reply.getHeader('ETag')
      if (tag !== undefined) reply.header('ETag', encodedEntityTag(String(tag), encoding))
      // The length of the uncompressed text, if it is already set.
      reply.removeHeader('Content-Length')
      done(null, encoded)
    }, done)
  })
}

function isCompressible({ routeOptions: { config } }: FastifyRequest, payload: unknown): payload is string {
  if (config.operation === undefined || config.isPublic) return false
  return typeof payload === 'string' && payload.length >= COMPRESSED_BYTES_MIN
}

function addVary(reply: FastifyReply, name: string): void {
  const others = reply.getHeader('Vary')
  reply.header('Vary', others === undefined ? name : `${others}, ${name}`)
}
