import { recordedSpans } from '@reelkeep/testkit/recorded-spans'
import fastify from 'fastify'
import { expect, it } from 'vitest'
import { traceRequests } from './request-tracing.ts'

const clientTrace = '0af7651916cd43dd8448eb211c80319c'
const headers = { traceparent: `00-${clientTrace}-b7ad6b7169203331-01` }

type Config = { operation: string; isPublic?: true }

async function spanOf(config: Config, more: Record<string, string> = {}) {
  await using http = fastify({ requestIdHeader: 'x-request-id', genReqId: () => 'our-own-id' })
  traceRequests(http)
  http.get('/', { config: config as never }, async () => 'fine')
  recordedSpans.reset()
  await http.inject({ url: '/', headers: { ...headers, ...more } })
  await expect.poll(() => recordedSpans.getFinishedSpans().length).toBe(1)
  return recordedSpans.getFinishedSpans()[0]
}
const traceOf = async (config: Config) => (await spanOf(config))?.spanContext().traceId

it('a request continues the trace of its client', async () => {
  expect(await traceOf({ operation: 'listFolders' })).toBe(clientTrace)
})

it('a request to a public route does not continue the trace of its client', async () => {
  expect(await traceOf({ operation: 'play', isPublic: true })).not.toBe(clientTrace)
})

it('the span of a request has the request id unless the client chose the id', async () => {
  const config = { operation: 'listFolders' }
  expect((await spanOf(config))?.attributes).toMatchObject({ request_id: 'our-own-id' })
  const named = await spanOf(config, { 'x-request-id': 'canary-word' })
  expect(named?.attributes).not.toHaveProperty('request_id')
})
