import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { fastify } from 'fastify'
import { expect, it } from 'vitest'
import { giveLastCallOnClose } from './last-call.ts'

async function openServer() {
  const http = fastify({ return503OnClosing: false })
  giveLastCallOnClose(http)
  http.post('/', async () => 'done')
  await http.listen({ host: '127.0.0.1', port: 0 })
  const { port } = http.server.address() as { port: number }
  return { http, port }
}

const REQUEST = 'POST / HTTP/1.1\r\nHost: here\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'

it('answers everybody who had connected before it closed, whether let in yet or not', async () => {
  const { http, port } = await openServer()
  // More than Node lets in in one turn, so most of them wait at the door when it closes.
  const callers = Array.from({ length: 40 }, () => connect(port, '127.0.0.1'))
  const answers = callers.map((caller) => {
    caller.write(REQUEST)
    return text(caller).catch(String)
  })
  const last = callers.at(-1)
  if (last) await once(last, 'connect')
  await http.close()
  for (const answer of await Promise.all(answers)) expect(answer).toContain('HTTP/1.1 200 OK')
})

it('answers one who was let in and speaks only after the door was shut; then nobody connects any more', async () => {
  const { http, port } = await openServer()
  const caller = connect(port, '127.0.0.1')
  await once(http.server, 'connection')
  const closed = http.close()
  await expect.poll(() => http.server.listening).toBe(false)
  caller.write(REQUEST)
  expect(await text(caller)).toContain('HTTP/1.1 200 OK')
  await closed
  const [error] = await once(connect(port, '127.0.0.1'), 'error')
  expect(error).toMatchObject({ code: 'ECONNREFUSED' })
})

it('ends one who never speaks', async () => {
  const { http, port } = await openServer()
  const silent = connect(port, '127.0.0.1')
  await once(http.server, 'connection')
  const hungUp = once(silent, 'close')
  await http.close()
  await hungUp
})
