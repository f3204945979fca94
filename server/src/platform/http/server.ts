import { isUtf8 } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { type AnyOperation, API_PREFIX } from '@reelkeep/contract'
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
  fastify,
  LogController,
} from 'fastify'
import { refused } from '../../kernel/errors.ts'
import type { Logger } from '../observability/logger.ts'
import type { RequestMetrics } from '../observability/metrics.ts'
import { awaitFirstBytes } from './first-byte.ts'
import { giveLastCallOnClose } from './last-call.ts'
import {
  BODY_BYTES_MAX,
  KEEP_ALIVE_SECONDS,
  PATH_PARAMETER_LENGTH_MAX,
  REQUEST_TIMEOUT_SECONDS,
} from './limits.ts'
import { hangUp, sendProblem } from './problem.ts'
import { countRequests } from './request-counting.ts'
import { requestFacts } from './request-log.ts'

export type HttpServerOptions = {
  readonly logger: Logger
  readonly metrics: RequestMetrics
  readonly docsUrl: string
  readonly trustedProxyHops: number
  /** True once the process has been told to stop. */
  readonly isStopping: () => boolean
}

/** A caller's own request id is kept if it is short and plain, so that logs on both sides can be joined. */
const requestIdForm = /^[\w-]{8,64}$/

/** An HTTP server with our manners: limits, request ids, one log line an answer, one shape of error. */
export function openHttpServer(options: HttpServerOptions): FastifyInstance {
  const http = fastify({
    loggerInstance: options.logger as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    // Our lines name the request themselves; a logger of its own for each request would cost more than they do.
    childLoggerFactory: (logger) => logger,
    bodyLimit: BODY_BYTES_MAX,
    requestTimeout: REQUEST_TIMEOUT_SECONDS * 1000,
    // Node looks every 30 s by default, and a slow request would last up to a minute.
    http: { connectionsCheckingInterval: 1000 },
    keepAliveTimeout: KEEP_ALIVE_SECONDS * 1000,
    trustProxy: (_, hop) => hop < options.trustedProxyHops,
    // A request that reaches us while we drain is still served; it only learns to go elsewhere next.
    return503OnClosing: false,
    // An address that cannot be read names nothing.
    frameworkErrors: (_, request, reply) => {
      void sendProblem(nothingAt(request), request, reply, options.docsUrl)
    },
    clientErrorHandler: (error, socket) => hangUp(error, socket as Socket, options.docsUrl),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: PATH_PARAMETER_LENGTH_MAX },
    genReqId: ({ headers }) => {
      const given = headers['x-request-id']
      return typeof given === 'string' && requestIdForm.test(given) ? given : randomUUID()
    },
  })
  takeJsonOnly(http)
  giveLastCallOnClose(http)
  http.addHook('onRequest', (request, reply, done) => {
    reply.header('X-Request-Id', request.id)
    reply.header('Cache-Control', 'no-store')
    reply.header('X-Content-Type-Options', 'nosniff')
    done()
  })
  awaitFirstBytes(http)
  // Said with the answer, not with the request: a stop may come in between.
  http.addHook('onSend', (_request, reply, payload, done) => {
    if (options.isStopping()) reply.header('Connection', 'close')
    done(null, payload)
  })
  countRequests(http, options.metrics)
  http.addHook('onResponse', (request, reply, done) => {
    const { operation = 'none', isPublic } = request.routeOptions.config
    // Probes, pages and pieces of videos are not worth a line unless something is wrong with them.
    const isOrdinary = operation === 'none' || isPublic
    const level = isOrdinary && reply.statusCode < 400 ? 'debug' : 'info'
    options.logger[level]({
      ...requestFacts(request),
      operation,
      method: request.method,
      status: reply.statusCode,
      code: request.problemCode,
      milliseconds: Math.round(reply.elapsedTime * 10) / 10,
      token_id: request.principal?.tokenId,
    })
    done()
  })
  http.setErrorHandler((error, request, reply) =>
    sendProblem(error, request, reply, options.docsUrl),
  )
  http.setNotFoundHandler((request, reply) =>
    sendProblem(nothingAt(request), request, reply, options.docsUrl),
  )
  return http
}

/** Bodies are JSON in UTF-8. Other bytes would be stored as replacement characters, which nobody meant. */
function takeJsonOnly(http: FastifyInstance): void {
  // A field named __proto__ is refused by name like every unknown field, not silently dropped.
  const parse = http.getDefaultJsonParser('ignore', 'ignore')
  http.removeAllContentTypeParsers()
  http.addContentTypeParser<Buffer>(
    'application/json',
    { parseAs: 'buffer' },
    (request, body, done) => {
      // Some clients name the type of a body that they do not send.
      if (body.length === 0) return done(null, undefined)
      if (isUtf8(body)) return parse(request, body.toString(), done)
      done(refused('malformed_json', 'The body is not UTF-8.'))
    },
  )
}

const nothingAt = ({ method, url }: FastifyRequest) =>
  refused('not_found', `There is nothing at ${method} ${pathOf(url)}. The reference is at /docs/.`)

/** A known address with a method it does not take is answered 405 and told which ones it takes. */
export function refuseOtherMethods(
  http: FastifyInstance,
  operations: readonly AnyOperation[],
): void {
  const known = Map.groupBy(operations, ({ path }) => path)
  for (const [path, [...onPath]] of known) {
    const taken = new Set<string>(onPath.map(({ method }) => method))
    const others = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].filter(
      (method) => !taken.has(method),
    )
    const allow = [...taken].join(', ')
    http.route({
      method: others,
      url: `${API_PREFIX}${path}`,
      exposeHeadRoute: false,
      handler: (_, reply) => {
        reply.header('Allow', allow)
        throw refused('method_not_allowed', `This address takes ${allow}.`)
      },
    })
  }
}

const pathOf = (url: string) => url.split('?', 1)[0]
