import { once } from 'node:events'
import { createServer } from 'node:http'
import { CANARY_PORT } from './texts.ts'

/** Listens where the files point to, and counts who comes. */
export async function openCanary() {
  const touched: string[] = []
  const server = createServer((request, response) => {
    touched.push(request.url ?? '')
    response.end()
  })
  // Two runs on one machine share it: whoever is touched tells.
  server.listen({ port: CANARY_PORT, host: '127.0.0.1', reusePort: true })
  await once(server, 'listening')
  return { touched, [Symbol.dispose]: () => server.close() }
}
