import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { FaultProxy, latency, type Transfer } from './fault-proxy.ts'

/** Bytes on their way through the proxy, as they were read from the socket. */
export type Chunk = Transfer & {
  /** Socket of the client, which identifies the connection. */
  readonly connection: Socket
  readonly direction: 'upstream' | 'downstream'
  /** Bytes of the chunk, which an action may change in place. */
  readonly bytes: Buffer
  /** Bytes in this direction since the last `reset`, including this chunk. */
  readonly totalBytes: number
}

/** Matches when clients have sent at least this many bytes. */
export const afterUpstreamBytes =
  (bytes: number) =>
  ({ direction, totalBytes }: Chunk): boolean =>
    direction === 'upstream' && totalBytes >= bytes

export const bandwidth = (bytesPerSecond: number) =>
  latency(({ bytes }: Chunk) => sleep((1000 * bytes.length) / bytesPerSecond))

/** A proxy for any protocol. Rules are applied to each chunk, in both directions. */
export class TcpProxy extends FaultProxy<Chunk> {
  readonly #bytes = { upstream: 0, downstream: 0 }

  static open(target: string): Promise<TcpProxy> {
    const server = createServer({ noDelay: true })
    const proxy = new TcpProxy(server, target)
    server.on('connection', (client) => proxy.#join(client))
    return proxy.listen()
  }

  get upstreamBytes(): number {
    return this.#bytes.upstream
  }

  override reset(): void {
    super.reset()
    Object.assign(this.#bytes, { upstream: 0, downstream: 0 })
  }

  #join(client: Socket): void {
    if (client.destroyed) return
    const { port, hostname } = new URL(this.target)
    const server = connect(Number(port), hostname).on('error', () => {})
    client.on('close', () => server.destroy())
    server.on('close', () => client.destroySoon())
    const pump = (direction: Chunk['direction'], from: Socket, to: Socket) =>
      from.on('data', (bytes) => {
        this.#bytes[direction] += bytes.length
        const done = this.apply({
          ...{ connection: client, direction, bytes, totalBytes: this.#bytes[direction] },
          forward: () => to.write(bytes) || drained(to),
          resetPeer: () => void client.resetAndDestroy(),
        })
        if (!(done instanceof Promise)) return
        from.pause()
        done.then(
          () => from.resume(),
          () => client.destroy(),
        )
      })
    pump('upstream', client, server)
    pump('downstream', server, client)
  }
}

/**
 * Resolves when data can be written to the socket again. Never resolves if the socket closes; both sockets are closed
 * then.
 */
const drained = (socket: Socket) => new Promise<void>((resolve) => socket.once('drain', resolve))
