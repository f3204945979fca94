import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { beginRequest, endSpan, within } from '../observability/tracing.ts'

/** Each request that names an operation is a span; what is done for it becomes pieces of that. */
export function traceRequests(http: FastifyInstance): void {
  http.addHook('onRequest', (request, reply, done) => {
    const { operation, isPublic } = request.routeOptions.config
    // Anybody may ask for what is public, as often as they like: which of it is traced is not for them to choose.
    const from = isPublic ? undefined : request.headers['traceparent']
    // Probes of health name none.
    request.span = operation ? beginRequest(operation, from, ownId(request)) : undefined
    // Also of those whose caller hangs up.
    if (request.span) reply.raw.once('close', () => end(request, reply))
    done()
  })
  // A body is read outside of any context, so it is entered here and not above.
  http.addHook('preHandler', ({ span }, _reply, done) => (span ? within(span, done) : done()))
  http.addHook('onSend', (request, reply, payload, done) => {
    // It may go on for an hour, as its reader takes it: that is not how long we took.
    if (payload instanceof Readable) end(request, reply)
    done(null, payload)
  })
}

/** One that the caller chose may be any word; the lines of the log have it beside the trace. */
const ownId = ({ id, headers }: FastifyRequest) =>
  headers['x-request-id'] === id ? {} : { request_id: id }

function end({ span, subject, principal }: FastifyRequest, { statusCode }: FastifyReply): void {
  if (!span?.isRecording()) return
  span.setAttributes({
    'http.response.status_code': statusCode,
    organization_id: subject?.organizationId ?? principal?.organizationId,
    asset_id: subject?.assetId,
  })
  endSpan(span, statusCode >= 500)
}
