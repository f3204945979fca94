/**
 * Closes the server without dropping requests.
 *
 * Node's `close` refuses new connections, resets connections in the listen backlog, and closes connections that have
 * not sent a request yet. The latter two may have a request in flight, and a proxy must not retry a request that it
 * has sent. So this hook first accepts the whole backlog, then stops listening (a proxy then tries another
 * instance), then waits briefly for the first request of idle connections.
 *
 * Node treats a connection that never sends a request as busy and would wait for its request timeout; it is closed
 * after that wait.
 */
import { Server, type Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

/**
 * Maximum wait for the first request of idle connections; far longer than a proxy takes from connecting to its first
 * byte.
 */
const IDLE_MILLISECONDS_MAX = 500
const POLL_MILLISECONDS = 10
/** Maximum number of event loop turns for accepting the backlog: twice its size (Node requests 511). */
const EVENT_LOOP_TURNS_MAX = 1024
const SHORT_TURN_MILLISECONDS = 0.1

export function drainOnClose(http: FastifyInstance): void {
  const idle = new Set<Socket>()
  let acceptedCount = 0
  http.server.on('connection', (socket: Socket) => {
    acceptedCount++
    idle.add(socket)
    socket.once('close', () => idle.delete(socket))
  })
  http.server.on('request', ({ socket }) => idle.delete(socket))
  http.addHook('preClose', async () => {
    if (!http.server.listening) return
    await untilBacklogEmpty(() => acceptedCount)
    // Calls `close` of net.Server, because that of http.Server would also close keep-alive connections between two
    // requests.
    Server.prototype.close.call(http.server)
    const deadline = performance.now() + IDLE_MILLISECONDS_MAX
    while (idle.size > 0 && performance.now() < deadline) await sleep(POLL_MILLISECONDS)
    // A connection that has sent a byte has begun a request.
    for (const socket of idle) if (socket.bytesRead === 0) socket.destroy()
  })
}

/**
 * Node accepts one connection per turn of the event loop. Resolves after a short turn without a new connection: the
 * backlog was empty, and few connections can have arrived since.
 */
async function untilBacklogEmpty(acceptedCount: () => number): Promise<void> {
  // In the current turn of the event loop, Node may already have polled for connections.
  await nextTurn()
  for (let turn = 0; turn < EVENT_LOOP_TURNS_MAX; turn++) {
    const [before, began] = [acceptedCount(), performance.now()]
    await nextTurn()
    if (acceptedCount() === before && performance.now() - began < SHORT_TURN_MILLISECONDS) return
  }
}
