/**
 * Where players ask for ClearKey licences. They send JSON under whatever type they think fit, from
 * pages of any origin.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { LICENCE_REQUEST_BYTES_MAX, type Licence } from './licence.rules.ts'

type LicenceRoute = Pick<RouteOptions, 'url' | 'config' | 'onRequest' | 'onSend'> & {
  /** Counts, decides, and answers what may be had. */
  readonly grant: (request: FastifyRequest, body: Buffer) => Promise<Licence>
}

/** In a scope of its own: everywhere else a body is JSON by its type, and may be larger. */
export function registerLicenceRoute(
  http: FastifyInstance,
  { grant, ...route }: LicenceRoute,
): void {
  void http.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_, body, done) => done(null, body))
    scope.route({
      ...route,
      method: 'POST',
      bodyLimit: LICENCE_REQUEST_BYTES_MAX,
      handler: async (request, reply) => sendLicence(await grant(request, bodyOf(request)), reply),
    })
  })
}

/** Nothing is sent as nothing. */
const bodyOf = ({ body }: FastifyRequest) => (Buffer.isBuffer(body) ? body : Buffer.alloc(0))

/** Nobody keeps it on the way. */
const sendLicence = (licence: Licence, reply: FastifyReply) =>
  reply
    .header('Content-Type', 'application/json; charset=utf-8')
    .header('Cache-Control', 'no-store')
    .send(JSON.stringify(licence))
