/** How long a request to storage may take, by Node's client and by `fetch`, which edge runtimes have. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openScriptedServer } from '../../testing/scripted-server.ts'
import { TimeoutError } from '../http/errors.ts'
import { openSource as openInNode } from './node.ts'
import { watchOver } from './time-limits.ts'

// It has the same names; its own types are those of pages, which this is not compiled for.
const { openSource: openOnTheWeb } = await vi.importActual<typeof import('./node.ts')>('./web.ts')

const file = new Blob(['sixteen bytes...'])
const range = { begin: 0, end: file.size }
const { signal } = new AbortController()
const THIRTY_DAYS_SECONDS = 30 * 86_400
const MEBIBYTE = 1024 ** 2

/**
 * Takes what comes only after a while: so long, the systems in between hold as much as they can,
 * and the client sees nothing move.
 */
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
])('a request by %s', (_, openSource) => {
  it('ends when nothing moves', async () => {
    using server = await openScriptedServer('silence')
    const source = await openSource(file)
    const manner = { onSent() {}, signal, idleSeconds: 0.1 }
    await expect(source.put(server.url, range, manner)).rejects.toThrow(TimeoutError)
    await source.close()
  })

  it('does not end while a slow line has bytes to carry', async () => {
    using server = await openSlowServer(2)
    const large = new Blob([new Uint8Array(16 * MEBIBYTE)])
    const source = await openSource(large)
    const manner = { onSent() {}, signal, idleSeconds: 0.5 }
    const answer = await source.put(server.url, { begin: 0, end: large.size }, manner)
    expect(answer).toEqual({ status: 200, text: 'taken' })
    await source.close()
  })

  it.each([THIRTY_DAYS_SECONDS, Number.POSITIVE_INFINITY])(
    'is waited for although its limit is more than a timer can count: %d',
    async (idleSeconds) => {
      using server = await openScriptedServer((response) => {
        setTimeout(() => response.end('late'), 100)
      })
      const source = await openSource(file)
      const answer = await source.put(server.url, range, { onSent() {}, signal, idleSeconds })
      expect(answer).toEqual({ status: 200, text: 'late' })
      await source.close()
    },
  )
})

describe('a line is taken for dead', () => {
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
  ])('with %d bytes handed over, after %d seconds', async (bytes, seconds) => {
    const giveUp = vi.fn()
    const { moved } = watchOver('https://storage.example/a', 60, giveUp)
    moved(bytes)
    await vi.advanceTimersByTimeAsync(seconds * 1000 - 1)
    expect(giveUp).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    const reason = `Nothing moved to storage.example for ${seconds} seconds.`
    expect(giveUp.mock.calls).toEqual([[new TimeoutError(reason)]])
  })

  it('not any more when its request is over, whatever still moves', () => {
    const { moved, end } = watchOver('https://storage.example/a', 60, vi.fn())
    end()
    moved(MEBIBYTE)
    expect(vi.getTimerCount()).toBe(0)
  })
})
