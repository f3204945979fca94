import type { FastifyInstance, FastifyReply } from 'fastify'

const HSTS = 'max-age=31536000'

/** For a page without a policy of its own: it may have an inline style and loads nothing. */
const STRICT_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/**
 * Adds security headers: `Strict-Transport-Security` to every response if clients use https, and to every HTML page
 * the headers that isolate it from other sites. Public pages (the embed page) can be framed by other sites and send a
 * policy of their own.
 */
export function addSecurityHeaders(http: FastifyInstance, publicUrl: string): void {
  if (publicUrl.startsWith('https:')) {
    http.addHook('onRequest', (_, reply, done) => {
      reply.header('Strict-Transport-Security', HSTS)
      done()
    })
  }
  http.addHook('onSend', (request, reply, payload, done) => {
    if (isPage(reply)) protectPage(reply, request.routeOptions.config.isPublic ?? false)
    done(null, payload)
  })
}

const isPage = (reply: FastifyReply) => String(reply.getHeader('Content-Type')).startsWith('text/html')

function protectPage(reply: FastifyReply, isPublic: boolean): void {
  if (!reply.hasHeader('Content-Security-Policy')) reply.header('Content-Security-Policy', STRICT_POLICY)
  if (!reply.hasHeader('Referrer-Policy')) reply.header('Referrer-Policy', 'same-origin')
  reply.header('Cross-Origin-Resource-Policy', isPublic ? 'cross-origin' : 'same-origin')
  if (isPublic) return
  reply.header('X-Frame-Options', 'DENY')
  reply.header('Cross-Origin-Opener-Policy', 'same-origin')
}
