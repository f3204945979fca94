import type { FastifyReply } from 'fastify'
import { manifestCaching } from './delivery/caching.rules.ts'
import { type Library, type ManifestFile, readManifest } from './playback.ts'
import { knownEtagsOf, type PlaybackRequest, secondsLeftOf, sendText } from './playback-request.ts'

/** Reads the manifest for this viewer. Returns the function that sends it. */
export async function manifestFor(
  library: Library,
  playbackRequest: PlaybackRequest,
  file: ManifestFile,
): Promise<() => FastifyReply> {
  const { request, reply } = playbackRequest
  const { text, etag, mayGrow } = await readManifest(library, playbackRequest, file)
  return () => {
    reply.headers(manifestCaching(secondsLeftOf(playbackRequest), mayGrow)).header('ETag', etag)
    if (knownEtagsOf(request).includes(etag)) return reply.status(304).send()
    reply.header('Content-Type', types[file.kind === 'dash' ? 'dash' : 'hls'])
    return sendText(playbackRequest, text)
  }
}

const types = {
  dash: 'application/dash+xml; charset=utf-8',
  hls: 'application/vnd.apple.mpegurl; charset=utf-8',
}
