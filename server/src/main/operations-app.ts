import { type FastifyInstance, fastify } from 'fastify'
import { registerHealth } from '../platform/http/health.ts'
import type { BaseContext } from './context.ts'

/** Health and metrics on a port of their own, for the operator's network. */
export function buildOperationsApp(context: BaseContext): FastifyInstance {
  const { metrics } = context
  const http = fastify()
  registerHealth(http, context)
  http.get('/metrics', async (_, reply) =>
    reply.header('Content-Type', metrics.contentType).send(await metrics.exposition()),
  )
  return http
}
