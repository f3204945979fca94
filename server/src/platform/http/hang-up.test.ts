import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import { hangUp } from './problem.ts'

/** What somebody at the other end of the line gets to read. */
async function answerTo(code: string): Promise<string> {
  const server = createServer((socket: Socket) => {
    hangUp(Object.assign(new Error('broken'), { code }), socket, 'http://docs.example')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address() as { port: number }
  const line = connect(address.port, '127.0.0.1')
  let text = ''
  for await (const chunk of line) text += chunk
  server.close()
  return text
}

it.each([
  ['ERR_HTTP_REQUEST_TIMEOUT', 408, 'request_timeout'],
  ['HPE_HEADER_OVERFLOW', 431, 'headers_too_large'],
  ['HPE_INVALID_METHOD', 400, 'invalid_request'],
])(
  '%s is answered %i, a problem document, and the line is closed',
  async (code, status, problem) => {
    const [head = '', body = ''] = (await answerTo(code)).split('\r\n\r\n')
    expect(head).toContain(`HTTP/1.1 ${status} `)
    expect(head).toContain('application/problem+json')
    expect(JSON.parse(body)).toMatchObject({ status, code: problem, errors: [] })
  },
)

it('says nothing to a caller who has gone', async () => {
  expect(await answerTo('ECONNRESET')).toBe('')
})
