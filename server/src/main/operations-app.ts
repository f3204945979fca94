import { type FastifyInstance, fastify } from 'fastify'
import type { Examination } from '../platform/doctor/finding.ts'
import { keepFindings } from '../platform/doctor/kept-findings.ts'
import { registerHealth } from '../platform/http/health.ts'
import { PATH_PARAMETER_LENGTH_MAX } from '../platform/http/limits.ts'
import type { BaseContext } from './context.ts'

/** Health, metrics and what is wrong, on a port of their own, for the operator's network. */
export function buildOperationsApp(
  context: BaseContext,
  examinations: readonly Examination[],
): FastifyInstance {
  const { metrics } = context
  // The secret in storage's address is longer than a router lets a part of an address be by itself.
  const http = fastify({ routerOptions: { maxParamLength: PATH_PARAMETER_LENGTH_MAX } })
  registerHealth(http, context)
  http.get('/metrics', async (_, reply) =>
    reply.header('Content-Type', metrics.contentType).send(await metrics.exposition()),
  )
  const findings = keepFindings(examinations)
  http.get('/doctor', async () => ({ findings: await findings() }))
  return http
}
