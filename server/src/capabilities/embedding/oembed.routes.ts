/** oEmbed (oembed.com): a site that is given the address of one of our pages asks here how to show it. */
import type { FastifyInstance, FastifyReply } from 'fastify'
import { frameHtml } from './embed-page.rules.ts'
import {
  embedUrl,
  frameSize,
  noSuchVideo,
  type ShownVideo,
  type Size,
  type Viewing,
  viewingOf,
} from './embedding.rules.ts'
import { type Embedding, lookAt } from './embedding.ts'

const config = { operation: 'oembed', isPublic: true } as const

/** A pass with every rule at its bound, and what stands around it. */
const URL_LENGTH_MAX = 8192
const ANSWER_SECONDS = 300

export function registerOembed(http: FastifyInstance, embedding: Embedding): void {
  http.get('/oembed', { config }, async (request, reply) => {
    const asked = request.query as Record<string, unknown>
    reply.header('Access-Control-Allow-Origin', '*')
    if (asked['format'] !== undefined && asked['format'] !== 'json') return refuseFormat(reply)
    const url = String(asked['url'] ?? '')
    const viewing = url.length > URL_LENGTH_MAX ? undefined : viewingOf(url, embedding.publicUrl)
    if (!viewing) throw noSuchVideo()
    const db = embedding.database.forOrganization(viewing.organizationId)
    const sight = await lookAt(db, viewing, embedding)
    // One that is not there looks like one that may not be seen.
    if (sight.kind !== 'shown') throw noSuchVideo()
    reply.header('Cache-Control', `private, max-age=${ANSWER_SECONDS}`)
    return toOembed(embedding.publicUrl, viewing, sight.video, {
      ...sized('width', asked['maxwidth']),
      ...sized('height', asked['maxheight']),
    })
  })
}

/** XML is the other format there is; the specification wants this status of who does not write it. */
const refuseFormat = (reply: FastifyReply) =>
  reply.status(501).type('text/plain; charset=utf-8').send('There is JSON only: format=json.\n')

/** What is no number is no wish. */
function sized(side: keyof Size, text: unknown): Partial<Size> {
  const wish = /^\d{1,5}$/.test(String(text)) ? Number(text) : 0
  return wish > 0 ? { [side]: wish } : {}
}

function toOembed(publicUrl: string, viewing: Viewing, video: ShownVideo, most: Partial<Size>) {
  const { width, height } = frameSize(video, most)
  return {
    version: '1.0',
    type: 'video',
    provider_name: 'Reelkeep',
    provider_url: publicUrl,
    title: video.title,
    html: frameHtml(embedUrl(publicUrl, viewing), video.title, width, height),
    width,
    height,
    ...(video.posterUrl !== null && thumbnail(video.posterUrl, video)),
    cache_age: ANSWER_SECONDS,
  }
}

const thumbnail = (url: string, { width, height }: Size) => ({
  thumbnail_url: url,
  thumbnail_width: width,
  thumbnail_height: height,
})
