/**
 * What viewers fetch. Players send no header of ours and bear no cookies: who may have something is in its address (`pass`), which everything
 * relative to it inherits. These addresses are readable by any page, and counted against nobody's limit. A piece of a video never changes
 * under its name, so whoever has it keeps it.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { refused } from '../../kernel/errors.ts'
import type { KeyRing } from '../../platform/config/key-settings.ts'
import type { Database, OrganizationDb } from '../../platform/db/database.ts'
import type { MediaBucket } from '../../platform/storage/media-bucket.ts'
import {
  beginOnce,
  type PlaybackDoor,
  type ServicePasses,
  secondsLeft,
  type Viewer,
} from '../access-tokens/access-tokens.ts'
import { manifestCaching, pieceCaching } from './caching.rules.ts'
import { documentFor, isDocument } from './documents.routes.ts'
import { EdgeAccess } from './edge-access.ts'
import { asRefusal, openKeyDelivery, readAesKey } from './key-delivery.ts'
import { registerLicenceRoute } from './licence.routes.ts'
import { grantLicence, readContentKey } from './licence.ts'
import { ManifestCache } from './manifest-cache.ts'
import {
  ACCESS_PREFIX,
  PLAY_PREFIX,
  type PlayAddress,
  type PlayPath,
  playAddressOf,
  playPathOf,
} from './play-addresses.rules.ts'
import { nothingToPlay } from './playback.rules.ts'
import {
  type Library,
  type Manifest,
  type ManifestAddress,
  openPiece,
  type Piece,
  readManifest,
  readPieceHead,
} from './playback.ts'
import { hangUpAfter, sendingSecondsMax, untilHungUp, Viewers } from './viewers.ts'

export type Playback = {
  readonly database: Database
  readonly media: MediaBucket
  readonly passes: ServicePasses
  readonly door: PlaybackDoor
  readonly config: {
    readonly KEY_ENCRYPTION_KEYS: KeyRing
    /** Of a key provider, by key system. */
    readonly DRM_LICENCE_URLS: Readonly<Record<string, string>>
  }
}

const PREFLIGHT_SECONDS = 86_400

const url = `${PLAY_PREFIX}/*`
const config = { operation: 'play', isPublic: true } as const

export function registerPlaybackRoutes(http: FastifyInstance, playback: Playback): void {
  const { KEY_ENCRYPTION_KEYS: keyRing } = playback.config
  const library = { cache: new ManifestCache(), keyRing }
  const delivery = openKeyDelivery()
  const viewers = new Viewers()
  http.route({
    method: ['GET', 'HEAD'],
    url,
    config,
    onRequest: allowEverybody,
    handler: async (request, reply) => {
      const { path, address } = askedFor(request)
      const viewer = await admitViewer(playback.door, path, request)
      const db = playback.database.forOrganization(viewer.organizationId)
      try {
        if (address.kind === 'object') {
          viewers.admit(viewer.organizationId, reply.raw)
          return await sendPiece(playback, db, { viewer, ...address }, request, reply)
        }
        if (address.kind === 'licence') throw nothingToPlay()
        if (address.kind === 'key' || address.kind === 'content-key') {
          await delivery.count(viewer, request.ip)
          const { kind: _, ...which } = address
          const key =
            'period' in which
              ? await readAesKey(keyRing, db, viewer, which.period)
              : await readContentKey(keyRing, db, viewer, which.kid)
          if (request.method === 'GET') delivery.audit(viewer, which, request.log)
          return await sendKey(key, request, reply)
        }
        const send = isDocument(address)
          ? await documentFor(db, viewer, address, playback.config.DRM_LICENCE_URLS)
          : await manifestFor(library, db, viewer, address)
        const isOnce = viewer.pass !== 'open' && viewer.pass.once
        if (isOnce) return await sendOnward(playback.passes, db, viewer, path, request, reply)
        return send(request, reply)
      } catch (error) {
        throw asRefusal(error, request.log)
      }
    },
  })
  registerLicenceRoute(http, {
    ...{ url, config, onRequest: allowEverybody },
    grant: async (request, body) => {
      const { path, address } = askedFor(request)
      if (address.kind !== 'licence') throw nothingToPlay()
      const viewer = await admitViewer(playback.door, path, request)
      const db = playback.database.forOrganization(viewer.organizationId)
      await delivery.count(viewer, request.ip)
      try {
        const licence = await grantLicence(keyRing, db, viewer, body)
        for (const { kid } of licence.keys) delivery.audit(viewer, { kid }, request.log)
        return licence
      } catch (error) {
        throw asRefusal(error, request.log)
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

/** An edge that keeps pieces asks here about every viewer; what it is answered, it gives on with the piece. */
function registerAccessRoute(http: FastifyInstance, { database, door }: Playback): void {
  const edge = new EdgeAccess(database)
  http.route({
    method: 'GET',
    url: `${ACCESS_PREFIX}/*`,
    config: { operation: 'playAccess', isPublic: true },
    handler: async (request, reply) => {
      const path = playPathOf((request.params as { '*': string })['*'])
      if (path?.name !== '') throw nothingHere()
      const viewer = await admitViewer(door, path, request)
      await edge.assertMayHave(viewer)
      const { 'Cache-Control': caching } = pieceCaching(leftOf(viewer))
      return reply.header('X-Piece-Caching', caching).status(204).send()
    },
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

function askedFor(request: FastifyRequest): { path: PlayPath; address: PlayAddress } {
  const path = playPathOf((request.params as { '*': string })['*'])
  const address = path && playAddressOf(path.name)
  if (!path || !address) throw nothingHere()
  return { path, address }
}

const nothingHere = () => refused('not_found', 'There is nothing to play at this address.')

/** Refuses all but those whose pass lets them have it. */
function admitViewer(door: PlaybackDoor, path: PlayPath, request: FastifyRequest): Promise<Viewer> {
  const { origin, referer } = request.headers
  return door.admit({ ...path, page: { origin, referer }, ip: request.ip })
}

const leftOf = (viewer: Viewer) => secondsLeft(viewer, Date.now() / 1000)

/** Where to go on from a pass that is good for one step: from here up to the pass, whatever stands before it, and down again. */
async function sendOnward(
  passes: ServicePasses,
  db: OrganizationDb,
  viewer: Viewer,
  { pass, organizationId, assetId, name }: PlayPath,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const onward = await beginOnce(passes, db, viewer, { pass, isGet: request.method === 'GET' })
  return reply.redirect(`../../../${onward}/${organizationId}/${assetId}/${name}`, 302)
}

async function manifestFor(
  library: Library,
  db: OrganizationDb,
  viewer: Viewer,
  address: ManifestAddress,
) {
  const manifest = await readManifest(library, db, viewer, address)
  return (request: FastifyRequest, reply: FastifyReply) =>
    sendManifest({ ...manifest, viewer, address }, request, reply)
}

type SentManifest = Manifest & {
  readonly viewer: Viewer
  readonly address: ManifestAddress
}

function sendManifest(
  { text, etag, mayGrow, viewer, address }: SentManifest,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  reply.headers(manifestCaching(leftOf(viewer), mayGrow)).header('ETag', etag)
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

/** Nobody keeps it on the way. */
function sendKey(key: Buffer, request: FastifyRequest, reply: FastifyReply) {
  reply
    .header('Content-Type', 'application/octet-stream')
    .header('Cache-Control', 'no-store')
    .header('Content-Length', key.length)
  return request.method === 'HEAD' ? reply.send() : reply.send(key)
}

type AskedPiece = Piece & { readonly type: string }

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
    return reply
      .headers(pieceCaching(leftOf(piece.viewer)))
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
  return asPiece(reply, piece, found.etag).header('Content-Length', found.bytes).send(found.body)
}

const asPiece = (reply: FastifyReply, { type, viewer }: AskedPiece, etag: string) =>
  reply
    .headers(pieceCaching(leftOf(viewer)))
    .header('Content-Type', type)
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
