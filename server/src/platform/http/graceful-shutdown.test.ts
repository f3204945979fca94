import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { fastify } from 'fastify'
import { expect, it } from 'vitest'
import { drainOnClose } from './graceful-shutdown.ts'

async function openServer() {
  const http = fastify({ return503OnClosing: false })
  drainOnClose(http)
  http.post('/', async () => 'done')
  await http.listen({ host: '127.0.0.1', port: 0 })
  const { port } = http.server.address() as { port: number }
  return { http, port }
}

const REQUEST = 'POST / HTTP/1.1\r\nHost: here\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'

it('close serves all clients that had connected, including those in the listen backlog', async () => {
  const { http, port } = await openServer()
  // Node accepts fewer connections in one turn of the event loop, so most of these are in the backlog when the server
  // closes.
  const clients = Array.from({ length: 40 }, () => connect(port, '127.0.0.1'))
  const responses = clients.map((client) => {
    client.write(REQUEST)
    return text(client).catch(String)
  })
  const last = clients.at(-1)
  if (last) await once(last, 'connect')
  await http.close()
  for (const response of await Promise.all(responses)) expect(response).toContain('HTTP/1.1 200 OK')
})

it('close serves an accepted client that sends its request afterwards, and refuses new connections', async () => {
  const { http, port } = await openServer()
  const client = connect(port, '127.0.0.1')
  await once(http.server, 'connection')
  const closed = http.close()
  await expect.poll(() => http.server.listening).toBe(false)
  client.write(REQUEST)
  expect(await text(client)).toContain('HTTP/1.1 200 OK')
  await closed
  const [error] = await once(connect(port, '127.0.0.1'), 'error')
  expect(error).toMatchObject({ code: 'ECONNREFUSED' })
})

it('close disconnects a client that never sends a request', async () => {
  const { http, port } = await openServer()
  const idle = connect(port, '127.0.0.1')
  await once(http.server, 'connection')
  const disconnected = once(idle, 'close')
  await http.close()
  await disconnected
})
