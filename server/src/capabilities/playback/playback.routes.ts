/**
 * What viewers fetch. Players send no token and bear no error document of an API: these are plain addresses, readable by any page, and
 * counted against nobody's limit. A piece of a video never changes under its name, so whoever has it keeps it.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { refused } from '../../kernel/errors.ts'
import { type AssetId, isOrganizationId, type OrganizationId } from '../../kernel/ids.ts'
import type { Database, OrganizationDb } from '../../platform/db/database.ts'
import type { MediaBucket } from '../../platform/storage/media-bucket.ts'
import { ManifestCache } from './manifest-cache.ts'
import { isAssetId, PLAY_PREFIX, type PlayAddress, playAddressOf } from './play-addresses.rules.ts'
import { openPiece, readManifest, readPieceHead } from './playback.ts'
import { hangUpAfter, sendingSecondsMax, untilHungUp, Viewers } from './viewers.ts'

export type Playback = {
  readonly database: Database
  readonly media: MediaBucket
}

/** Players ask again after about the length of a segment, and should find what has come meanwhile. */
const GROWING_SECONDS = 2
/** Subtitles may still be added, or the asset deleted. */
const DONE_SECONDS = 60
const PIECE_CACHING = 'public, max-age=31536000, immutable'

const PREFLIGHT_SECONDS = 86_400

const url = `${PLAY_PREFIX}/:organization_id/:asset_id/*`
const config = { operation: 'play', isPublic: true } as const

export function registerPlaybackRoutes(http: FastifyInstance, playback: Playback): void {
  const manifests = new ManifestCache()
  const viewers = new Viewers()
  http.route({
    method: ['GET', 'HEAD'],
    url,
    config,
    onRequest: allowEverybody,
    handler: (request, reply) => {
      const { organizationId, assetId, address } = askedFor(request)
      const db = playback.database.forOrganization(organizationId)
      if (address.kind !== 'object') {
        return sendManifest(manifests, db, { assetId, address }, request, reply)
      }
      viewers.admit(organizationId, reply.raw)
      return sendPiece(playback, db, { assetId, ...address }, request, reply)
    },
  })
  http.route({
    method: 'OPTIONS',
    url,
    config,
    onRequest: allowEverybody,
    handler: (_, reply) =>
      reply
        .header('Access-Control-Allow-Methods', 'GET, HEAD')
        .header('Access-Control-Allow-Headers', 'Range, If-None-Match, If-Range')
        .header('Access-Control-Max-Age', String(PREFLIGHT_SECONDS))
        .status(204)
        .send(),
  })
}

/** Errors as well: a player that cannot read one cannot tell a missing video from a broken line. */
async function allowEverybody(_: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.header('Access-Control-Allow-Origin', '*')
  reply.header(
    'Access-Control-Expose-Headers',
    'Accept-Ranges, Content-Length, Content-Range, ETag, X-Request-Id',
  )
}

type Asked = {
  readonly organizationId: OrganizationId
  readonly assetId: AssetId
  readonly address: PlayAddress
}

function askedFor(request: FastifyRequest): Asked {
  const params = request.params as { organization_id: string; asset_id: string; '*': string }
  const { organization_id: organizationId, asset_id: assetId } = params
  const address = playAddressOf(params['*'])
  if (!isOrganizationId(organizationId) || !isAssetId(assetId) || !address) {
    throw refused('not_found', 'There is nothing to play at this address.')
  }
  return { organizationId, assetId, address }
}

type AskedManifest = {
  readonly assetId: AssetId
  readonly address: Exclude<PlayAddress, { kind: 'object' }>
}

async function sendManifest(
  manifests: ManifestCache,
  db: OrganizationDb,
  { assetId, address }: AskedManifest,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const { text, etag, mayGrow } = await readManifest(manifests, db, assetId, address)
  const seconds = mayGrow ? GROWING_SECONDS : DONE_SECONDS
  reply.header('ETag', etag).header('Cache-Control', `public, max-age=${seconds}`)
  if (knownEtagsOf(request).includes(etag)) return reply.status(304).send()
  reply
    .header('Content-Type', manifestTypes[address.kind === 'dash' ? 'dash' : 'hls'])
    .header('Content-Length', text.length)
  return request.method === 'HEAD' ? reply.send() : reply.send(text)
}

const manifestTypes = {
  dash: 'application/dash+xml; charset=utf-8',
  hls: 'application/vnd.apple.mpegurl; charset=utf-8',
}

type AskedPiece = { readonly assetId: AssetId; readonly name: string; readonly type: string }

async function sendPiece(
  { media }: Playback,
  db: OrganizationDb,
  piece: AskedPiece,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const signal = untilHungUp(reply.raw)
  if (request.method === 'HEAD') {
    const { etag, bytes } = await readPieceHead(media, db, piece, signal)
    return asPiece(reply, piece, etag).header('Content-Length', bytes).send()
  }
  const [knownEtag] = knownEtagsOf(request)
  const range = rangeOf(request)
  const found = await openPiece(media, db, piece, { range, knownEtag }, signal)
  if (found.kind === 'unchanged') {
    return reply.header('Cache-Control', PIECE_CACHING).header('ETag', knownEtag).status(304).send()
  }
  if (found.kind === 'outside') {
    const { bytes } = await readPieceHead(media, db, piece, signal)
    return reply.header('Content-Range', `bytes */${bytes}`).status(416).send()
  }
  hangUpAfter(reply.raw, sendingSecondsMax(found.bytes))
  if (found.contentRange) reply.header('Content-Range', found.contentRange).status(206)
  return asPiece(reply, piece, found.etag).header('Content-Length', found.bytes).send(found.body)
}

const asPiece = (reply: FastifyReply, { type }: AskedPiece, etag: string) =>
  reply
    .header('Content-Type', type)
    .header('Cache-Control', PIECE_CACHING)
    .header('Accept-Ranges', 'bytes')
    .header('ETag', etag)

/** "bytes=0-99", "bytes=100-", "bytes=-100". Several at once, or what is none, is answered with all of it, as HTTP allows. */
const rangeForm = /^bytes=(?:\d{1,15}-\d{0,15}|-\d{1,15})$/

function rangeOf({ headers }: FastifyRequest): string | undefined {
  const { range } = headers
  // Whoever says "if it still is that one" may be given all of it instead, and is served right in any case.
  return range !== undefined && headers['if-range'] === undefined && rangeForm.test(range)
    ? range
    : undefined
}

/** Whether a proxy has weakened them on the way does not matter here. */
const knownEtagsOf = ({ headers }: FastifyRequest): string[] =>
  headers['if-none-match']?.match(/"[^"]{1,128}"/g) ?? []
