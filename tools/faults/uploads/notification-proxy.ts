/** Between storage and the service: receives every notification and forwards those that the schedule lets through. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { Post } from './upload-schedule.ts'

export class NotificationRelay implements AsyncDisposable {
  readonly #server: Server
  readonly #target: () => string | undefined
  /** Delayed until another one has been forwarded. */
  readonly #held: { path: string; body: string }[] = []
  post: Post = 'delivered'
  taken = 0

  private constructor(target: () => string | undefined) {
    this.#target = target
    this.#server = createServer((request, response) => {
      void this.#take(request).then((status) => response.writeHead(status).end())
    })
  }

  /** `target` is the current operations address of the service; undefined while it is down. */
  static async open(port: number, target: () => string | undefined): Promise<NotificationRelay> {
    const relay = new NotificationRelay(target)
    relay.#server.listen(port, '127.0.0.1')
    await once(relay.#server, 'listening')
    return relay
  }

  async #take(request: IncomingMessage): Promise<number> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const message = { path: request.url ?? '/', body: Buffer.concat(chunks).toString() }
    this.taken++
    if (this.post === 'lost') return 200
    if (this.post === 'out of order' && this.#held.length === 0) {
      this.#held.push(message)
      return 200
    }
    const status = await this.#pass(message)
    if (this.post === 'duplicated') await this.#pass(message)
    for (const held of this.#held.splice(0)) await this.#pass(held)
    return status
  }

  async #pass({ path, body }: { path: string; body: string }): Promise<number> {
    const target = this.#target()
    if (!target) return 503
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(target + path, { method: 'POST', headers, body }).catch(() => null)
    return answer?.status ?? 503
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }
}
