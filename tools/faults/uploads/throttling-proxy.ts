/**
 * A proxy between the API and one of its servers that can stop the API between any two steps. It counts the messages
 * of the API and triggers at the chosen one, either before the server receives it or after the server has answered but
 * before the API receives the answer.
 */
import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'

export type Moment = 'before it is sent' | 'after it is done'

/** Shared by all proxies of one process, so that its steps are counted in order. */
export class Trap {
  #remaining = Number.POSITIVE_INFINITY
  #moment: Moment = 'before it is sent'
  #spring: () => void = () => {}
  isSprung = false

  /** Triggers at the step of this number, counted from 1. */
  set(step: number, moment: Moment, spring: () => void): void {
    this.#remaining = step
    this.#moment = moment
    this.#spring = spring
    this.isSprung = false
  }

  unset(): void {
    this.#remaining = Number.POSITIVE_INFINITY
  }

  /** Called for each message; returns the moment if the trap triggers at this one. */
  pass(): Moment | undefined {
    this.#remaining--
    return this.#remaining === 0 ? this.#moment : undefined
  }

  spring(): void {
    this.isSprung = true
    this.#spring()
  }
}

export class Chokepoint implements AsyncDisposable {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly port: number

  private constructor(server: Server, port: number) {
    this.#server = server
    this.port = port
  }

  static async open(target: URL, trap: Trap): Promise<Chokepoint> {
    const server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('No port available')
    const point = new Chokepoint(server, address.port)
    server.on('connection', (near) => point.#join(near, target, trap))
    return point
  }

  #join(near: Socket, target: URL, trap: Trap): void {
    const far = connect(Number(target.port), target.hostname)
    /** The answer to the chosen message is dropped. */
    let isTrapped = false
    for (const socket of [near, far]) {
      this.#sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        this.#sockets.delete(socket)
        near.destroy()
        far.destroy()
      })
    }
    near.on('data', (bytes) => {
      const moment = trap.pass()
      if (moment === 'before it is sent') return trap.spring()
      if (moment === 'after it is done') isTrapped = true
      far.write(bytes)
    })
    far.on('data', (bytes) => {
      if (!isTrapped) near.write(bytes)
      else if (!trap.isSprung) trap.spring()
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
    await once(this.#server, 'close')
  }
}
