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

/** What becomes of a request: it goes on to storage, or is answered with a status, or its line breaks. */
type Fate = 'pass' | 'cut off' | number

/**
 * Stands between the service and the real storage: sees what is asked, and lets a test hold a request or
 * take storage away. It passes requests on as they came, signature and all.
 */
export class StorageRelay implements AsyncDisposable {
  readonly url: string
  /** What has been asked for since the last `forget`. */
  readonly asked: StorageRequest[] = []
  /** How many bytes storage has answered with, heads not counted. */
  bytesAnswered = 0
  /** Answers of storage that are on their way. */
  openAnswers = 0
  /** A request waits until this has decided. */
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

  /** Everything passes again, and nothing has been asked. */
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
      // Whoever has read enough hangs up; then storage need not go on.
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
