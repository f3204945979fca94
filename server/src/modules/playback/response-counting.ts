import type { onSendHookHandler } from 'fastify'
import { type PlaybackMetrics, UNKNOWN_KIND } from './playback-metrics.ts'

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
