/** A webhook receiver that answers as the test configures. */
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

type Answer = (arrival: Arrival, response: ServerResponse, request: IncomingMessage) => void

export const answering =
  (status: number, headers: Record<string, string> = {}, body = ''): Answer =>
  (_, response) => {
    response.writeHead(status, headers).end(body)
  }

/** Sends no response until the receiver is closed. */
export const hanging: Answer = () => {}

export async function openReceiver(answer: Answer = answering(204)) {
  const arrivals: Arrival[] = []
  let connections = 0
  const receiver = { answer }
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request)
    const headers = request.headers as Record<string, string>
    const path = request.url ?? ''
    const arrival = { headers, body, event: JSON.parse(body) as Arrival['event'], path }
    arrivals.push(arrival)
    receiver.answer(arrival, response, request)
  }
  // A client that disconnects during a request has delivered nothing.
  const server = createServer(
    (request, response) => void receive(request, response).catch(() => {}),
  )
  server.on('connection', () => connections++)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/hook?a=b`,
    arrivals,
    numbers: () => arrivals.map(({ event }) => event.number),
    connections: () => connections,
    /** Sets the response from now on. */
    answerWith: (next: Answer) => {
      receiver.answer = next
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

export type Receiver = Awaited<ReturnType<typeof openReceiver>>

/** Throws unless the arrival is signed with the secret. */
export const verify = (secret: string, { body, headers }: Arrival) =>
  new Webhook(secret).verify(body, headers)
