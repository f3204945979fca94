/**
 * An answer that is streamed begins with its first byte. What it is read from may fail before that,
 * and then the answer is another: a problem, with a status of its own. So nobody is told of an
 * answer before there is something of it.
 */
import { finished, Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'

/** To be added before all that count or trace answers as they are sent. */
export function awaitFirstBytes(http: FastifyInstance): void {
  http.addHook('onSend', (_request, reply, payload, done) => {
    if (!(payload instanceof Readable) || reply.raw.destroyed) return done(null, payload)
    // Once it is sent the server ends it; until then nobody else does.
    const hangUp = () => payload.destroy()
    reply.raw.once('close', hangUp)
    firstByteOf(payload)
      .finally(() => reply.raw.off('close', hangUp))
      .then(() => done(null, payload), done)
  })
}

/** Resolves when something is there to be read, or nothing will be; rejects if it fails before. */
function firstByteOf(payload: Readable): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const forget = finished(payload, (error) => (error ? reject(error) : resolve()))
  payload.once('readable', resolve)
  return promise.finally(() => {
    forget()
    payload.off('readable', resolve)
  })
}
