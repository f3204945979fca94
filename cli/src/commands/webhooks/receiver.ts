import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ReelkeepError, type ReelkeepEvent, SignatureError, verifyWebhook } from 'reelkeep'
import { CommandError, exitCodes } from '../../exit-codes.ts'

/** Maximum size of a body, larger than any event. */
const BODY_BYTES_MAX = 1024 * 1024

/** A received request, as it is printed. */
export type Received =
  | { readonly verified: true; readonly status: 204; readonly event: ReelkeepEvent }
  | { readonly verified: false; readonly status: number; readonly why: string }

export type Receiver = { readonly port: number; readonly close: () => Promise<void> }

/**
 * Receives requests on the loopback interface. `secret` is read for each request, because it is known only after the
 * webhook has been created, which needs the port.
 */
export async function startReceiver(
  port: number,
  secret: () => Promise<string>,
  onReceived: (received: Received) => void,
): Promise<Receiver> {
  const server = createServer((request, response) => {
    receive(request, secret).then(
      (received) => {
        answer(response, received)
        onReceived(received)
      },
      () => response.destroy(),
    )
  })
  try {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  } catch (error) {
    throw notListening(port, error as NodeJS.ErrnoException)
  }
  return { port: (server.address() as AddressInfo).port, close: () => closed(server) }
}

function notListening(port: number, { code, message }: NodeJS.ErrnoException): CommandError {
  const reasons: Record<string, string> = {
    EADDRINUSE: 'is already in use.',
    EACCES: 'cannot be used: permission denied.',
    ERR_SOCKET_BAD_PORT: 'is invalid: the maximum is 65535.',
  }
  const reason = reasons[code ?? ''] ?? `cannot be used: ${message}.`
  return new CommandError(`Port ${port} ${reason}`, exitCodes.usage, 'Omit --port to use a free one.')
}

async function receive(request: IncomingMessage, secret: () => Promise<string>): Promise<Received> {
  if (request.method !== 'POST') return refused(405, `${request.method} ${request.url}: only POST is accepted`)
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes > BODY_BYTES_MAX) return refused(413, 'the body is larger than any event')
    chunks.push(chunk)
  }
  try {
    const event = await verifyWebhook(Buffer.concat(chunks), request.headers, await secret())
    return { verified: true, status: 204, event }
  } catch (error) {
    if (error instanceof SignatureError) return refused(401, error.message)
    if (error instanceof ReelkeepError) return refused(400, error.message)
    throw error
  }
}

const refused = (status: number, why: string): Received => ({ verified: false, status, why })

function answer(response: ServerResponse, { status }: Received): void {
  response.writeHead(status).end()
}

async function closed(server: Server): Promise<void> {
  server.close()
  server.closeAllConnections()
  if (server.listening) await once(server, 'close')
}
