/** A local HTTP server that sends scripted responses and records the requests. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Settings } from '../src/http/settings.ts'
import { Reelkeep } from '../src/reelkeep.ts'

export type ReceivedRequest = {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
  readonly atMs: number
}

type ScriptedResponse =
  | { readonly status?: number; readonly headers?: Record<string, string>; readonly body?: unknown }
  /** Closes the connection. */
  | 'disconnect'
  /** Never responds. */
  | 'hang'
  | ((response: ServerResponse, request: ReceivedRequest) => void)

/** Sends one response per request, in order, and repeats the last one. */
export async function openScriptedServer(...script: [ScriptedResponse, ...ScriptedResponse[]]) {
  const requests: ReceivedRequest[] = []
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = request
    const received = { method, path, headers, body: await text(request), atMs: performance.now() }
    const scripted = script[requests.length] ?? script.at(-1)
    requests.push(received)
    if (scripted) send(scripted, response, received)
  }
  const server = createServer((request, response) => void handle(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    requests,
    client: (settings: Settings = {}) => new Reelkeep({ url, organization: 'acme1234', token: 'secret', ...settings }),
    [Symbol.dispose]: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

function send(scripted: ScriptedResponse, response: ServerResponse, request: ReceivedRequest): void {
  if (scripted === 'hang') return
  if (scripted === 'disconnect') response.destroy()
  else if (typeof scripted === 'function') scripted(response, request)
  else {
    const { status = 200, headers = {}, body = {} } = scripted
    response.writeHead(status, headers)
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }
}

/** A problem document like those of the service. */
export const problem = (
  status: number,
  code: string,
  more: { readonly headers?: Record<string, string>; readonly errors?: readonly object[] } = {},
) => ({
  status,
  headers: { 'content-type': 'application/problem+json', ...more.headers },
  body: {
    type: `urn:${code}`,
    title: code,
    status,
    detail: `About ${code}.`,
    code,
    errors: more.errors ?? [],
    request_id: 'request-1',
  },
})

/** Resolves with the reason of a rejection. */
export const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => {
      throw new Error('The promise was not rejected.')
    },
    (error: unknown) => error,
  )
