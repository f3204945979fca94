import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { refused } from '../../../kernel/errors.ts'
import { openStaticFiles, sendStaticFile } from '../responses/static-files.ts'

/** The pages of the dashboard. All are the same document, whose script reads the address. */
const pages = ['/', '/sign-in', '/invitation', '/recovery', '/account', '/o/*']

export type DashboardOptions = {
  readonly folder: string
  /** URLs of other servers: storage, to which files are uploaded, playback, and license servers of DRM. */
  readonly storageUrl: string
  readonly playbackUrl: string
  readonly licenseUrls: readonly string[]
}

const originOf = (url: string) => new URL(url).origin

/** Its files contain no inline code or styles, and load only videos and pictures from other origins. */
function policyOf({ storageUrl, playbackUrl, licenseUrls }: DashboardOptions): string {
  const videos = originOf(playbackUrl)
  const servers = new Set([originOf(storageUrl), videos, ...licenseUrls.map(originOf)])
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' data: blob: ${videos}`,
    `media-src 'self' blob: ${videos}`,
    "font-src 'self'",
    `connect-src 'self' ${[...servers].join(' ')}`,
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')
}

/**
 * The dashboard at `/`. Clients that do not accept HTML get the 404 of an unknown path. If it is not built,
 * browsers are redirected to the documentation.
 */
export function registerDashboard(http: FastifyInstance, options: DashboardOptions): void {
  const files = openStaticFiles(options.folder, 'static')
  const policy = policyOf(options)
  const sendPage = async (request: FastifyRequest, reply: FastifyReply) => {
    reply.header('Vary', 'Accept')
    if (!request.headers.accept?.includes('text/html')) return reply.callNotFound()
    const page = await files.find('index.html')
    if (!page) return reply.redirect('/docs/', 302)
    return sendStaticFile(page, policy, request, reply)
  }
  for (const path of pages) http.get(path, sendPage)
  http.get<{ Params: { '*': string } }>('/static/*', async (request, reply) => {
    const file = await files.find(`static/${request.params['*']}`)
    if (!file?.isImmutable) throw refused('not_found', 'This file does not exist.')
    return sendStaticFile(file, policy, request, reply)
  })
}
