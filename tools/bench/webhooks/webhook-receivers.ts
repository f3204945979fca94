/**
 * Webhook receivers in a separate process. Every address of 127.0.0.0/8 leads here, so a thousand receivers are a
 * thousand different hosts for the dispatcher. Requests to `/hangs` get no response; all others are recorded and get a
 * response. `GET /arrivals` returns the records: the number in the body, the time of arrival, and the time when the
 * event was written, in milliseconds since 1970.
 *
 * node webhook-receivers.ts PORT
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'

const now = () => performance.timeOrigin + performance.now()
const arrivals: [number, number, number][] = []

const server = createServer((request, response) => {
  if (request.method === 'GET') response.end(JSON.stringify(arrivals))
  // A request that is aborted by its sender does not count as an arrival.
  else receive(request, response).catch(() => response.destroy())
})

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const at = now()
  const body = await text(request)
  if (request.url === '/hangs') return
  const [, number] = /Event (\d+)/.exec(body) ?? []
  const [, createdAt = ''] = /"created_at":"([^"]+)"/.exec(body) ?? []
  if (number !== undefined) arrivals.push([Number(number), at, Date.parse(createdAt)])
  response.writeHead(204).end()
}

server.keepAliveTimeout = 60_000
server.listen(Number(process.argv[2]), '0.0.0.0', () => process.stdout.write('listening\n'))
