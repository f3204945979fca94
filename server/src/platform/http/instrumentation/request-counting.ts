/**
 * Request metrics. A request is in flight until its response is sent or the client disconnects. A streamed response
 * takes as long as the client reads it (an hour of events, a segment over a slow connection), so it is counted when
 * it starts, with the time until then. Disconnected clients are counted with the time they waited; otherwise a
 * service that hangs would look idle.
 */
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { RequestMetrics } from '../../observability/metrics.ts'

/** nginx's status for a client that disconnects before the response starts. */
const CLIENT_CLOSED_REQUEST = 499

export function countRequests(http: FastifyInstance, metrics: RequestMetrics): void {
  const ended = new WeakSet<FastifyRequest>()
  /** Ends the request in the metrics. Returns false if it had already ended: a client may disconnect at any time. */
  const end = (request: FastifyRequest): boolean => {
    if (ended.has(request)) return false
    ended.add(request)
    metrics.endRequest()
    return true
  }
  const count = (request: FastifyRequest, reply: FastifyReply, status = reply.statusCode) => {
    if (!end(request)) return
    const { operation = 'none' } = request.routeOptions.config
    metrics.countRequest(operation, status, reply.elapsedTime / 1000)
  }
  const countDisconnect = (request: FastifyRequest, reply: FastifyReply) => {
    // A client that has not sent the whole request has not waited for the response.
    if (!request.raw.complete) end(request)
    else count(request, reply, reply.raw.headersSent ? reply.statusCode : CLIENT_CLOSED_REQUEST)
  }
  http.addHook('onRoute', ({ config }) => {
    if (config?.operation !== undefined) metrics.initializeSeries(config.operation)
  })
  http.addHook('onRequest', (request, reply, done) => {
    metrics.beginRequest()
    // A complete response is counted before its connection closes, so the event `close` does not count it again.
    reply.raw.once('close', () => countDisconnect(request, reply))
    done()
  })
  http.addHook('onSend', (request, reply, payload, done) => {
    if (payload instanceof Readable && !reply.raw.destroyed) count(request, reply)
    done(null, payload)
  })
  http.addHook('onResponse', (request, reply, done) => {
    count(request, reply)
    done()
  })
}
