import type { FastifyReply } from 'fastify'
import { manifestCaching } from './delivery/caching.rules.ts'
import { type Library, type ManifestAddress, readManifest } from './playback.ts'
import { knownEtagsOf, leftOf, sendText, type Visitor } from './playback-request.ts'

/** Reads the manifest for this viewer. Returns the function that sends it. */
export async function manifestFor(
  library: Library,
  visitor: Visitor,
  address: ManifestAddress,
): Promise<() => FastifyReply> {
  const { viewer, db, request, reply } = visitor
  const { text, etag, mayGrow } = await readManifest(library, db, viewer, address)
  return () => {
    reply.headers(manifestCaching(leftOf(visitor), mayGrow)).header('ETag', etag)
    if (knownEtagsOf(request).includes(etag)) return reply.status(304).send()
    reply.header('Content-Type', types[address.kind === 'dash' ? 'dash' : 'hls'])
    return sendText(visitor, text)
  }
}

const types = {
  dash: 'application/dash+xml; charset=utf-8',
  hls: 'application/vnd.apple.mpegurl; charset=utf-8',
}
