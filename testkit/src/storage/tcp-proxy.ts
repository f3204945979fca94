import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type Line = AsyncDisposable & { readonly url: string }

/** A TCP proxy in front of a server such as Postgres; the test decides what passes on each connection. */
export async function openLineTo(
  url: string,
  passOn: (near: Socket, far: Socket) => void,
): Promise<Line> {
  const through = new URL(url)
  const [port, host] = [Number(through.port), through.hostname]
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(port, host)
    sockets.add(near).add(far)
    passOn(near, far)
    near.on('error', () => {}).on('close', () => far.destroy())
    far.on('error', () => {}).on('close', () => near.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  through.port = String((server.address() as AddressInfo).port)
  return {
    url: through.href,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
