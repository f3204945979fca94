/** Log lines about a request, with common fields for correlation. */
import type { FastifyRequest } from 'fastify'
import type { Logger } from '../../observability/logger.ts'

/** Log fields that identify a request; undefined fields are omitted. */
export const requestLogFields = (request: FastifyRequest) => ({
  request_id: request.id,
  organization_id: request.principal?.organizationId ?? request.subject?.organizationId,
  asset_id: request.subject?.assetId,
  trace_id: request.span?.spanContext().traceId,
})

/** Logger for further log lines about a request, in addition to the one per response. */
export const requestLog = (request: FastifyRequest): Pick<Logger, 'info' | 'error'> => ({
  info: (fields: object, message?: string) => request.log.info({ ...requestLogFields(request), ...fields }, message),
  error: (fields: object, message?: string) => request.log.error({ ...requestLogFields(request), ...fields }, message),
})
