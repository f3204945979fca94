import { once } from 'node:events'
import { createServer } from 'node:http'
import { CANARY_PORT } from './texts.ts'

/** Starts a server at the URL that the hostile files reference, and records all requests. */
export async function openCanary() {
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(request.url ?? '')
    response.end()
  })
  // Concurrent test runs on one machine share the port; a request makes one of them fail.
  server.listen({ port: CANARY_PORT, host: '127.0.0.1', reusePort: true })
  await once(server, 'listening')
  return { requests, [Symbol.dispose]: () => server.close() }
}
