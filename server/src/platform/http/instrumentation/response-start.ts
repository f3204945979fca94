/**
 * Delays the headers of a streamed response until its first byte. If the source fails before that, the response is
 * a problem document with its own status.
 */
import { finished, Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'

/** Adds a hook, which must be registered before the hooks that count or trace responses. */
export function awaitResponseStart(http: FastifyInstance): void {
  http.addHook('onSend', (_request, reply, payload, done) => {
    if (!(payload instanceof Readable) || reply.raw.destroyed) return done(null, payload)
    // If the client disconnects, Fastify destroys the stream only once it is being sent.
    const destroyPayload = () => payload.destroy()
    reply.raw.once('close', destroyPayload)
    firstByteOrEnd(payload)
      .finally(() => reply.raw.off('close', destroyPayload))
      .then(() => done(null, payload), done)
  })
}

/** Resolves when data is readable or the stream has ended; rejects if it fails before. */
function firstByteOrEnd(payload: Readable): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const stopWatching = finished(payload, (error) => (error ? reject(error) : resolve()))
  payload.once('readable', resolve)
  return promise.finally(() => {
    stopWatching()
    payload.off('readable', resolve)
  })
}
