import { Readable } from 'node:stream'
import fastify from 'fastify'
import { expect, it } from 'vitest'
import { sendProblem } from './problem.ts'

it('a response that fails before its first byte is not cacheable, whatever headers were set', async () => {
  await using http = fastify()
  http.setErrorHandler((error, request, reply) => sendProblem(error, request, reply, 'http://docs.example'))
  http.get('/file', (_, reply) =>
    reply
      .header('Cache-Control', 'private, max-age=31536000, immutable')
      .header('ETag', '"of the file"')
      .header('Accept-Ranges', 'bytes')
      .header('Content-Range', 'bytes 0-9/100')
      .send(new Readable({ read: (() => undefined) as never }).destroy(new Error('reset'))),
  )
  const { statusCode, headers } = await http.inject('/file')
  expect(statusCode).toBe(500)
  expect(headers['cache-control']).toBe('no-store')
  for (const name of ['etag', 'accept-ranges', 'content-range']) {
    expect(headers).not.toHaveProperty(name)
  }
})
