import { once } from 'node:events'
import { get } from 'node:http'
import { Readable } from 'node:stream'
import fastify, { LogController } from 'fastify'
import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { awaitResponseStart } from '../../platform/http/instrumentation/response-start.ts'
import { sendProblem } from '../../platform/http/problem.ts'
import { openPlaybackMetrics } from './playback-metrics.ts'
import { countAnswers } from './response-counting.ts'
import { untilHungUp } from './viewers.ts'

type Line = { readonly level: number; readonly msg: string }

type Trouble = 'stalls' | 'refuses' | 'breaks off'

/**
 * Starts a request for a media file while storage stalls, refuses it, or breaks off before the first byte. `failed`
 * resolves when the request has failed.
 */
async function delivering(trouble: Trouble) {
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
  http.get('/piece', { onSend: countAnswers(openPlaybackMetrics(registry)) }, async (_, reply) => {
    const signal = untilHungUp(reply.raw)
    reached.resolve()
    if (trouble === 'stalls') await once(signal, 'abort')
    const fault = new Error('storage is in trouble')
    if (trouble !== 'breaks off') throw fault
    const read = function (this: Readable) {
      this.destroy(fault)
    }
    return reply.send(new Readable({ read }))
  })
  const url = await http.listen({ host: '127.0.0.1', port: 0 })
  const asking = get(`${url}/piece`, { agent: false }).on('error', () => undefined)
  return {
    asking,
    lines,
    reached: reached.promise,
    failed: failed.promise,
    counted: async () => {
      const [answers] = await registry.getMetricsAsJSON()
      const grown = answers?.values.filter(({ value }) => value > 0)
      return grown?.map(({ labels, value }) => ({ ...labels, value }))
    },
    [Symbol.asyncDispose]: () => http.close(),
  }
}

const failures = (lines: readonly Line[]) => lines.filter(({ msg }) => msg === 'request failed')

it('a viewer who disconnects while storage stalls is not counted as a server error', async () => {
  await using piece = await delivering('stalls')
  await piece.reached
  piece.asking.destroy()
  await piece.failed
  expect(await piece.counted()).toEqual([])
  expect(failures(piece.lines)).toEqual([])
})

it.each(['refuses', 'breaks off'] as const)(
  'a request fails with a counted server error when storage %s',
  async (trouble) => {
    await using piece = await delivering(trouble)
    await piece.failed
    expect(await piece.counted()).toEqual([{ kind: 'none', status: '500', value: 1 }])
    expect(failures(piece.lines)).toHaveLength(1)
  },
)
