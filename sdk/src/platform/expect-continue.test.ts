/** Node sends `Expect: 100-continue` to storage; some proxies reject it. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { openSource } from './node.ts'

it('an upload is sent without Expect if a proxy rejects the header', async () => {
  const received: unknown[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      received.push([request.headers.expect, body])
      response.end('taken')
    })
  })
  server.on('checkContinue', (request, response) => {
    received.push([request.headers.expect])
    response.writeHead(417).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const source = await openSource(new Blob(['sixteen bytes...']))
  const { signal } = new AbortController()
  const sent: number[] = []
  const options = { onSent: (bytes: number) => sent.push(bytes), signal, idleSeconds: 5 }
  const response = await source.put(url, { begin: 0, end: 16 }, options)
  expect(response).toEqual({ status: 200, text: 'taken' })
  expect(received).toEqual([['100-continue'], [undefined, 'sixteen bytes...']])
  expect(sent).toEqual([16])
  await source.close()
  await server[Symbol.asyncDispose]()
})
