/** oEmbed (oembed.com): returns the embed code for the URL of an embed page. */
import type { FastifyInstance, FastifyReply } from 'fastify'
import { frameHtml } from './embed-page.rules.ts'
import {
  type EmbedRequest,
  embedRequestOf,
  embedUrl,
  frameSize,
  noSuchVideo,
  type ShownVideo,
  type Size,
} from './embedding.rules.ts'
import { type Embedding, findVisibleVideo } from './embedding.ts'
import { PictureSizes } from './picture-sizes.ts'

const config = { operation: 'oembed', isPublic: true } as const

/** Maximum length of a URL. A URL with the longest possible playback token is shorter. */
const URL_LENGTH_MAX = 8192
const CACHE_SECONDS = 300

export function registerOembed(http: FastifyInstance, embedding: Embedding): void {
  const pictures = new PictureSizes(embedding.media)
  http.get('/oembed', { config }, async (request, reply) => {
    const query = request.query as Record<string, unknown>
    reply.header('Access-Control-Allow-Origin', '*')
    if (query['format'] !== undefined && query['format'] !== 'json') return rejectFormat(reply)
    const url = String(query['url'] ?? '')
    const embed = url.length > URL_LENGTH_MAX ? undefined : embedRequestOf(url, embedding.publicUrl)
    if (!embed) throw noSuchVideo()
    const db = embedding.database.forRequest(embed.organizationId)
    const visibility = await embedding.publicRequests.run(
      { request, reply, video: embed },
      () => findVisibleVideo(db, embed, embedding),
      ({ kind }) => kind !== 'shown',
    )
    // Hidden and missing videos get the same error.
    if (visibility.kind !== 'shown') throw noSuchVideo()
    reply.header('Cache-Control', `private, max-age=${CACHE_SECONDS}`)
    const { video } = visibility
    const max = { ...sized('width', query['maxwidth']), ...sized('height', query['maxheight']) }
    const size = video.posterKey === null ? undefined : await pictures.find(video.posterKey, request.log)
    return { ...toOembed(embedding.publicUrl, embed, video, max), ...(size && thumbnail(video.posterUrl, size)) }
  })
}

/** The specification requires 501 for unsupported formats such as XML. */
const rejectFormat = (reply: FastifyReply) =>
  reply.status(501).type('text/plain; charset=utf-8').send('Only format=json is supported.\n')

/** Ignores a `maxwidth` or `maxheight` that is not a positive number. */
function sized(side: keyof Size, text: unknown): Partial<Size> {
  const pixels = /^\d{1,5}$/.test(String(text)) ? Number(text) : 0
  return pixels > 0 ? { [side]: pixels } : {}
}

function toOembed(publicUrl: string, embed: EmbedRequest, video: ShownVideo, max: Partial<Size>) {
  const { width, height } = frameSize(video, max)
  return {
    version: '1.0',
    type: 'video',
    provider_name: 'Reelkeep',
    provider_url: publicUrl,
    title: video.title,
    html: frameHtml(embedUrl(publicUrl, embed), video.title, width, height),
    width,
    height,
    cache_age: CACHE_SECONDS,
  }
}

const thumbnail = (url: string | null, { width, height }: Size) => ({
  thumbnail_url: url,
  thumbnail_width: width,
  thumbnail_height: height,
})
