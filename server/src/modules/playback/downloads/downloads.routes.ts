import { downloads as contract } from '@reelkeep/contract'
import type { FastifyReply } from 'fastify'
import type { AssetId } from '../../../kernel/ids.ts'
import { assertScope } from '../../../platform/http/access/principal.ts'
import { type Api, route } from '../../../platform/http/route.ts'
import type { MediaBucket } from '../../../platform/storage/media-bucket.ts'
import type { UploadsBucket } from '../../../platform/storage/uploads-bucket.ts'
import { downloadExpiry, type TokenIssuer } from '../../playback-tokens/playback-tokens.ts'
import { disconnectAfter, sendingSecondsMax, untilDisconnected } from '../delivery/viewers.ts'
import { knownEtagsOf, type PlaybackRequest } from '../playback-request.ts'
import type { DownloadLimit } from './download-limit.ts'
import { attachment, noResolutionOfSource, rangeOf } from './downloads.rules.ts'
import { describeMp4, openMp4, requireRendition, requireSourceFile } from './downloads.ts'

type Links = {
  readonly uploads: { readonly bucket: UploadsBucket }
  readonly tokenIssuer: TokenIssuer
  /** Base URL of all playback URLs. */
  readonly playbackUrl: string
}

export function registerDownloadRoutes(api: Api, { uploads, tokenIssuer, playbackUrl }: Links): void {
  route(api, contract.createDownload, async ({ db, principal, params, body }) => {
    const assetId = params.asset_id as AssetId
    const lifetimeSeconds = body.expires_in_seconds ?? contract.LIFETIME_SECONDS_DEFAULT
    const { exp, secondsLeft } = downloadExpiry(principal, lifetimeSeconds, new Date())
    const shared = { kind: body.kind, expires_at: new Date(exp * 1000).toISOString() }
    if (body.kind === 'source') {
      assertScope(principal, 'source:read')
      if (body.resolution !== undefined) throw noResolutionOfSource()
      const { source, fileName } = await requireSourceFile(db, assetId)
      const url = await uploads.bucket.signDownload(source, {
        disposition: attachment(fileName),
        seconds: secondsLeft,
      })
      return { ...shared, resolution: null, url, file_name: fileName }
    }
    const { rendition, fileName } = await requireRendition(db, assetId, body.resolution)
    const { organizationId } = db
    const file = `${rendition}.mp4`
    const token = tokenIssuer.forDownload(principal, { organizationId, assetId, file }, exp)
    const url = `${playbackUrl}/${token}/${organizationId}/${assetId}/${file}`
    return { ...shared, resolution: rendition as contract.Download['resolution'], url, file_name: fileName }
  })
}

/** Sends a rendition as MP4, or a range of it. */
export async function sendDownload(
  { media, limit }: { readonly media: MediaBucket; readonly limit: DownloadLimit },
  { viewer, db, request, reply }: PlaybackRequest,
  rendition: string,
): Promise<FastifyReply> {
  const { organizationId, assetId } = viewer
  const isGet = request.method === 'GET'
  if (isGet) limit.admit(organizationId, reply.raw)
  const signal = untilDisconnected(reply.raw)
  const file = await describeMp4(media, db, assetId, rendition, signal)
  reply
    .header('Content-Type', 'video/mp4')
    .header('Content-Disposition', attachment(file.fileName))
    .header('Accept-Ranges', 'bytes')
    .header('ETag', file.etag)
    .header('Cache-Control', 'private, no-store')
    // Disables buffering in nginx, which would otherwise store the file on its disk.
    .header('X-Accel-Buffering', 'no')
  if (knownEtagsOf(request).includes(file.etag)) return reply.status(304).send()
  if (!isGet) return reply.header('Content-Length', file.bytes).send()
  const { range: header, 'if-range': condition = file.etag } = request.headers
  const range = condition === file.etag ? rangeOf(header, file.bytes) : undefined
  if (range === 'outside') return reply.header('Content-Range', `bytes */${file.bytes}`).status(416).send()
  if (range) reply.header('Content-Range', `bytes ${range.start}-${range.end - 1}/${file.bytes}`).status(206)
  const { start, end } = range ?? { start: 0, end: file.bytes }
  disconnectAfter(reply.raw, sendingSecondsMax(end - start))
  const body = openMp4(media, db, { assetId, file, range: { start, end } }, signal)
  return reply.header('Content-Length', end - start).send(body)
}
