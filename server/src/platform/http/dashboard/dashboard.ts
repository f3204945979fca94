import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { refused } from '../../../kernel/errors.ts'
import { openStaticFiles, sendStaticFile } from '../responses/static-files.ts'

/** The pages of the dashboard. All are the same document, whose script reads the address. */
const pages = ['/', '/sign-in', '/invitation', '/recovery', '/account']

/** Its files load nothing from other origins and contain no inline code or styles. */
const DASHBOARD_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ')

/**
 * The dashboard at `/`. Clients that do not accept HTML get the 404 of an unknown path. If it is not built,
 * browsers are redirected to the documentation.
 */
export function registerDashboard(http: FastifyInstance, folder: string): void {
  const files = openStaticFiles(folder, 'static')
  const sendPage = async (request: FastifyRequest, reply: FastifyReply) => {
    reply.header('Vary', 'Accept')
    if (!request.headers.accept?.includes('text/html')) return reply.callNotFound()
    const page = await files.find('index.html')
    if (!page) return reply.redirect('/docs/', 302)
    return sendStaticFile(page, DASHBOARD_POLICY, request, reply)
  }
  for (const path of pages) http.get(path, sendPage)
  http.get<{ Params: { '*': string } }>('/static/*', async (request, reply) => {
    const file = await files.find(`static/${request.params['*']}`)
    if (!file?.isImmutable) throw refused('not_found', 'This file does not exist.')
    return sendStaticFile(file, DASHBOARD_POLICY, request, reply)
  })
}
