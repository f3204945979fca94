import { once } from 'node:events'
import { get } from 'node:http'
import { Readable } from 'node:stream'
import fastify, { LogController } from 'fastify'
import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { awaitResponseStart } from '../../../platform/http/instrumentation/response-start.ts'
import { sendProblem } from '../../../platform/http/problem.ts'
import { openPlaybackMetrics } from '../playback-metrics.ts'
import { countResponses } from './response-counting.ts'
import { untilDisconnected } from './viewers.ts'

type Line = { readonly level: number; readonly msg: string }

type StorageFailure = 'stalls' | 'fails' | 'disconnects'

/**
 * Starts a request for a media file while storage stalls, fails, or disconnects before the first byte. `failed`
 * resolves when the request has failed.
 */
async function startDelivery(failure: StorageFailure) {
  const registry = new Registry()
  const lines: Line[] = []
  const reached = Promise.withResolvers<void>()
  const failed = Promise.withResolvers<void>()
  const stream = { write: (line: string) => void lines.push(JSON.parse(line)) }
  const http = fastify({
    logger: { level: 'info', stream },
    logController: new LogController({ disableRequestLogging: true }),
  })
  awaitResponseStart(http)
  http.setErrorHandler((error, request, reply) => {
    const sent = sendProblem(error, request, reply, 'http://docs.example')
    failed.resolve()
    return sent
  })
  http.get('/file', { onSend: countResponses(openPlaybackMetrics(registry)) }, async (_, reply) => {
    const signal = untilDisconnected(reply.raw)
    reached.resolve()
    if (failure === 'stalls') await once(signal, 'abort')
    const error = new Error('storage failed')
    if (failure !== 'disconnects') throw error
    const read = function (this: Readable) {
      this.destroy(error)
    }
    return reply.send(new Readable({ read }))
  })
  const url = await http.listen({ host: '127.0.0.1', port: 0 })
  const request = get(`${url}/file`, { agent: false }).on('error', () => undefined)
  return {
    request,
    lines,
    reached: reached.promise,
    failed: failed.promise,
    counted: async () => {
      const [counter] = await registry.getMetricsAsJSON()
      const grown = counter?.values.filter(({ value }) => value > 0)
      return grown?.map(({ labels, value }) => ({ ...labels, value }))
    },
    [Symbol.asyncDispose]: () => http.close(),
  }
}

const failures = (lines: readonly Line[]) => lines.filter(({ msg }) => msg === 'request failed')

it('a viewer who disconnects while storage stalls is not counted as a server error', async () => {
  await using delivery = await startDelivery('stalls')
  await delivery.reached
  delivery.request.destroy()
  await delivery.failed
  expect(await delivery.counted()).toEqual([])
  expect(failures(delivery.lines)).toEqual([])
})

it.each(['fails', 'disconnects'] as const)(
  'a request fails with a counted server error when storage %s',
  async (failure) => {
    await using delivery = await startDelivery(failure)
    await delivery.failed
    expect(await delivery.counted()).toEqual([{ kind: 'none', status: '500', value: 1 }])
    expect(failures(delivery.lines)).toHaveLength(1)
  },
)
