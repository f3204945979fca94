/**
 * Points that a request uses of its rate limits. Most requests use one point. Large bodies use more, because their
 * parsing occupies the event loop, and so do requests that take seconds.
 */
import type { FastifyRequest } from 'fastify'
import { BODY_BYTES_MAX } from '../../limits.ts'

/** Bytes of a body for one more point. Parsing takes up to 0.1 ms. */
const BYTES_PER_POINT = 4096
const POINTS_PER_SECOND = 10

declare module 'fastify' {
  interface FastifyRequest {
    /** Size of the received body. */
    bodyBytes?: number
    /** When the handler started, in milliseconds since the start of the process. */
    handlerStartMs?: number
  }
}

const pointsOfBytes = (bytes: number) => Math.floor(bytes / BYTES_PER_POINT)

type Started = Pick<FastifyRequest, 'headers' | 'routeOptions'>

/** Size of the body that the request declares, before it is received. A body beyond the limit is not received. */
const declaredBytes = ({ headers, routeOptions }: Started) =>
  Math.min(Number(headers['content-length'] ?? 0) || 0, routeOptions.bodyLimit ?? BODY_BYTES_MAX)

/** Points that are known before the body is received. */
export const pointsAtStart = (request: Started) => 1 + pointsOfBytes(declaredBytes(request))

type Finished = Started & Pick<FastifyRequest, 'bodyBytes' | 'handlerStartMs'>

type End = { readonly nowMs: number; readonly statusCode: number }

/**
 * Further points: each full second in the handler, and a body whose size was not declared. The time of a server error
 * is free, because the client did not cause it.
 */
export function pointsAtEnd(request: Finished, { nowMs, statusCode }: End): number {
  const { bodyBytes = 0, handlerStartMs = nowMs } = request
  const undeclared = Math.max(0, pointsOfBytes(bodyBytes) - pointsOfBytes(declaredBytes(request)))
  if (statusCode >= 500) return undeclared
  return undeclared + POINTS_PER_SECOND * Math.floor((nowMs - handlerStartMs) / 1000)
}
