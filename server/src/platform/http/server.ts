import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import type { AnyOperation } from '@reelkeep/contract'
import fastJsonStringify, { type Schema } from 'fast-json-stringify'
import { type FastifyBaseLogger, type FastifyInstance, type FastifyRequest, fastify, LogController } from 'fastify'
import { refused } from '../../kernel/errors.ts'
import { lazy } from '../../kernel/lazy.ts'
import type { Logger } from '../observability/logger.ts'
import type { RequestMetrics } from '../observability/metrics.ts'
import { drainOnClose } from './graceful-shutdown.ts'
import { countRequests } from './instrumentation/request-counting.ts'
import { requestLogFields } from './instrumentation/request-log.ts'
import { awaitResponseStart } from './instrumentation/response-start.ts'
import { acceptJsonOnly } from './json-body.ts'
import { BODY_BYTES_MAX, KEEP_ALIVE_SECONDS, PATH_PARAMETER_LENGTH_MAX, REQUEST_TIMEOUT_SECONDS } from './limits.ts'
import { methodFinder, methodNotAllowed } from './methods.ts'
import { sendProblem, sendProtocolError } from './problem.ts'
import { compressResponses } from './responses/compression.ts'

export type HttpServerOptions = {
  readonly logger: Logger
  readonly metrics: RequestMetrics
  readonly docsUrl: string
  readonly trustedProxyHops: number
  /** Operations of the contract, whose paths get 405 for other methods. */
  readonly operations?: readonly AnyOperation[]
  /** True once the process is shutting down. */
  readonly isStopping: () => boolean
}

/** A valid X-Request-Id of the client is used, so that its logs can be correlated with ours. */
const requestIdForm = /^[\w-]{8,64}$/

/** HTTP server with limits, request ids, one log line per response, and problem documents for errors. */
export function openHttpServer(options: HttpServerOptions): FastifyInstance {
  const http = fastify({
    loggerInstance: options.logger as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    // Our log lines have the request id; a child logger per request would cost more.
    childLoggerFactory: (logger) => logger,
    bodyLimit: BODY_BYTES_MAX,
    requestTimeout: REQUEST_TIMEOUT_SECONDS * 1000,
    // Checks request timeouts every second: Node's default of 30 s would let a slow request last up to a minute.
    http: { connectionsCheckingInterval: 1000 },
    keepAliveTimeout: KEEP_ALIVE_SECONDS * 1000,
    trustProxy: (_, hop) => hop < options.trustedProxyHops,
    // Requests during the shutdown are served, with `Connection: close`.
    return503OnClosing: false,
    // A malformed URL is reported as not found.
    frameworkErrors: (_, request, reply) => {
      void sendProblem(notFoundAt(request), request, reply, options.docsUrl)
    },
    clientErrorHandler: (error, socket) => sendProtocolError(error, socket as Socket, options.docsUrl),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: PATH_PARAMETER_LENGTH_MAX },
    genReqId: ({ headers }) => {
      const given = headers['x-request-id']
      return typeof given === 'string' && requestIdForm.test(given) ? given : randomUUID()
    },
  })
  // As in validation.ts, a schema is compiled when it is first used.
  http.setSerializerCompiler(({ schema }) => {
    const serializer = lazy(() => fastJsonStringify(schema as Schema))
    return (response) => serializer()(response)
  })
  acceptJsonOnly(http)
  drainOnClose(http)
  http.addHook('onRequest', (request, reply, done) => {
    reply.header('X-Request-Id', request.id)
    reply.header('Cache-Control', 'no-store')
    reply.header('X-Content-Type-Options', 'nosniff')
    done()
  })
  awaitResponseStart(http)
  // `isStopping` is called when the response is sent, because the shutdown may begin during the request.
  http.addHook('onSend', (_request, reply, payload, done) => {
    if (options.isStopping()) reply.header('Connection', 'close')
    done(null, payload)
  })
  compressResponses(http)
  countRequests(http, options.metrics)
  http.addHook('onResponse', (request, reply, done) => {
    const { operation = 'none', isPublic } = request.routeOptions.config
    // Health checks, pages and media requests are logged at info level only if they fail.
    const isOrdinary = operation === 'none' || isPublic
    const level = isOrdinary && reply.statusCode < 400 ? 'debug' : 'info'
    options.logger[level]({
      ...requestLogFields(request),
      operation,
      method: request.method,
      status: reply.statusCode,
      code: request.problemCode,
      milliseconds: Math.round(reply.elapsedTime * 10) / 10,
      ...principalFields(request.principal),
    })
    done()
  })
  http.setErrorHandler((error, request, reply) => sendProblem(error, request, reply, options.docsUrl))
  const methodsAt = methodFinder(options.operations ?? [])
  http.setNotFoundHandler((request, reply) => {
    const allowed = methodsAt(pathOf(request.url))
    const isKnown = allowed !== undefined && !allowed.includes(request.method)
    const error = isKnown ? methodNotAllowed(reply, allowed) : notFoundAt(request)
    return sendProblem(error, request, reply, options.docsUrl)
  })
  return http
}

const principalFields = (principal: FastifyRequest['principal'] | undefined) =>
  principal && (principal.kind === 'member' ? { member_id: principal.id } : { token_id: principal.id })

const notFoundAt = ({ method, url }: FastifyRequest) =>
  refused('not_found', `${method} ${pathOf(url)} does not exist. See the API reference at /docs/.`)

const pathOf = (url: string) => url.split('?', 1)[0] ?? ''
