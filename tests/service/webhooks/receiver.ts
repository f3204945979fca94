/** A webhook receiver whose responses the test sets. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'

export type Arrival = {
  readonly headers: Record<string, string>
  readonly body: string
  readonly event: { id: string; number: number; type: string; asset_id: string | null }
  readonly path: string
}

type Responder = (arrival: Arrival, response: ServerResponse, request: IncomingMessage) => void

export const respondWithStatus =
  (status: number, headers: Record<string, string> = {}, body = ''): Responder =>
  (_, response) => {
    response.writeHead(status, headers).end(body)
  }

/** Sends no response until the receiver is closed. */
export const neverRespond: Responder = () => {}

export async function openReceiver(respond: Responder = respondWithStatus(204)) {
  const arrivals: Arrival[] = []
  let connections = 0
  const current = { respond }
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request)
    const headers = request.headers as Record<string, string>
    const path = request.url ?? ''
    const arrival = { headers, body, event: JSON.parse(body) as Arrival['event'], path }
    arrivals.push(arrival)
    current.respond(arrival, response, request)
  }
  // Ignores requests whose client disconnects before the body is complete.
  const server = createServer((request, response) => void receive(request, response).catch(() => {}))
  server.on('connection', () => connections++)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/webhook?a=b`,
    arrivals,
    numbers: () => arrivals.map(({ event }) => event.number),
    connections: () => connections,
    /** Sets the responder for all further requests. */
    setResponder: (next: Responder) => {
      current.respond = next
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

export type Receiver = Awaited<ReturnType<typeof openReceiver>>

/** Throws if the request is not signed with the secret. */
export const verify = (secret: string, { body, headers }: Arrival) => new Webhook(secret).verify(body, headers)
