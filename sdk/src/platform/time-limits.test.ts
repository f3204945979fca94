/** Timeouts of requests to storage, with Node's client and with `fetch` (edge runtimes). */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openScriptedServer } from '../../testing/scripted-server.ts'
import { TimeoutError } from '../http/errors.ts'
import { openSource as openInNode } from './node.ts'
import { watchIdle } from './time-limits.ts'

// `web.ts` exports the same names as `node.ts`; its own types need the DOM library.
const { openSource: openOnTheWeb } = await vi.importActual<typeof import('./node.ts')>('./web.ts')

const file = new Blob(['sixteen bytes...'])
const range = { begin: 0, end: file.size }
const { signal } = new AbortController()
const THIRTY_DAYS_SECONDS = 30 * 86_400
const MEBIBYTE = 1024 ** 2

/** Reads the request body only after a delay. Until then, socket buffers fill up and the client sees no progress. */
async function openSlowServer(seconds: number) {
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    setTimeout(() => request.resume().on('end', () => response.end('taken')), seconds * 1000)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.dispose]: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

describe.each([
  ['Node', openInNode],
  ['fetch', openOnTheWeb],
])('a request with %s', (_, openSource) => {
  it('times out when there is no progress', async () => {
    using server = await openScriptedServer('hang')
    const source = await openSource(file)
    const options = { onSent() {}, signal, idleSeconds: 0.1 }
    await expect(source.put(server.url, range, options)).rejects.toThrow(TimeoutError)
    await source.close()
  })

  it('does not time out while a slow connection has bytes in flight', async () => {
    using server = await openSlowServer(2)
    const large = new Blob([new Uint8Array(16 * MEBIBYTE)])
    const source = await openSource(large)
    const options = { onSent() {}, signal, idleSeconds: 0.5 }
    const response = await source.put(server.url, { begin: 0, end: large.size }, options)
    expect(response).toEqual({ status: 200, text: 'taken' })
    await source.close()
  })

  it.each([THIRTY_DAYS_SECONDS, Number.POSITIVE_INFINITY])(
    'may have a timeout longer than timers support: %d seconds',
    async (idleSeconds) => {
      using server = await openScriptedServer((response) => {
        setTimeout(() => response.end('late'), 100)
      })
      const source = await openSource(file)
      const response = await source.put(server.url, range, { onSent() {}, signal, idleSeconds })
      expect(response).toEqual({ status: 200, text: 'late' })
      await source.close()
    },
  )
})

describe('the idle timeout', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it.each([
    [0, 60],
    [MEBIBYTE, 92],
    [3000 * MEBIBYTE, 204],
  ])('for %d buffered bytes is %d seconds', async (bytes, seconds) => {
    const onIdle = vi.fn()
    const { progressed } = watchIdle('https://storage.example/a', 60, onIdle)
    progressed(bytes)
    await vi.advanceTimersByTimeAsync(seconds * 1000 - 1)
    expect(onIdle).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    const reason = `The upload to storage.example made no progress for ${seconds} seconds.`
    expect(onIdle.mock.calls).toEqual([[new TimeoutError(reason)]])
  })

  it('is not restarted after the request has ended', () => {
    const { progressed, end } = watchIdle('https://storage.example/a', 60, vi.fn())
    end()
    progressed(MEBIBYTE)
    expect(vi.getTimerCount()).toBe(0)
  })
})
