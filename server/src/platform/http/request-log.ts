/**
 * Lines of the log about a request: by what they name, they are found together, and with what was
 * done for the same asset elsewhere.
 */
import type { FastifyRequest } from 'fastify'
import type { Logger } from '../observability/logger.ts'

/** Undefined is left out of a line. */
export const requestFacts = (request: FastifyRequest) => ({
  request_id: request.id,
  organization_id: request.principal?.organizationId ?? request.subject?.organizationId,
  asset_id: request.subject?.assetId,
  trace_id: request.span?.spanContext().traceId,
})

/** For what is worth a line beside that of its answer. */
export const requestLog = (request: FastifyRequest): Pick<Logger, 'info' | 'error'> => ({
  info: (facts: object, message?: string) =>
    request.log.info({ ...requestFacts(request), ...facts }, message),
  error: (facts: object, message?: string) =>
    request.log.error({ ...requestFacts(request), ...facts }, message),
})
