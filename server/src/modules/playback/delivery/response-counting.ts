import type { FastifyReply, FastifyRequest, onSendHookHandler } from 'fastify'
import type { OrganizationId } from '../../../kernel/ids.ts'
import { type PlaybackMetrics, UNKNOWN_KIND } from '../playback-metrics.ts'

/**
 * Counts a response when it starts, because viewers often disconnect before it ends. A response whose client has
 * already disconnected is not counted: its failure is not a server error.
 */
export const countResponses =
  ({ count }: PlaybackMetrics): onSendHookHandler =>
  (request, reply, payload, done) => {
    if (!reply.raw.destroyed) count(request.playKind ?? UNKNOWN_KIND, reply.statusCode)
    done(null, payload)
  }

/** Counts what viewers of an organization receive. `main` provides it. */
export type DeliveryCounter = {
  readonly countDelivery: (id: OrganizationId, delivered: { readonly bytes: number; readonly seconds: number }) => void
}

/**
 * Counts the bytes of a response when its connection is done with it, without headers. Of a response that was not sent
 * completely, as many bytes are counted as were written to the connection.
 */
export function countDelivery(
  counter: DeliveryCounter,
  id: OrganizationId,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
): void {
  const { raw } = reply
  const { socket } = request.raw
  const writtenBefore = socket.bytesWritten
  raw.setMaxListeners(raw.getMaxListeners() + 1)
  raw.once('close', () => {
    if (request.method === 'HEAD' || !raw.headersSent) return
    const all = Number(raw.getHeader('content-length') ?? 0)
    const bytes = raw.writableEnded ? all : Math.min(all, Math.max(0, socket.bytesWritten - writtenBefore))
    const { playSegment } = request
    const seconds = playSegment && playSegment.bytes > 0 ? (playSegment.seconds * bytes) / playSegment.bytes : 0
    if (bytes > 0) counter.countDelivery(id, { bytes, seconds })
  })
}
