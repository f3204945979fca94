import { once } from 'node:events'
import { createServer } from 'node:http'
import { CANARY_PORT } from './texts.ts'

/** A server at the URL in the hostile files, which records all requests. */
export async function openCanary() {
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(request.url ?? '')
    response.end()
  })
  // Concurrent runs on one machine share the port, and any of them detects a request.
  server.listen({ port: CANARY_PORT, host: '127.0.0.1', reusePort: true })
  await once(server, 'listening')
  return { requests, [Symbol.dispose]: () => server.close() }
}
