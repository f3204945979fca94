import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** What befalls bytes on their way to a server, at the moment when so many have passed in all. */
type Mishap = { readonly atBytes: number; readonly strike: (chunk: Buffer) => void }

/** A line to a server that counts what is sent over it, and has the mishaps that a test plans. */
export class CountedLine implements AsyncDisposable {
  readonly url: string
  /** Heads of requests are counted, too. */
  bytesSent = 0
  cuts = 0
  readonly #server
  readonly #sockets = new Set<Socket>()
  #mishaps: Mishap[] = []
  #isCut = false
  #answersToLose = 0

  private constructor(server: ReturnType<typeof createServer>) {
    this.#server = server
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  static async open(to: string): Promise<CountedLine> {
    const server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const line = new CountedLine(server)
    server.on('connection', (near) => line.#join(near, new URL(to)))
    return line
  }

  /** Ends of lines: two each. */
  get openEnds(): number {
    return this.#sockets.size
  }

  /** Nothing was sent, and nothing will happen. */
  forget(): void {
    this.bytesSent = 0
    this.cuts = 0
    this.#mishaps = []
    this.#answersToLose = 0
    this.mend()
  }

  cut(): void {
    this.#isCut = true
    this.cuts++
    for (const socket of this.#sockets) socket.destroy()
  }

  mend(): void {
    this.#isCut = false
  }

  /** When so many bytes have passed, everything under way is lost, and for a while nobody gets through. */
  cutAt(atBytes: number, awaySeconds: number): void {
    const strike = () => {
      this.cut()
      setTimeout(() => this.mend(), awaySeconds * 1000)
    }
    this.#mishaps.push({ atBytes, strike })
  }

  /** One byte becomes another one. */
  damageAt(atBytes: number): void {
    const strike = (chunk: Buffer) => {
      const last = chunk.length - 1
      chunk[last] = (chunk[last] ?? 0) ^ 1
    }
    this.#mishaps.push({ atBytes, strike })
  }

  /** From then on nothing moves on lines that are open, and nobody hangs up. */
  stallAt(atBytes: number): void {
    const strike = () => {
      for (const socket of this.#sockets) socket.pause().unpipe()
    }
    this.#mishaps.push({ atBytes, strike })
  }

  /** The server gets all of the next requests, and nobody gets its answers. */
  loseAnswers(count: number): void {
    this.#answersToLose = count
  }

  #join(near: Socket, { hostname, port }: URL): void {
    if (this.#isCut) {
      near.destroy()
      return
    }
    const far = connect(Number(port), hostname)
    this.#watch(near, far)
    this.#watch(far, near)
    near.on('data', (chunk: Buffer) => {
      this.bytesSent += chunk.length
      const due = this.#mishaps.filter(({ atBytes }) => atBytes <= this.bytesSent)
      this.#mishaps = this.#mishaps.filter((each) => !due.includes(each))
      for (const { strike } of due) strike(chunk)
    })
    far.prependListener('data', (chunk: Buffer) => {
      const isOnlyAsking = chunk.includes('100 Continue') && !chunk.includes('HTTP/1.1 2')
      if (isOnlyAsking || this.#answersToLose === 0) return
      this.#answersToLose--
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
