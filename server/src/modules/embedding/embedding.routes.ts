/** The embed page, the files of the player, and oEmbed. They need no API token and set no cookies. */
import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { retryLater } from '../../kernel/errors.ts'
import { type AssetId, isOrganizationId } from '../../kernel/ids.ts'
import { acceptsEncoding } from '../../platform/http/responses/accepted-encoding.ts'
import { readEmbedOrigins } from '../organizations/organizations.ts'
import { PAGE_STYLE, writePage } from './embed-page.rules.ts'
import {
  contentSecurityPolicy,
  EMBED_PREFIX,
  type EmbedRequest,
  FILES_PREFIX,
  noSuchVideo,
  OPEN,
  type Origins,
  playbackFolder,
  type ShownVideo,
} from './embedding.rules.ts'
import { type Embedding, findVisibleVideo } from './embedding.ts'
import { registerOembed } from './oembed.routes.ts'
import type { PlayerFile } from './player-files.ts'

const config = { operation: 'embed', isPublic: true } as const

export function registerEmbeddingRoutes(http: FastifyInstance, embedding: Embedding): void {
  http.get(`${EMBED_PREFIX}/:organization_id/:asset_id/`, { config }, (request, reply) =>
    sendPage(embedding, embedRequestOf(request), { request, reply }),
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

function embedRequestOf(request: FastifyRequest): EmbedRequest {
  const params = request.params as { organization_id: string; asset_id: string }
  const { organization_id: organizationId, asset_id: assetId } = params
  if (!isOrganizationId(organizationId) || !assetIdForm.test(assetId)) throw noSuchVideo()
  const { token: given } = request.query as { token?: unknown }
  const token = typeof given === 'string' && given !== '' ? given : OPEN
  return { organizationId, assetId: assetId as AssetId, token }
}

const styleHash = createHash('sha256').update(PAGE_STYLE).digest('base64')

/** Cache lifetime of the page of an open video. */
const PAGE_SECONDS = 60

async function sendPage(
  embedding: Embedding,
  embed: EmbedRequest,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
) {
  const { publicUrl, playbackUrl, player } = embedding
  if (player.pageScript === undefined) throw notBuilt()
  const db = embedding.database.forRequest(embed.organizationId)
  const visibility = await embedding.publicRequests.run(
    { request, reply, video: embed },
    () => findVisibleVideo(db, embed, embedding),
    ({ kind }) => kind !== 'shown',
  )
  const video = visibility.kind === 'shown' ? visibility.video : undefined
  const origins = await readEmbedOrigins(db)
  const isOpen = video !== undefined && embed.token === OPEN
  reply
    .header('Content-Type', 'text/html; charset=utf-8')
    .header('Content-Security-Policy', contentSecurityPolicy(embedding, origins, styleHash))
    // Send only the origin as referrer: playback requests need it, but the playback token in the page URL must not
    // leak.
    .header('Referrer-Policy', 'strict-origin')
    .header('Cache-Control', isOpen ? `public, max-age=${PAGE_SECONDS}` : 'no-store')
  if (!isOpen) reply.header('X-Robots-Tag', 'noindex')
  // The page is sent despite the status 404, because its player shows a message about the missing video.
  if (visibility.kind === 'missing') reply.status(404)
  return reply.send(page({ publicUrl, playbackUrl, embed, video, script: player.pageScript }))
}

const page = (
  given: Omit<Origins, 'licenseUrls'> & {
    embed: EmbedRequest
    video: ShownVideo | undefined
    script: string
  },
) =>
  writePage({
    publicUrl: given.publicUrl,
    embed: given.embed,
    playbackFolder: playbackFolder(given.playbackUrl, { ...given.embed, token: '{token}' }),
    scriptName: given.script,
    video: given.video,
  })

const notBuilt = () =>
  retryLater('unavailable', 'The player is not built on this server. Run `pnpm --filter @reelkeep/player build`.', 60)

const CACHE_FOREVER = 'public, max-age=31536000, immutable'
const CACHE_BRIEFLY = 'public, max-age=300'

function sendFile(file: PlayerFile, request: FastifyRequest, reply: FastifyReply) {
  reply
    .header('Content-Type', 'text/javascript; charset=utf-8')
    .header('Cache-Control', file.isImmutable ? CACHE_FOREVER : CACHE_BRIEFLY)
    .header('Vary', 'Accept-Encoding')
    // Any page may load the player element.
    .header('Access-Control-Allow-Origin', '*')
    .header('Cross-Origin-Resource-Policy', 'cross-origin')
  if (file.brotli && acceptsEncoding(request, 'br')) {
    return reply.header('Content-Encoding', 'br').send(file.brotli)
  }
  if (file.gzip && acceptsEncoding(request, 'gzip')) {
    return reply.header('Content-Encoding', 'gzip').send(file.gzip)
  }
  return reply.send(file.plain)
}
