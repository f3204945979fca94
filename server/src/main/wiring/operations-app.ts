import { type FastifyInstance, fastify, type onRequestHookHandler } from 'fastify'
import { cacheResults } from '../../diagnostics/cached-results.ts'
import type { Check } from '../../diagnostics/checks.ts'
import { isSecret } from '../../platform/crypto/is-secret.ts'
import { tokenInHeader } from '../../platform/http/access/principal.ts'
import { registerLiveness, registerReadiness } from '../../platform/http/health.ts'
import { PATH_PARAMETER_LENGTH_MAX } from '../../platform/http/limits.ts'
import type { BaseContext } from './context.ts'

type OperationsContext = BaseContext & {
  /** Only for the API: how long viewers continue to watch while the database is unavailable. */
  readonly playbackOutageSeconds?: number
}

/**
 * Health, metrics and diagnostics on a separate port, for the operator's network. Probes send no token, so the health
 * checks need none.
 */
export function buildOperationsApp(context: OperationsContext, checks: readonly Check[]): FastifyInstance {
  const { metrics, operationsToken } = context
  const onRequest = requireToken(operationsToken)
  // The secret in the notification URL is longer than the router's default limit for a path parameter.
  const http = fastify({ routerOptions: { maxParamLength: PATH_PARAMETER_LENGTH_MAX } })
  registerLiveness(http)
  registerReadiness(http, context)
  http.get('/metrics', { onRequest }, async (_, reply) =>
    reply.header('Content-Type', metrics.contentType).send(await metrics.exposition()),
  )
  const runCached = cacheResults(checks)
  http.get('/doctor', { onRequest }, async () => ({ results: await runCached() }))
  return http
}

function requireToken(expected: string | undefined): onRequestHookHandler {
  return (request, reply, done) => {
    const given = tokenInHeader(request.headers.authorization) ?? ''
    if (expected === undefined || isSecret(given, expected)) return done()
    void reply
      .status(401)
      .header('WWW-Authenticate', 'Bearer')
      .send('The token is missing or wrong. Send "Authorization: Bearer <OPERATIONS_TOKEN>".\n')
  }
}
