import type { onSendHookHandler } from 'fastify'
import { type PlaybackMetrics, UNKNOWN_KIND } from './playback-metrics.ts'

/**
 * When the answer begins: a viewer may hang up before it ends, and often does. Who has gone before
 * that is answered nothing, and what was cut off because of it is no failure of ours.
 */
export const countAnswers =
  ({ count }: PlaybackMetrics): onSendHookHandler =>
  (request, reply, payload, done) => {
    if (!reply.raw.destroyed) count(request.playKind ?? UNKNOWN_KIND, reply.statusCode)
    done(null, payload)
  }
