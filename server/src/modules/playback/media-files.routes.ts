import type { FastifyReply, FastifyRequest } from 'fastify'
import { requestLog } from '../../platform/http/instrumentation/request-log.ts'
import { mediaFileCaching, uncertain } from './delivery/caching.rules.ts'
import { disconnectAfter, sendingSecondsMax, untilDisconnected } from './delivery/viewers.ts'
import { type MediaFiles, openMediaFile, readMediaFileHead } from './playback.ts'
import { knownEtagsOf, type PlaybackRequest, secondsLeftOf } from './playback-request.ts'
import type { PlaybackFile } from './playback-urls.rules.ts'

type MediaFile = Extract<PlaybackFile, { kind: 'object' }>

export async function sendMediaFile(
  { media, fileStates }: Omit<MediaFiles, 'logger'>,
  playbackRequest: PlaybackRequest,
  file: MediaFile,
): Promise<FastifyReply> {
  const { viewer, mediaId, request, reply } = playbackRequest
  const files = { media, fileStates, logger: requestLog(request) }
  const fileRequest = { viewer, mediaId, name: file.name }
  const signal = untilDisconnected(reply.raw)
  if (request.method === 'HEAD') {
    const { etag, bytes } = await readMediaFileHead(files, fileRequest, signal)
    return withMediaHeaders(playbackRequest, file, { etag, isVerified: true }).header('Content-Length', bytes).send()
  }
  const [knownEtag] = knownEtagsOf(request)
  const range = rangeOf(request)
  const found = await openMediaFile(files, fileRequest, { range, knownEtag }, signal)
  if (found.kind === 'unchanged') {
    return reply
      .headers(mediaFileCaching(secondsLeftOf(playbackRequest)))
      .header('ETag', knownEtag)
      .status(304)
      .send()
  }
  if (found.kind === 'outside') {
    const { bytes } = await readMediaFileHead(files, fileRequest, signal)
    return reply.header('Content-Range', `bytes */${bytes}`).status(416).send()
  }
  disconnectAfter(reply.raw, sendingSecondsMax(found.bytes))
  request.playSegment = { seconds: found.seconds ?? 0, bytes: totalBytesOf(found) }
  if (found.contentRange) reply.header('Content-Range', found.contentRange).status(206)
  return withMediaHeaders(playbackRequest, file, found).header('Content-Length', found.bytes).send(found.body)
}

/** Size of the whole file, from which a range may have been read. */
const totalBytesOf = ({
  bytes,
  contentRange,
}: {
  readonly bytes: number
  readonly contentRange?: string | undefined
}) => Number(contentRange?.split('/')[1] ?? bytes)

type Sent = { readonly etag: string; readonly isVerified: boolean }

const withMediaHeaders = (playbackRequest: PlaybackRequest, { type }: MediaFile, { etag, isVerified }: Sent) =>
  playbackRequest.reply
    .headers(isVerified ? mediaFileCaching(secondsLeftOf(playbackRequest)) : uncertain)
    .header('Content-Type', type)
    .header('Accept-Ranges', 'bytes')
    .header('ETag', etag)

/**
 * Accepts "bytes=0-99", "bytes=100-", "bytes=-100". Several ranges or an invalid one get the whole file, as HTTP
 * allows.
 */
const rangeForm = /^bytes=(?:\d{1,15}-\d{0,15}|-\d{1,15})$/

function rangeOf({ headers }: FastifyRequest): string | undefined {
  const { range } = headers
  // With If-Range, the whole file is always a valid response.
  return range !== undefined && headers['if-range'] === undefined && rangeForm.test(range) ? range : undefined
}
