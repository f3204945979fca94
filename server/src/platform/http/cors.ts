/**
 * CORS for the API: allows the origins that the operator lists. Scripts send the token themselves, so browser
 * credentials are not allowed. Playback routes send their own headers for all origins.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** How long browsers may cache the preflight. */
const PREFLIGHT_SECONDS = 3600

const methods = 'GET, POST, PUT, PATCH, DELETE'
const requestHeaders = 'Authorization, Content-Type, Idempotency-Key, If-Match, Last-Event-ID, X-Request-Id'
const responseHeaders =
  'X-Request-Id, Retry-After, Idempotency-Replayed, RateLimit, RateLimit-Policy, Allow, Content-Disposition, ETag'

/** Adds CORS headers to all responses, including errors, so that scripts can read them. */
export function allowOrigins(http: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return
  const allowed = new Set(origins)
  http.addHook('onRequest', (request, reply, done) => {
    if (request.routeOptions.config.isPublic) return done()
    reply.header('Vary', 'Origin')
    const { origin } = request.headers
    if (origin === undefined || !allowed.has(origin)) return done()
    reply.header('Access-Control-Allow-Origin', origin)
    reply.header('Access-Control-Expose-Headers', responseHeaders)
    if (request.is404 || !isPreflight(request)) return done()
    // Responds to a preflight before authentication, because browsers send no token with it.
    reply.header('Access-Control-Allow-Methods', methods)
    reply.header('Access-Control-Allow-Headers', requestHeaders)
    reply.header('Access-Control-Max-Age', String(PREFLIGHT_SECONDS))
    void reply.status(204).send()
  })
}

const isPreflight = ({ method, headers }: FastifyRequest) =>
  method === 'OPTIONS' && headers['access-control-request-method'] !== undefined
