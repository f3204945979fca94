/** A server on this machine that answers what it is told to, and keeps what it has heard. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Settings } from '../src/http/settings.ts'
import { Reelkeep } from '../src/reelkeep.ts'

export type Heard = {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
  readonly atMs: number
}

type Answer =
  | { readonly status?: number; readonly headers?: Record<string, string>; readonly body?: unknown }
  /** The connection is cut instead. */
  | 'cut'
  /** Nothing is answered. */
  | 'silence'
  | ((response: ServerResponse, heard: Heard) => void)

/** One answer a request, in turn; the last one for all that come after it. */
export async function openScriptedServer(...answers: [Answer, ...Answer[]]) {
  const heard: Heard[] = []
  async function answerTo(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request
    const said = { method, path: url, headers, body: await text(request), atMs: performance.now() }
    const answer = answers[heard.length] ?? answers.at(-1)
    heard.push(said)
    if (answer) give(answer, response, said)
  }
  const server = createServer((request, response) => void answerTo(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    heard,
    client: (settings: Settings = {}) =>
      new Reelkeep({ url, organization: 'acme1234', token: 'secret', ...settings }),
    [Symbol.dispose]: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

function give(answer: Answer, response: ServerResponse, heard: Heard): void {
  if (answer === 'silence') return
  if (answer === 'cut') response.destroy()
  else if (typeof answer === 'function') answer(response, heard)
  else {
    const { status = 200, headers = {}, body = {} } = answer
    response.writeHead(status, headers)
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }
}

/** As the service says it. */
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

/** What a promise is rejected with. */
export const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => {
      throw new Error('It was not refused.')
    },
    (error: unknown) => error,
  )
