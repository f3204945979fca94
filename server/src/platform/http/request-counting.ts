/**
 * What requests cost, in numbers. One is in flight until its answer has been sent or its caller has
 * hung up. An answer that is streamed lasts as long as its reader takes, an hour of events or a
 * segment over a bad line: it counts, with the time until it began, when it begins. Callers who
 * give up count with the time that they waited: a service that hangs answers nobody, and would else
 * look as if nobody asked.
 */
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { RequestMetrics } from '../observability/metrics.ts'

/**
 * As others count it, too: the caller hung up before an answer began. No fault of ours by itself;
 * how long it took may be one.
 */
const GAVE_UP = 499

export function countRequests(http: FastifyInstance, metrics: RequestMetrics): void {
  const ended = new WeakSet<FastifyRequest>()
  /**
   * False if it has ended before. A caller may hang up at any time, so whatever ends a request may
   * not be the first to do so.
   */
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
  const countHangUp = (request: FastifyRequest, reply: FastifyReply) => {
    // Who has not said all that he wants has not waited for us.
    if (!request.raw.complete) end(request)
    else count(request, reply, reply.raw.headersSent ? reply.statusCode : GAVE_UP)
  }
  http.addHook('onRoute', ({ config }) => {
    if (config?.operation !== undefined) metrics.expectRequests(config.operation)
  })
  http.addHook('onRequest', (request, reply, done) => {
    metrics.beginRequest()
    // An answer that was sent to its end has been counted before its line closes.
    reply.raw.once('close', () => countHangUp(request, reply))
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
