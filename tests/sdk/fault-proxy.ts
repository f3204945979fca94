import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A fault that happens when this many bytes have been sent in total. */
type Fault = { readonly atBytes: number; readonly inject: (chunk: Buffer) => void }

/** A proxy in front of a server that counts the bytes sent and injects faults. */
export class FaultProxy implements AsyncDisposable {
  readonly url: string
  /** Includes request headers. */
  bytesSent = 0
  disconnects = 0
  readonly #server
  readonly #sockets = new Set<Socket>()
  #faults: Fault[] = []
  #isDisconnected = false
  #responsesToDrop = 0

  private constructor(server: ReturnType<typeof createServer>) {
    this.#server = server
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  static async open(to: string): Promise<FaultProxy> {
    const server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const proxy = new FaultProxy(server)
    server.on('connection', (near) => proxy.#join(near, new URL(to)))
    return proxy
  }

  /** Two per connection. */
  get openSockets(): number {
    return this.#sockets.size
  }

  /** Resets the counters and removes all faults. */
  reset(): void {
    this.bytesSent = 0
    this.disconnects = 0
    this.#faults = []
    this.#responsesToDrop = 0
    this.restore()
  }

  disconnect(): void {
    this.#isDisconnected = true
    this.disconnects++
    for (const socket of this.#sockets) socket.destroy()
  }

  restore(): void {
    this.#isDisconnected = false
  }

  /** After this many bytes, closes all connections and refuses new ones for a while. */
  disconnectAt(atBytes: number, awaySeconds: number): void {
    const inject = () => {
      this.disconnect()
      setTimeout(() => this.restore(), awaySeconds * 1000)
    }
    this.#faults.push({ atBytes, inject })
  }

  /** Changes one byte. */
  corruptAt(atBytes: number): void {
    const inject = (chunk: Buffer) => {
      const last = chunk.length - 1
      chunk[last] = (chunk[last] ?? 0) ^ 1
    }
    this.#faults.push({ atBytes, inject })
  }

  /** After this many bytes, stops forwarding on open connections without closing them. */
  stallAt(atBytes: number): void {
    const inject = () => {
      for (const socket of this.#sockets) socket.pause().unpipe()
    }
    this.#faults.push({ atBytes, inject })
  }

  /** Forwards the next requests but drops their responses. */
  dropResponses(count: number): void {
    this.#responsesToDrop = count
  }

  #join(near: Socket, { hostname, port }: URL): void {
    if (this.#isDisconnected) {
      near.destroy()
      return
    }
    const far = connect(Number(port), hostname)
    this.#watch(near, far)
    this.#watch(far, near)
    near.on('data', (chunk: Buffer) => {
      this.bytesSent += chunk.length
      const due = this.#faults.filter(({ atBytes }) => atBytes <= this.bytesSent)
      this.#faults = this.#faults.filter((each) => !due.includes(each))
      for (const { inject } of due) inject(chunk)
    })
    far.prependListener('data', (chunk: Buffer) => {
      const isContinueOnly = chunk.includes('100 Continue') && !chunk.includes('HTTP/1.1 2')
      if (isContinueOnly || this.#responsesToDrop === 0) return
      this.#responsesToDrop--
      far.unpipe()
      near.destroy()
    })
    near.pipe(far)
    far.pipe(near)
  }

  #watch(socket: Socket, other: Socket): void {
    this.#sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      this.#sockets.delete(socket)
      other.destroy()
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await this.#server[Symbol.asyncDispose]()
  }
}
