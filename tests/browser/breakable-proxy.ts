import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A TCP proxy that can drop all connections and refuse new ones until it is reconnected. */
export type BreakableProxy = AsyncDisposable & {
  readonly url: string
  disconnect(): void
  reconnect(): void
}

export async function openBreakableProxy(to: string): Promise<BreakableProxy> {
  const { hostname, port } = new URL(to)
  const sockets = new Set<Socket>()
  let isDisconnected = false
  const server = createServer((client) => {
    if (isDisconnected) return client.destroy()
    const upstream = connect(Number(port), hostname)
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
      socket.pipe(other)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const closeAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    disconnect: () => {
      isDisconnected = true
      closeAll()
    },
    reconnect: () => {
      isDisconnected = false
    },
    [Symbol.asyncDispose]: async () => {
      closeAll()
      await server[Symbol.asyncDispose]()
    },
  }
}
