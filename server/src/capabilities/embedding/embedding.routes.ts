/**
 * The hosted page, the files of the player, and how other sites learn to show it. Nobody needs a
 * token of the API, and no cookie is set.
 */
import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { notNow } from '../../kernel/errors.ts'
import { type AssetId, isOrganizationId } from '../../kernel/ids.ts'
import { PAGE_STYLE, writePage } from './embed-page.rules.ts'
import {
  contentPolicy,
  EMBED_PREFIX,
  FILES_PREFIX,
  noSuchVideo,
  OPEN,
  type Origins,
  playFolder,
  type ShownVideo,
  type Viewing,
} from './embedding.rules.ts'
import { type Embedding, lookAt, readEmbedOrigins } from './embedding.ts'
import { registerOembed } from './oembed.routes.ts'
import type { PlayerFile } from './player-files.ts'

const config = { operation: 'embed', isPublic: true } as const

export function registerEmbeddingRoutes(http: FastifyInstance, embedding: Embedding): void {
  http.get(`${EMBED_PREFIX}/:organization_id/:asset_id/`, { config }, (request, reply) =>
    sendPage(embedding, viewingOf(request), reply),
  )
  http.get(`${FILES_PREFIX}/:file`, { config }, (request, reply) => {
    const { file: name } = request.params as { file: string }
    const file = embedding.player.files.get(name)
    if (!file) throw noSuchVideo()
    return sendFile(file, request, reply)
  })
  registerOembed(http, embedding)
}

const assetIdForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

function viewingOf(request: FastifyRequest): Viewing {
  const params = request.params as { organization_id: string; asset_id: string }
  const { organization_id: organizationId, asset_id: assetId } = params
  if (!isOrganizationId(organizationId) || !assetIdForm.test(assetId)) throw noSuchVideo()
  const { token } = request.query as { token?: unknown }
  const pass = typeof token === 'string' && token !== '' ? token : OPEN
  return { organizationId, assetId: assetId as AssetId, pass }
}

const styleHash = createHash('sha256').update(PAGE_STYLE).digest('base64')

/** What of an open video is told may be told for so long. */
const PAGE_SECONDS = 60

async function sendPage(embedding: Embedding, viewing: Viewing, reply: FastifyReply) {
  const { publicUrl, playbackUrl, player } = embedding
  if (player.pageScript === undefined) throw notBuilt()
  const db = embedding.database.forOrganization(viewing.organizationId)
  const sight = await lookAt(db, viewing, embedding)
  const video = sight.kind === 'shown' ? sight.video : undefined
  const origins = await readEmbedOrigins(db)
  const isOpen = video !== undefined && viewing.pass === OPEN
  reply
    .header('Content-Type', 'text/html; charset=utf-8')
    .header('Content-Security-Policy', contentPolicy(embedding, origins, styleHash))
    // The videos are to see whose page asks for them, and nobody the pass in its address.
    .header('Referrer-Policy', 'strict-origin')
    .header('Cache-Control', isOpen ? `public, max-age=${PAGE_SECONDS}` : 'no-store')
  if (!isOpen) reply.header('X-Robots-Tag', 'noindex')
  // The player says in words what this says to machines.
  if (sight.kind === 'missing') reply.status(404)
  return reply.send(page({ publicUrl, playbackUrl, viewing, video, script: player.pageScript }))
}

const page = (
  given: Omit<Origins, 'licenceUrls'> & {
    viewing: Viewing
    video: ShownVideo | undefined
    script: string
  },
) =>
  writePage({
    publicUrl: given.publicUrl,
    viewing: given.viewing,
    playFolder: playFolder(given.playbackUrl, { ...given.viewing, pass: '{pass}' }),
    scriptName: given.script,
    video: given.video,
  })

const notBuilt = () =>
  notNow('unavailable', 'The player is not built on this server: run `pnpm build:player`.', 60)

const FOR_EVER = 'public, max-age=31536000, immutable'
const SOON_AGAIN = 'public, max-age=300'

function sendFile(file: PlayerFile, request: FastifyRequest, reply: FastifyReply) {
  const taken = request.headers['accept-encoding'] ?? ''
  reply
    .header('Content-Type', 'text/javascript; charset=utf-8')
    .header('Cache-Control', file.isImmutable ? FOR_EVER : SOON_AGAIN)
    .header('Vary', 'Accept-Encoding')
    // Any page may use the element.
    .header('Access-Control-Allow-Origin', '*')
    .header('Cross-Origin-Resource-Policy', 'cross-origin')
  if (file.brotli && /\bbr\b/.test(taken)) {
    return reply.header('Content-Encoding', 'br').send(file.brotli)
  }
  if (file.gzip && /\bgzip\b/.test(taken)) {
    return reply.header('Content-Encoding', 'gzip').send(file.gzip)
  }
  return reply.send(file.plain)
}
