import { once } from 'node:events'
import { get, request } from 'node:http'
import { Readable } from 'node:stream'
import fastify, { type FastifyReply } from 'fastify'
import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { openRequestMetrics } from '../../observability/metrics.ts'
import { countRequests } from './request-counting.ts'

const config = { operation: 'listFolders' }
const REQUESTS = 'reelkeep_http_requests_total'
const DURATION = 'reelkeep_http_request_duration_seconds'

/** A server that responds with a stream or a text after `ready` resolves. */
async function serve(
  ready: (reply: FastifyReply) => Promise<unknown>,
  body: () => Readable | string = () => Readable.from(['a chunk']),
) {
  const registry = new Registry()
  const begun = Promise.withResolvers<void>()
  const sent = Promise.withResolvers<void>()
  const http = fastify()
  countRequests(http, openRequestMetrics(registry))
  // This hook runs after the counting hook, so that the request is counted when `sent` resolves.
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
      return reply.send(body())
    },
  })
  const url = await http.listen({ host: '127.0.0.1', port: 0 })
  const valuesOf = async (name: string) => (await registry.getSingleMetric(name)?.get())?.values ?? []
  const totalOf = async (name: string) => (await valuesOf(name)).reduce((sum, { value }) => sum + value, 0)
  return {
    url,
    begun: begun.promise,
    sent: sent.promise,
    inFlight: () => totalOf('reelkeep_http_requests_in_flight'),
    /** Numbers of requests by status, including zeros. */
    counted: async () =>
      Object.fromEntries((await valuesOf(REQUESTS)).map(({ labels, value }) => [labels['status'], value])),
    /** Number or sum of the measured request durations. */
    seconds: async (of: 'count' | 'sum') => {
      const text = await registry.getSingleMetricAsString(DURATION)
      return Number(new RegExp(`^${DURATION}_${of}\\{.*\\} (.*)$`, 'm').exec(text)?.[1])
    },
    [Symbol.asyncDispose]: () => http.close(),
  }
}

const sendGet = (url: string) => get(url, { agent: false }).on('error', () => undefined)
const none = { 500: 0, 503: 0 }

it('the series of server errors exist with value 0 before the first request', async () => {
  await using server = await serve(async () => undefined)
  expect(await server.counted()).toEqual(none)
  expect(await server.seconds('count')).toBe(0)
})

it('a client that disconnects before the response is counted as 499 with the time it waited', async () => {
  await using server = await serve(({ raw }) => once(raw, 'close'))
  const [client, since] = [sendGet(server.url), performance.now()]
  await server.begun
  expect(await server.inFlight()).toBe(1)
  await expect.poll(() => performance.now() - since).toBeGreaterThan(600)
  client.destroy()
  await server.sent
  expect(await server.inFlight()).toBe(0)
  expect(await server.counted()).toEqual({ ...none, 499: 1 })
  expect(await server.seconds('count')).toBe(1)
  expect(await server.seconds('sum')).toBeGreaterThan(0.5)
})

it('a client that disconnects before its request is complete is not counted', async () => {
  await using server = await serve(async () => undefined)
  const headers = { 'Content-Type': 'application/json', 'Content-Length': '100' }
  const client = request(server.url, { method: 'POST', agent: false, headers })
  client.on('error', () => undefined).write('{"title": "half of')
  await server.begun
  client.destroy()
  await expect.poll(server.inFlight).toBe(0)
  expect(await server.counted()).toEqual(none)
  expect(await server.seconds('count')).toBe(0)
})

it.each([
  ['a stream', () => Readable.from(['a chunk'])],
  ['a text', () => 'a text'],
])('a client that reads %s to the end is counted once', async (_, body) => {
  await using server = await serve(async () => undefined, body)
  const [got] = await once(sendGet(server.url), 'response')
  await once(got.resume(), 'close')
  await expect.poll(server.inFlight).toBe(0)
  expect(await server.counted()).toEqual({ ...none, 200: 1 })
  expect(await server.seconds('count')).toBe(1)
})
