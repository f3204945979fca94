import { once } from 'node:events'
import { get, request } from 'node:http'
import { Readable } from 'node:stream'
import fastify, { type FastifyReply } from 'fastify'
import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { openRequestMetrics } from '../observability/metrics.ts'
import { countRequests } from './request-counting.ts'

const config = { operation: 'listFolders' }
const REQUESTS = 'reelkeep_http_requests_total'
const DURATION = 'reelkeep_http_request_duration_seconds'

/** A server that answers with a stream, or with a text, once `ready` lets it. */
async function answering(
  ready: (reply: FastifyReply) => Promise<unknown>,
  answer: () => Readable | string = () => Readable.from(['a piece']),
) {
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
  http.addHook('onRequest', (_request, _reply, done) => {
    begun.resolve()
    done()
  })
  http.route({
    method: ['GET', 'POST'],
    url: '/',
    config,
    handler: async (_, reply) => {
      await ready(reply)
      return reply.send(answer())
    },
  })
  const url = await http.listen({ host: '127.0.0.1', port: 0 })
  const valuesOf = async (name: string) =>
    (await registry.getSingleMetric(name)?.get())?.values ?? []
  const totalOf = async (name: string) =>
    (await valuesOf(name)).reduce((sum, { value }) => sum + value, 0)
  return {
    url,
    begun: begun.promise,
    sent: sent.promise,
    inFlight: () => totalOf('reelkeep_http_requests_in_flight'),
    /** By status; what is 0 as well. */
    counted: async () =>
      Object.fromEntries(
        (await valuesOf(REQUESTS)).map((one) => [one.labels['status'], one.value]),
      ),
    /** Of those that were counted. */
    seconds: async (of: 'count' | 'sum') => {
      const text = await registry.getSingleMetricAsString(DURATION)
      return Number(new RegExp(`^${DURATION}_${of}\\{.*\\} (.*)$`, 'm').exec(text)?.[1])
    },
    [Symbol.asyncDispose]: () => http.close(),
  }
}

const ask = (url: string) => get(url, { agent: false }).on('error', () => undefined)
const none = { 500: 0, 503: 0 }

it('what may fail is there, with nothing in it, before it is asked for', async () => {
  await using server = await answering(async () => undefined)
  expect(await server.counted()).toEqual(none)
  expect(await server.seconds('count')).toBe(0)
})

it('a caller who gives up before an answer begins is one who did, with the time that he waited', async () => {
  await using server = await answering(({ raw }) => once(raw, 'close'))
  const [asking, since] = [ask(server.url), performance.now()]
  await server.begun
  expect(await server.inFlight()).toBe(1)
  await expect.poll(() => performance.now() - since).toBeGreaterThan(600)
  asking.destroy()
  await server.sent
  expect(await server.inFlight()).toBe(0)
  expect(await server.counted()).toEqual({ ...none, 499: 1 })
  expect(await server.seconds('count')).toBe(1)
  expect(await server.seconds('sum')).toBeGreaterThan(0.5)
})

it('one who hangs up before he has said what he wants has waited for nobody', async () => {
  await using server = await answering(async () => undefined)
  const headers = { 'Content-Type': 'application/json', 'Content-Length': '100' }
  const asking = request(server.url, { method: 'POST', agent: false, headers })
  asking.on('error', () => undefined).write('{"title": "half of')
  await server.begun
  asking.destroy()
  await expect.poll(server.inFlight).toBe(0)
  expect(await server.counted()).toEqual(none)
  expect(await server.seconds('count')).toBe(0)
})

it.each([
  ['a stream', () => Readable.from(['a piece'])],
  ['a text', () => 'an answer'],
])('a caller who takes %s to its end ends one request, and is answered once', async (_, answer) => {
  await using server = await answering(async () => undefined, answer)
  const [got] = await once(ask(server.url), 'response')
  await once(got.resume(), 'close')
  await expect.poll(server.inFlight).toBe(0)
  expect(await server.counted()).toEqual({ ...none, 200: 1 })
  expect(await server.seconds('count')).toBe(1)
})
