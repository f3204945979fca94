import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  request as openRequest,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'

export type StorageRequest = { readonly method: string; readonly path: string }

/** Forward the request to storage, answer with a status, or break the connection. */
type Fate = 'pass' | 'cut off' | number

/**
 * A proxy between the service and the real storage: records requests, and lets a test delay them or make storage
 * unavailable. It forwards requests unchanged, so signatures stay valid.
 */
export class StorageRelay implements AsyncDisposable {
  readonly url: string
  /** Requests since the last `forget`. */
  readonly asked: StorageRequest[] = []
  /** Body bytes that storage has sent. */
  bytesAnswered = 0
  /** Responses of storage in progress. */
  openAnswers = 0
  /** A request waits until this resolves. */
  fateOf: (request: StorageRequest) => Fate | Promise<Fate> = () => 'pass'
  readonly #server: Server
  readonly #target: string

  private constructor(server: Server, target: string) {
    this.#server = server
    this.#target = target
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      void this.#take(request, response)
    })
  }

  static async open(target: string): Promise<StorageRelay> {
    const server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new StorageRelay(server, target)
  }

  /** Passes everything again and clears the recorded requests. */
  forget(): void {
    this.asked.length = 0
    this.bytesAnswered = 0
    this.fateOf = () => 'pass'
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url: path = '/', headers } = request
    this.asked.push({ method, path })
    const fate = await this.fateOf({ method, path })
    if (fate === 'cut off') {
      request.socket.destroy()
      return
    }
    if (fate !== 'pass') {
      response.writeHead(fate).end()
      return
    }
    const onward = openRequest(this.#target + path, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      this.openAnswers++
      answer.on('data', (chunk: Buffer) => {
        this.bytesAnswered += chunk.length
      })
      answer.pipe(response)
      // When the client disconnects, the request to storage ends as well.
      response.on('close', () => {
        this.openAnswers--
        answer.destroy()
      })
    })
    onward.on('error', () => response.destroy())
    request.pipe(onward)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }
}
