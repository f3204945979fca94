/** ClearKey license requests. Players send JSON with any content type, from any origin. */
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { LICENSE_REQUEST_BYTES_MAX, type License } from './license.rules.ts'

type LicenseRoute = Pick<RouteOptions, 'url' | 'config' | 'onRequest' | 'onSend'> & {
  /** Checks limits and permissions, and returns the license. */
  readonly grant: (request: FastifyRequest, reply: FastifyReply, body: Buffer) => Promise<License>
}

/** Registers the route in its own scope: all other routes parse JSON by content type and allow larger bodies. */
export function registerLicenseRoute(http: FastifyInstance, { grant, ...route }: LicenseRoute): void {
  void http.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_, body, done) => done(null, body))
    scope.route({
      ...route,
      method: 'POST',
      bodyLimit: LICENSE_REQUEST_BYTES_MAX,
      handler: async (request, reply) => sendLicense(await grant(request, reply, bodyOf(request)), reply),
    })
  })
}

/** The request body; a missing body counts as empty. */
const bodyOf = ({ body }: FastifyRequest) => (Buffer.isBuffer(body) ? body : Buffer.alloc(0))

/** Sends a license, which must not be cached. */
const sendLicense = (license: License, reply: FastifyReply) =>
  reply
    .header('Content-Type', 'application/json; charset=utf-8')
    .header('Cache-Control', 'no-store')
    .send(JSON.stringify(license))
