/**
 * Playback URLs. Players send neither our headers nor cookies, so the URL contains the playback token (`pass`),
 * which relative URLs inherit. Any origin may read these URLs, and they count against no rate limit. The content of
 * a media file's URL never changes, so it may be cached.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { refused } from '../../kernel/errors.ts'
import type { KeyRing } from '../../platform/config/key-settings.ts'
import type { Database } from '../../platform/db/database.ts'
import { requestLog } from '../../platform/http/instrumentation/request-log.ts'
import type { MediaBucket } from '../../platform/storage/media-bucket.ts'
import {
  beginOnce,
  type PlaybackAuthorizer,
  type TokenIssuer,
  type Viewer,
} from '../playback-tokens/playback-tokens.ts'
import { pieceCaching } from './delivery/caching.rules.ts'
import { EdgeAccess } from './delivery/edge-access.ts'
import { ManifestCache } from './delivery/manifest-cache.ts'
import { documentFor, isDocument } from './documents/documents.routes.ts'
import { manifestFor } from './manifests.routes.ts'
import { sendPiece } from './media-files.routes.ts'
import { nothingToPlay } from './playback.rules.ts'
import type { Library } from './playback.ts'
import type { PlaybackMetrics } from './playback-metrics.ts'
import { leftOf, type Visitor } from './playback-request.ts'
import {
  ACCESS_PREFIX,
  PLAY_PREFIX,
  type PlayAddress,
  type PlayPath,
  playAddressOf,
  playPathOf,
} from './playback-urls.rules.ts'
import { asRefusal, type KeyDelivery, openKeyDelivery } from './protection/key-delivery.ts'
import { isKey, sendKey } from './protection/keys.routes.ts'
import { registerLicenceRoute } from './protection/licence.routes.ts'
import { grantLicence } from './protection/licence.ts'
import { countAnswers } from './response-counting.ts'
import { Viewers } from './viewers.ts'

export type Playback = {
  readonly database: Database
  readonly media: MediaBucket
  readonly passes: TokenIssuer
  readonly door: PlaybackAuthorizer
  readonly playbackMetrics: PlaybackMetrics
  readonly config: {
    readonly KEY_ENCRYPTION_KEYS: KeyRing
    /** License URLs of a key provider, by key system. */
    readonly DRM_LICENCE_URLS: Readonly<Record<string, string>>
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Kind of the requested file, once the path is parsed. */
    playKind?: PlayAddress['kind']
  }
}

const PREFLIGHT_SECONDS = 86_400

const url = `${PLAY_PREFIX}/*`
const config = { operation: 'play', isPublic: true } as const

export function registerPlaybackRoutes(http: FastifyInstance, playback: Playback): void {
  const { KEY_ENCRYPTION_KEYS: keyRing } = playback.config
  const desk = {
    ...playback,
    library: { cache: new ManifestCache(), keyRing },
    delivery: openKeyDelivery(),
    viewers: new Viewers(),
  }
  const onSend = countAnswers(playback.playbackMetrics)
  http.route({
    method: ['GET', 'HEAD'],
    url,
    config,
    onRequest: allowEverybody,
    onSend,
    handler: async (request, reply) => {
      const { path, address } = askedFor(request)
      const viewer = await admitViewer(playback.door, path, request)
      request.subject = viewer
      const db = playback.database.forOrganization(viewer.organizationId)
      try {
        return await answer(desk, { viewer, db, request, reply }, path, address)
      } catch (error) {
        throw asRefusal(error, requestLog(request))
      }
    },
  })
  registerLicenceRoute(http, {
    ...{ url, config, onRequest: allowEverybody, onSend },
    grant: async (request, body) => {
      const { path, address } = askedFor(request)
      if (address.kind !== 'licence') throw nothingToPlay()
      const viewer = await admitViewer(playback.door, path, request)
      request.subject = viewer
      const db = playback.database.forOrganization(viewer.organizationId)
      await desk.delivery.count(viewer, request.ip)
      try {
        const licence = await grantLicence(keyRing, db, viewer, body)
        for (const { kid } of licence.keys)
          desk.delivery.audit(viewer, { kid }, requestLog(request))
        return licence
      } catch (error) {
        throw asRefusal(error, requestLog(request))
      }
    },
  })
  http.route({
    method: 'OPTIONS',
    url,
    config,
    onRequest: allowEverybody,
    handler: (_, reply) =>
      reply
        .header('Access-Control-Allow-Methods', 'GET, HEAD, POST')
        .header('Access-Control-Allow-Headers', 'Range, If-None-Match, If-Range, Content-Type')
        .header('Access-Control-Max-Age', String(PREFLIGHT_SECONDS))
        .status(204)
        .send(),
  })
  registerAccessRoute(http, playback)
}

/** Dependencies of the handlers. */
type Desk = Playback & {
  readonly library: Library
  readonly delivery: KeyDelivery
  readonly viewers: Viewers
}

async function answer(
  desk: Desk,
  visitor: Visitor,
  path: PlayPath,
  address: PlayAddress,
): Promise<FastifyReply> {
  // Licenses are requested with POST.
  if (address.kind === 'licence') throw nothingToPlay()
  if (isKey(address)) {
    return sendKey(desk.config.KEY_ENCRYPTION_KEYS, desk.delivery, visitor, address)
  }
  if (address.kind === 'object') {
    desk.viewers.admit(visitor.viewer.organizationId, visitor.reply.raw)
    return sendPiece(desk.media, visitor, address)
  }
  const send = isDocument(address)
    ? await documentFor(desk.config.DRM_LICENCE_URLS, visitor, address)
    : await manifestFor(desk.library, visitor, address)
  const { pass } = visitor.viewer
  return pass !== 'open' && pass.once ? sendOnward(desk.passes, visitor, path) : send()
}

/** Access checks for edges that cache media files. The edge sends the returned cache header to the viewer. */
function registerAccessRoute(http: FastifyInstance, { database, door }: Playback): void {
  const edge = EdgeAccess.over(database)
  http.route({
    method: 'GET',
    url: `${ACCESS_PREFIX}/*`,
    config: { operation: 'playAccess', isPublic: true },
    handler: async (request, reply) => {
      const path = playPathOf((request.params as { '*': string })['*'])
      if (path?.name !== '') throw nothingHere()
      const viewer = await admitViewer(door, path, request)
      await edge.assertMayHave(viewer)
      const { 'Cache-Control': caching } = pieceCaching(leftOf({ viewer }))
      return reply.header('X-Piece-Caching', caching).status(204).send()
    },
  })
}

/** Also on errors: without it, a player cannot distinguish a missing video from a network error. */
async function allowEverybody(_: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.header('Access-Control-Allow-Origin', '*')
  reply.header(
    'Access-Control-Expose-Headers',
    'Accept-Ranges, Content-Length, Content-Range, ETag, X-Request-Id',
  )
}

function askedFor(request: FastifyRequest): { path: PlayPath; address: PlayAddress } {
  const path = playPathOf((request.params as { '*': string })['*'])
  const address = path && playAddressOf(path.name)
  if (!path || !address) throw nothingHere()
  request.playKind = address.kind
  return { path, address }
}

const nothingHere = () => refused('not_found', 'There is nothing to play at this URL.')

/** Throws unless the playback token permits the request. */
function admitViewer(
  door: PlaybackAuthorizer,
  path: PlayPath,
  request: FastifyRequest,
): Promise<Viewer> {
  const { origin, referer } = request.headers
  return door.admit({ ...path, page: { origin, referer }, ip: request.ip })
}

/**
 * Redirects from a single-use token to the token that plays the video. The URL is relative, so that it works behind
 * any prefix.
 */
async function sendOnward(
  passes: TokenIssuer,
  { db, viewer, request, reply }: Visitor,
  { pass, organizationId, assetId, name }: PlayPath,
): Promise<FastifyReply> {
  const onward = await beginOnce(passes, db, viewer, { pass, isGet: request.method === 'GET' })
  return reply.redirect(`../../../${onward}/${organizationId}/${assetId}/${name}`, 302)
}
