import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as openRequest,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

export type WholeRequest = {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export type WholeAnswer = {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** Answers instead of storage, or changes storage's answer. */
export type Spoil = (
  request: WholeRequest,
  ask: () => Promise<WholeAnswer>,
) => Promise<WholeAnswer> | WholeAnswer

/**
 * A proxy to the real storage that falsifies answers. It buffers whole requests and answers, so it is only for small
 * ones.
 */
export class SpoilingRelay implements AsyncDisposable {
  readonly url: string
  readonly #server: Server

  private constructor(server: Server, target: string, spoil: Spoil) {
    this.#server = server
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    server.on('request', (message: IncomingMessage, response: ServerResponse) => {
      take(message, response, target, spoil).catch(() => response.destroy())
    })
  }

  static async open(target: string, spoil: Spoil): Promise<SpoilingRelay> {
    const server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new SpoilingRelay(server, target, spoil)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }
}

async function take(
  message: IncomingMessage,
  response: ServerResponse,
  target: string,
  spoil: Spoil,
): Promise<void> {
  const { method = 'GET', url: path = '/', headers } = message
  const request = { method, path, headers, body: await buffer(message) }
  const answer = await spoil(request, () => ask(target, request))
  const { 'transfer-encoding': _, ...rest } = answer.headers
  const length = method === 'HEAD' ? {} : { 'content-length': answer.body.length }
  response.writeHead(answer.status, { ...rest, ...length })
  response.end(answer.body)
}

async function ask(target: string, request: WholeRequest): Promise<WholeAnswer> {
  const { method, path, headers, body } = request
  const asked = openRequest(target + path, { method, headers })
  asked.end(body)
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  return { status: answer.statusCode ?? 502, headers: answer.headers, body: await buffer(answer) }
}
