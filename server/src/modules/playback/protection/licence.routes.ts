/** ClearKey license requests. Players send JSON with any content type, from any origin. */
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { LICENCE_REQUEST_BYTES_MAX, type Licence } from './licence.rules.ts'

type LicenceRoute = Pick<RouteOptions, 'url' | 'config' | 'onRequest' | 'onSend'> & {
  /** Checks limits and permissions, and returns the license. */
  readonly grant: (request: FastifyRequest, reply: FastifyReply, body: Buffer) => Promise<Licence>
}

/** Registers the route in its own scope: all other routes parse JSON by content type and allow larger bodies. */
export function registerLicenceRoute(http: FastifyInstance, { grant, ...route }: LicenceRoute): void {
  void http.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_, body, done) => done(null, body))
    scope.route({
      ...route,
      method: 'POST',
      bodyLimit: LICENCE_REQUEST_BYTES_MAX,
      handler: async (request, reply) => sendLicence(await grant(request, reply, bodyOf(request)), reply),
    })
  })
}

/** The request body; a missing body counts as empty. */
const bodyOf = ({ body }: FastifyRequest) => (Buffer.isBuffer(body) ? body : Buffer.alloc(0))

/** Sends a license, which must not be cached. */
const sendLicence = (licence: Licence, reply: FastifyReply) =>
  reply
    .header('Content-Type', 'application/json; charset=utf-8')
    .header('Cache-Control', 'no-store')
    .send(JSON.stringify(licence))
