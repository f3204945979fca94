import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { beginRequest, endSpan, within } from '../../observability/tracing.ts'

/** Starts a span for each request of an operation; the work for it becomes child spans. */
export function traceRequests(http: FastifyInstance): void {
  http.addHook('onRequest', (request, reply, done) => {
    const { operation, isPublic } = request.routeOptions.config
    // Anonymous clients of public routes must not decide what is traced.
    const from = isPublic ? undefined : request.headers['traceparent']
    // Health checks have no operation and are not traced.
    request.span = operation ? beginRequest(operation, from, ownId(request)) : undefined
    // Ends the span even if the client disconnects.
    if (request.span) reply.raw.once('close', () => end(request, reply))
    done()
  })
  // The span becomes active in preHandler and not in onRequest, because reading the body loses the async context.
  http.addHook('preHandler', ({ span }, _reply, done) => (span ? within(span, done) : done()))
  http.addHook('onSend', (request, reply, payload, done) => {
    // A stream lasts as long as the client reads it, so that time does not belong to the span.
    if (payload instanceof Readable) end(request, reply)
    done(null, payload)
  })
}

/**
 * The request id, if the service generated it. An id from the client may contain any text, so it is only logged, not
 * added to the trace.
 */
const ownId = ({ id, headers }: FastifyRequest) => (headers['x-request-id'] === id ? {} : { request_id: id })

function end({ span, subject, principal }: FastifyRequest, { statusCode }: FastifyReply): void {
  if (!span?.isRecording()) return
  span.setAttributes({
    'http.response.status_code': statusCode,
    organization_id: subject?.organizationId ?? principal?.organizationId,
    asset_id: subject?.assetId,
  })
  endSpan(span, statusCode >= 500)
}
