/**
 * How a server closes without anybody being turned away in the middle of a sentence.
 *
 * Closing means three things that Node does at once: nobody new can connect, whoever waits to be
 * let in is thrown out, and so is whoever is connected and has said nothing yet. The last two may
 * have a request on the way, and a proxy may not repeat one that it has sent. So first everybody is
 * let in who waits, then the door is shut (whom a proxy cannot reach, it passes on to another
 * instance), then those inside who have not spoken yet are given a moment.
 *
 * A connection that never asks for anything, such as one that a client opened and did not need
 * after all, is busy to Node: a server that is told to close would wait until its time for a
 * request is over. After that moment it is ended.
 */
import { Server, type Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

/** Far more than a request takes from a proxy's connecting to its first byte. */
const SILENCE_MILLISECONDS_MAX = 500
const LOOK_MILLISECONDS = 10
/** Twice as many as can wait (Node asks for a queue of 511). */
const TURNS_MAX = 1024
const SHORT_TURN_MILLISECONDS = 0.1

export function giveLastCallOnClose(http: FastifyInstance): void {
  const silent = new Set<Socket>()
  let letIn = 0
  http.server.on('connection', (socket: Socket) => {
    letIn++
    silent.add(socket)
    socket.once('close', () => silent.delete(socket))
  })
  http.server.on('request', ({ socket }) => silent.delete(socket))
  http.addHook('preClose', async () => {
    if (!http.server.listening) return
    await untilNobodyWaits(() => letIn)
    // Of the connection, not of HTTP: that would end those which are between two requests as well.
    Server.prototype.close.call(http.server)
    const deadline = performance.now() + SILENCE_MILLISECONDS_MAX
    while (silent.size > 0 && performance.now() < deadline) await sleep(LOOK_MILLISECONDS)
    // Whoever has sent a byte is in the middle of a request.
    for (const socket of silent) if (socket.bytesRead === 0) socket.destroy()
  })
}

/**
 * Node looks at the door once a turn, lets one in, and does whatever else there is to do. Resolves
 * after a turn in which it found nobody and had next to nothing else to do: so it has only just
 * looked, and few can have come since.
 */
async function untilNobodyWaits(letIn: () => number): Promise<void> {
  // Of the turn that is under way nobody knows whether Node has yet to look.
  await nextTurn()
  for (let turn = 0; turn < TURNS_MAX; turn++) {
    const [before, began] = [letIn(), performance.now()]
    await nextTurn()
    if (letIn() === before && performance.now() - began < SHORT_TURN_MILLISECONDS) return
  }
}
