import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as openRequest,
  type ServerResponse,
} from 'node:http'
import { pipeline } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { type Action, FaultProxy, type Transfer } from './fault-proxy.ts'

export type ProxyRequest = {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
}

export type ProxyResponse = {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** One request on its way through the proxy. */
export type Exchange = Transfer &
  ProxyRequest & {
    readonly request: IncomingMessage
    readonly response: ServerResponse
    /** The whole request body. */
    body(): Promise<Buffer>
    /** Sends the request with its whole body, and returns the whole response. */
    send(): Promise<ProxyResponse>
  }

export const respond =
  (status: number, body = '', headers: IncomingHttpHeaders = {}): Action<Exchange> =>
  ({ response }) =>
    void response.writeHead(status, headers).end(body)

/** Changes responses. Buffers the request and the response, so both must be small. */
export const changeResponse =
  (change: (response: ProxyResponse, exchange: Exchange) => ProxyResponse | Promise<ProxyResponse>): Action<Exchange> =>
  async (exchange) => {
    const { status, headers, body } = await change(await exchange.send(), exchange)
    const { 'transfer-encoding': _, ...rest } = headers
    const length = exchange.method === 'HEAD' ? {} : { 'content-length': body.length }
    exchange.response.writeHead(status, { ...rest, ...length }).end(body)
  }

/** Forwards requests as streams, unchanged so that signatures stay valid. */
export class HttpProxy extends FaultProxy<Exchange> {
  /** Requests since the last `reset`. */
  requests: ProxyRequest[] = []
  /** Bytes of response bodies since the last `reset`. */
  downstreamBytes = 0
  /** Number of responses of the target that are in progress. */
  openResponses = 0

  static open(target: string, port = 0): Promise<HttpProxy> {
    const server = createServer()
    const proxy = new HttpProxy(server, target)
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const { method = 'GET', url: path = '/', headers } = request
      const head = { method, path, headers }
      proxy.requests.push(head)
      const handle = async () => proxy.apply(proxy.#exchangeOf(request, response, head))
      handle().catch(() => response.destroy())
    })
    return proxy.listen(port)
  }

  override reset(): void {
    super.reset()
    this.requests = []
    this.downstreamBytes = 0
  }

  #exchangeOf(request: IncomingMessage, response: ServerResponse, head: ProxyRequest): Exchange {
    const { method, path, headers } = head
    const connect = () => openRequest(this.target + path, { method, headers })
    let bytes: Promise<Buffer> | undefined
    const body = () => {
      bytes ??= buffer(request)
      return bytes
    }
    return {
      ...{ ...head, request, response, body },
      resetPeer: () => void request.socket.resetAndDestroy(),
      forward: () => {
        const upstream = connect().on('error', () => response.destroy())
        // When the client disconnects, the request to the target is aborted too.
        response.on('close', () => response.writableFinished || upstream.destroy())
        upstream.on('response', (answer) => this.#stream(answer, response))
        request.pipe(upstream)
      },
      send: async () => {
        // The request is opened only now, so that its error is not emitted before the listener below exists.
        const whole = await body()
        const upstream = connect().end(whole)
        const [answer] = (await once(upstream, 'response')) as [IncomingMessage]
        const { statusCode: status = 502, headers } = answer
        return { status, headers, body: await buffer(answer) }
      },
    }
  }

  #stream(answer: IncomingMessage, response: ServerResponse): void {
    // The client has just disconnected, and the request to the target is not aborted yet.
    if (response.destroyed) return void answer.destroy()
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    this.openResponses++
    answer.on('data', (chunk: Buffer) => {
      this.downstreamBytes += chunk.length
    })
    // If the target disconnects, the client is disconnected too.
    pipeline(answer, response, () => {})
    response.on('close', () => this.openResponses--)
  }
}
