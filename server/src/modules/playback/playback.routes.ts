/**
 * Playback URLs. Players send neither our headers nor cookies, so the URL contains the playback token,
 * which relative URLs inherit. Any origin may read these URLs, and only those that find nothing count against a rate
 * limit. The content of a media file's URL never changes, so it may be cached.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { refused } from '../../kernel/errors.ts'
import type { KeyRing } from '../../platform/config/key-settings.ts'
import type { Database } from '../../platform/db/database.ts'
import type { LastKnown } from '../../platform/db/last-known/last-known.ts'
import type { PublicRequests } from '../../platform/http/access/public-requests.ts'
import { requestLog } from '../../platform/http/instrumentation/request-log.ts'
import type { MediaBucket } from '../../platform/storage/media-bucket.ts'
import {
  type PlaybackAuthorizer,
  redeemSingleUse,
  type TokenIssuer,
  type Viewer,
} from '../playback-tokens/playback-tokens.ts'
import { mediaFileCaching } from './delivery/caching.rules.ts'
import { EdgeAccess } from './delivery/edge-access.ts'
import { ManifestCache } from './delivery/manifest-cache.ts'
import { MediaFileStates } from './delivery/media-file-states.ts'
import { countDelivery, countResponses, type DeliveryCounter } from './delivery/response-counting.ts'
import { VersionMedia } from './delivery/version-media.ts'
import { Viewers } from './delivery/viewers.ts'
import { documentFor, isDocument } from './documents/documents.routes.ts'
import { DownloadLimit } from './downloads/download-limit.ts'
import { sendDownload } from './downloads/downloads.routes.ts'
import { manifestFor } from './manifests.routes.ts'
import { sendMediaFile } from './media-files.routes.ts'
import { isPartFile, sendPartFile } from './parts/part-documents.routes.ts'
import { nothingToPlay } from './playback.rules.ts'
import type { Library } from './playback.ts'
import type { PlaybackMetrics } from './playback-metrics.ts'
import { type PlaybackRequest, secondsLeftOf } from './playback-request.ts'
import {
  ACCESS_PREFIX,
  PLAY_PREFIX,
  type PlaybackFile,
  type PlayPath,
  playbackFileOf,
  playPathOf,
} from './playback-urls.rules.ts'
import { type KeyDelivery, openKeyDelivery, toUnavailable } from './protection/key-delivery.ts'
import { isKey, sendKey } from './protection/keys.routes.ts'
import { registerLicenseRoute } from './protection/license.routes.ts'
import { grantLicense } from './protection/license.ts'

export type Playback = {
  readonly database: Database
  readonly lastKnown: LastKnown
  readonly media: MediaBucket
  readonly tokenIssuer: TokenIssuer
  readonly authorizer: PlaybackAuthorizer
  readonly playbackMetrics: PlaybackMetrics
  readonly publicRequests: PublicRequests
  readonly usage: DeliveryCounter
  readonly config: {
    readonly KEY_ENCRYPTION_KEYS: KeyRing
    /** License URLs of a key provider, by key system. */
    readonly DRM_LICENSE_URLS: Readonly<Record<string, string>>
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Kind of the requested file, once the path is parsed. */
    playKind?: PlaybackFile['kind']
    /** The segment that is sent: its duration and size. */
    playSegment?: { readonly seconds: number; readonly bytes: number }
  }
}

const PREFLIGHT_SECONDS = 86_400

const url = `${PLAY_PREFIX}/*`
const config = { operation: 'play', isPublic: true } as const

export function registerPlaybackRoutes(http: FastifyInstance, playback: Playback): void {
  const { KEY_ENCRYPTION_KEYS: keyRing } = playback.config
  const services = {
    ...playback,
    library: { cache: new ManifestCache(), keyRing },
    delivery: openKeyDelivery(),
    viewers: new Viewers(),
    downloads: new DownloadLimit(),
    versions: new VersionMedia(playback.database),
    fileStates: new MediaFileStates(playback.database, playback.lastKnown),
  }
  const onSend = countResponses(playback.playbackMetrics)
  http.route({
    method: ['GET', 'HEAD'],
    url,
    config,
    onRequest: addPlaybackHeaders,
    onSend,
    handler: async (request, reply) => {
      const { path, file } = parseRequest(request)
      return playback.publicRequests.run({ request, reply, video: path }, async () => {
        const viewer = await authorizeFile(playback.authorizer, path, file, request)
        request.subject = viewer
        countDelivery(playback.usage, viewer.organizationId, { request, reply })
        const db = playback.lastKnown.forRequest(viewer.organizationId)
        try {
          const mediaId = await services.versions.idOf(viewer.organizationId, viewer.assetId, path.version)
          const isUnversioned = path.version === null
          return await respond(services, { viewer, mediaId, isUnversioned, db, request, reply }, path, file)
        } catch (error) {
          throw toUnavailable(error, requestLog(request))
        }
      })
    },
  })
  registerLicenseRoute(http, {
    ...{ url, config, onRequest: addPlaybackHeaders, onSend },
    grant: async (request, reply, body) => {
      const { path, file } = parseRequest(request)
      if (file.kind !== 'license') throw nothingToPlay()
      return playback.publicRequests.run({ request, reply, video: path }, async () => {
        const viewer = await authorize(playback.authorizer, path, request)
        request.subject = viewer
        const db = playback.lastKnown.forRequest(viewer.organizationId)
        await services.delivery.count(viewer, reply)
        try {
          const license = await grantLicense(keyRing, db, viewer, body)
          for (const { kid } of license.keys) services.delivery.audit(viewer, { kid }, requestLog(request))
          return license
        } catch (error) {
          throw toUnavailable(error, requestLog(request))
        }
      })
    },
  })
  http.route({
    method: 'OPTIONS',
    url,
    config,
    onRequest: addPlaybackHeaders,
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
type PlaybackServices = Playback & {
  readonly library: Library
  readonly delivery: KeyDelivery
  readonly viewers: Viewers
  readonly downloads: DownloadLimit
  readonly fileStates: MediaFileStates
}

async function respond(
  services: PlaybackServices,
  playbackRequest: PlaybackRequest,
  path: PlayPath,
  file: PlaybackFile,
): Promise<FastifyReply> {
  // Licenses are requested with POST.
  if (file.kind === 'license') throw nothingToPlay()
  if (isKey(file)) {
    return sendKey(services.config.KEY_ENCRYPTION_KEYS, services.delivery, playbackRequest, file)
  }
  if (file.kind === 'download') {
    const db = services.database.forRequest(playbackRequest.viewer.organizationId)
    const download = { ...playbackRequest, db }
    return sendDownload({ media: services.media, limit: services.downloads }, download, file.track)
  }
  if (isPartFile(file)) return sendPartFile(services.media, playbackRequest, file)
  if (file.kind === 'object') {
    services.viewers.admit(playbackRequest.viewer.organizationId, playbackRequest.reply.raw)
    return sendMediaFile(services, playbackRequest, file)
  }
  const send = isDocument(file)
    ? await documentFor(services.config.DRM_LICENSE_URLS, playbackRequest, file)
    : await manifestFor(services.library, playbackRequest, file)
  const { token } = playbackRequest.viewer
  return token !== 'open' && token.once ? redirectToRedeemed(services.tokenIssuer, playbackRequest, path) : send()
}

/** Access checks for edges that cache media files. The edge sends the returned cache header to the viewer. */
function registerAccessRoute(http: FastifyInstance, { lastKnown, authorizer, publicRequests }: Playback): void {
  const edge = EdgeAccess.over(lastKnown)
  http.route({
    method: 'GET',
    url: `${ACCESS_PREFIX}/*`,
    config: { operation: 'playAccess', isPublic: true },
    handler: async (request, reply) => {
      const path = playPathOf((request.params as { '*': string })['*'])
      if (path?.name !== '' || path.version !== null) throw nothingHere()
      const viewer = await publicRequests.run({ request, reply, video: path, isFromEdge: true }, async () => {
        const authorized = await authorize(authorizer, path, request)
        await edge.assertMayFetch(authorized)
        return authorized
      })
      const { 'Cache-Control': caching } = mediaFileCaching(secondsLeftOf({ viewer }))
      return reply.header('X-Media-Cache-Control', caching).status(204).send()
    },
  })
}

/**
 * All origins are allowed, also for errors: without the header, a player cannot distinguish a missing video from a
 * network error. The sandbox applies if a browser opens a response as a page: these contain files and texts of users,
 * and the session cookie of the dashboard is on the same origin.
 */
async function addPlaybackHeaders(_: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.header('Content-Security-Policy', 'sandbox')
  reply.header('Access-Control-Allow-Origin', '*')
  reply.header('Access-Control-Expose-Headers', 'Accept-Ranges, Content-Length, Content-Range, ETag, X-Request-Id')
}

function parseRequest(request: FastifyRequest): { path: PlayPath; file: PlaybackFile } {
  const path = playPathOf((request.params as { '*': string })['*'])
  const file = path && playbackFileOf(path.name)
  if (!path || !file) throw nothingHere()
  request.playKind = file.kind
  return { path, file }
}

const nothingHere = () =>
  refused('not_found', 'There is nothing to play at this URL. Start with `video.playback_url` of the asset.')

/** A download needs the token of its own link, and every other file a playback token. */
function authorizeFile(authorizer: PlaybackAuthorizer, path: PlayPath, file: PlaybackFile, request: FastifyRequest) {
  if (file.kind !== 'download') return authorize(authorizer, path, request)
  const { name, ...video } = path
  return authorizer.authorizeDownload({ ...video, file: name })
}

/** Throws unless the playback token permits the request. */
function authorize(authorizer: PlaybackAuthorizer, path: PlayPath, request: FastifyRequest): Promise<Viewer> {
  const { origin, referer } = request.headers
  return authorizer.authorize({ ...path, page: { origin, referer }, ip: request.ip })
}

/**
 * Redirects from a single-use token to the token that plays the video. The URL is relative, so that it works behind
 * any prefix.
 */
async function redirectToRedeemed(
  tokenIssuer: TokenIssuer,
  { db, viewer, request, reply }: PlaybackRequest,
  { token, organizationId, assetId, name, version }: PlayPath,
): Promise<FastifyReply> {
  const onward = await redeemSingleUse(tokenIssuer, db, viewer, {
    token,
    isGet: request.method === 'GET',
  })
  const folder = version === null ? '' : `v${version}/`
  const top = version === null ? '../../..' : '../../../..'
  return reply.redirect(`${top}/${onward}/${organizationId}/${assetId}/${folder}${name}`, 302)
}
