import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '@reelkeep/testkit'
import { ConnectionRecord, type PartTry } from './part-record.ts'

/**
 * A TCP proxy to a server. Cutting it destroys every connection and closes the port; then it opens again at the same
 * port.
 */
export class BreakingLine implements AsyncDisposable {
  readonly url: string
  /** Attempts to send parts through it, from the first connection on. */
  readonly tries: PartTry[] = []
  /** Called with the number of bytes received from the sender. */
  onSent: (bytesInAll: number) => void = () => {}
  #bytes = 0
  #cuts = 0
  #server: Server | undefined
  readonly #open = new Map<Socket, ConnectionRecord>()
  readonly #port: number
  readonly #target: () => string

  private constructor(port: number, target: () => string) {
    this.#port = port
    this.#target = target
    this.url = `http://127.0.0.1:${port}`
  }

  /** `target` is evaluated for each connection. */
  static async open(target: () => string): Promise<BreakingLine> {
    const line = new BreakingLine(await freePort(), target)
    await line.#listen()
    return line
  }

  async cut(seconds: number): Promise<void> {
    this.#hangUp()
    await sleep(seconds * 1000)
    await this.#listen()
  }

  async #listen(): Promise<void> {
    this.#server = createServer({ noDelay: true }, (near) => this.#take(near))
    this.#server.listen(this.#port, '127.0.0.1')
    await once(this.#server, 'listening')
  }

  #take(near: Socket): void {
    const { hostname, port } = new URL(this.#target())
    const far = connect(Number(port), hostname)
    const record = new ConnectionRecord(this.tries)
    this.#open.set(near, record)
    near.on('data', (chunk: Buffer) => {
      record.sent(chunk)
      this.#bytes += chunk.length
      this.onSent(this.#bytes)
    })
    far.on('data', (chunk: Buffer) => record.answered(chunk))
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('error', () => from.destroy())
      from.on('close', () => to.destroy())
      from.pipe(to)
    }
    near.on('close', () => this.#open.delete(near))
  }

  #hangUp(): void {
    this.#server?.close()
    this.#cuts++
    for (const [near, record] of this.#open) {
      record.cut(this.#cuts)
      near.resetAndDestroy()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#hangUp()
    this.#server?.close()
  }
}
