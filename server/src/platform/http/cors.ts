/**
 * Pages of other origins may call the API if the operator lists them. A token is sent by the page's
 * own script, never by the browser by itself, so credentials in the browser's sense are not
 * allowed. What viewers fetch is none of the API: it is anybody's, and says so by itself.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** How long a browser may remember that a page is allowed. */
const PREFLIGHT_SECONDS = 3600

const methods = 'GET, POST, PUT, PATCH, DELETE'
const requestHeaders = 'Authorization, Content-Type, Idempotency-Key, Last-Event-ID, X-Request-Id'
const answerHeaders =
  'X-Request-Id, Retry-After, Idempotency-Replayed, RateLimit, RateLimit-Policy, Allow, Content-Disposition'

/** Errors are answered with the same headers: a page that cannot read one cannot tell what to do. */
export function allowOrigins(http: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return
  const allowed = new Set(origins)
  http.addHook('onRequest', (request, reply, done) => {
    if (request.routeOptions.config.isPublic) return done()
    reply.header('Vary', 'Origin')
    const { origin } = request.headers
    if (origin === undefined || !allowed.has(origin)) return done()
    reply.header('Access-Control-Allow-Origin', origin)
    reply.header('Access-Control-Expose-Headers', answerHeaders)
    if (request.is404 || !isPreflight(request)) return done()
    // Answered before anybody asks for a token: browsers send none with this question.
    reply.header('Access-Control-Allow-Methods', methods)
    reply.header('Access-Control-Allow-Headers', requestHeaders)
    reply.header('Access-Control-Max-Age', String(PREFLIGHT_SECONDS))
    void reply.status(204).send()
  })
}

const isPreflight = ({ method, headers }: FastifyRequest) =>
  method === 'OPTIONS' && headers['access-control-request-method'] !== undefined
