import { once } from 'node:events'
import { get } from 'node:http'
import { Readable } from 'node:stream'
import fastify, { type FastifyReply } from 'fastify'
import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { openRequestMetrics } from '../observability/metrics.ts'
import { countRequests } from './request-counting.ts'

/** A server that streams, once `ready` lets it. */
async function streaming(ready: (reply: FastifyReply) => Promise<unknown>) {
  const registry = new Registry()
  const begun = Promise.withResolvers<void>()
  const sent = Promise.withResolvers<void>()
  const http = fastify()
  countRequests(http, openRequestMetrics(registry))
  // After ours, so what is awaited has been counted.
  http.addHook('onSend', (_request, _reply, payload, done) => {
    done(null, payload)
    sent.resolve()
  })
  http.get('/', async (_, reply) => {
    begun.resolve()
    await ready(reply)
    return reply.send(Readable.from(['a piece']))
  })
  const url = await http.listen({ host: '127.0.0.1', port: 0 })
  const asking = get(url, { agent: false }).on('error', () => undefined)
  const totalOf = async (name: string) => {
    const values = (await registry.getSingleMetric(name)?.get())?.values ?? []
    return values.reduce((sum, { value }) => sum + value, 0)
  }
  return {
    asking,
    begun: begun.promise,
    sent: sent.promise,
    inFlight: () => totalOf('reelkeep_http_requests_in_flight'),
    answered: () => totalOf('reelkeep_http_requests_total'),
    [Symbol.asyncDispose]: () => http.close(),
  }
}

it('a caller who hangs up before a stream begins ends one request, and is answered nothing', async () => {
  await using server = await streaming(({ raw }) => once(raw, 'close'))
  await server.begun
  expect(await server.inFlight()).toBe(1)
  server.asking.destroy()
  await server.sent
  expect(await server.inFlight()).toBe(0)
  expect(await server.answered()).toBe(0)
})

it('a caller who takes a stream to its end ends one request, and is answered once', async () => {
  await using server = await streaming(async () => undefined)
  const [answer] = await once(server.asking, 'response')
  await once(answer.resume(), 'close')
  await expect.poll(server.inFlight).toBe(0)
  expect(await server.answered()).toBe(1)
})
