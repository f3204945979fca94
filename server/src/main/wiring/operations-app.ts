import { type FastifyInstance, fastify } from 'fastify'
import { cacheResults } from '../../diagnostics/cached-results.ts'
import type { Check } from '../../diagnostics/checks.ts'
import { registerHealth } from '../../platform/http/health.ts'
import { PATH_PARAMETER_LENGTH_MAX } from '../../platform/http/limits.ts'
import type { BaseContext } from './context.ts'

/** Health, metrics and diagnostics on a separate port, for the operator's network. */
export function buildOperationsApp(context: BaseContext, checks: readonly Check[]): FastifyInstance {
  const { metrics } = context
  // The secret in the notification URL is longer than the router's default limit for a path parameter.
  const http = fastify({ routerOptions: { maxParamLength: PATH_PARAMETER_LENGTH_MAX } })
  registerHealth(http, context)
  http.get('/metrics', async (_, reply) =>
    reply.header('Content-Type', metrics.contentType).send(await metrics.exposition()),
  )
  const runCached = cacheResults(checks)
  http.get('/doctor', async () => ({ results: await runCached() }))
  return http
}
