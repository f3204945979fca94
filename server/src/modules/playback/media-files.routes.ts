import type { FastifyReply, FastifyRequest } from 'fastify'
import type { MediaBucket } from '../../platform/storage/media-bucket.ts'
import { pieceCaching } from './delivery/caching.rules.ts'
import { openPiece, readPieceHead } from './playback.ts'
import { knownEtagsOf, leftOf, type Visitor } from './playback-request.ts'
import type { PlayAddress } from './playback-urls.rules.ts'
import { hangUpAfter, sendingSecondsMax, untilHungUp } from './viewers.ts'

type PieceAddress = Extract<PlayAddress, { kind: 'object' }>

export async function sendPiece(
  media: MediaBucket,
  visitor: Visitor,
  address: PieceAddress,
): Promise<FastifyReply> {
  const { viewer, db, request, reply } = visitor
  const piece = { viewer, name: address.name }
  const signal = untilHungUp(reply.raw)
  if (request.method === 'HEAD') {
    const { etag, bytes } = await readPieceHead(media, db, piece, signal)
    return asPiece(visitor, address, etag).header('Content-Length', bytes).send()
  }
  const [knownEtag] = knownEtagsOf(request)
  const range = rangeOf(request)
  const found = await openPiece(media, db, piece, { range, knownEtag }, signal)
  if (found.kind === 'unchanged') {
    return reply
      .headers(pieceCaching(leftOf(visitor)))
      .header('ETag', knownEtag)
      .status(304)
      .send()
  }
  if (found.kind === 'outside') {
    const { bytes } = await readPieceHead(media, db, piece, signal)
    return reply.header('Content-Range', `bytes */${bytes}`).status(416).send()
  }
  hangUpAfter(reply.raw, sendingSecondsMax(found.bytes))
  if (found.contentRange) reply.header('Content-Range', found.contentRange).status(206)
  return asPiece(visitor, address, found.etag)
    .header('Content-Length', found.bytes)
    .send(found.body)
}

const asPiece = (visitor: Visitor, { type }: PieceAddress, etag: string) =>
  visitor.reply
    .headers(pieceCaching(leftOf(visitor)))
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
  return range !== undefined && headers['if-range'] === undefined && rangeForm.test(range)
    ? range
    : undefined
}
