import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import { sendProtocolError } from './problem.ts'

/** Returns the bytes that the client receives for an error of the HTTP parser. */
async function responseTo(code: string): Promise<string> {
  const server = createServer((socket: Socket) => {
    sendProtocolError(Object.assign(new Error('broken'), { code }), socket, 'http://docs.example')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const client = connect(port, '127.0.0.1')
  let text = ''
  for await (const chunk of client) text += chunk
  server.close()
  return text
}

it.each([
  ['ERR_HTTP_REQUEST_TIMEOUT', 408, 'request_timeout'],
  ['HPE_HEADER_OVERFLOW', 431, 'headers_too_large'],
  ['HPE_INVALID_METHOD', 400, 'invalid_request'],
])('error %s gets status %i and a problem document, and the connection is closed', async (code, status, problem) => {
  const [head = '', body = ''] = (await responseTo(code)).split('\r\n\r\n')
  expect(head).toContain(`HTTP/1.1 ${status} `)
  expect(head).toContain('application/problem+json')
  expect(JSON.parse(body)).toMatchObject({ status, code: problem, errors: [] })
})

it('error ECONNRESET gets no response', async () => {
  expect(await responseTo('ECONNRESET')).toBe('')
})
