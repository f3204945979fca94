import { once } from 'node:events'
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, vi } from 'vitest'
import type { OrganizationId } from '../../kernel/ids.ts'
import { hangUpAfter, sendingSecondsMax, untilHungUp, Viewers } from './viewers.ts'

const [ours, theirs] = ['ours1234', 'theirs12'] as OrganizationId[] as [
  OrganizationId,
  OrganizationId,
]

/** A server whose responses the test controls. */
async function answering(onRequest: (answer: ServerResponse) => void) {
  const server = createServer((_, answer) => onRequest(answer))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    async ask() {
      const request = get({ port, host: '127.0.0.1', agent: false })
      request.on('error', () => undefined)
      const [answer] = (await once(request, 'response')) as [IncomingMessage]
      return { request, answer }
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** The response to a request whose client has disconnected before the handler ran. */
async function abandoned(): Promise<ServerResponse> {
  const { promise, resolve } = Promise.withResolvers<ServerResponse>()
  await using server = await answering((answer) => {
    answer.write('begun')
    resolve(answer)
  })
  const { request } = await server.ask()
  const answer = await promise
  request.destroy()
  await once(answer, 'close')
  return answer
}

describe('concurrent media files', () => {
  it('of one organization are limited, and a slot is freed when a response ends', async () => {
    const viewers = new Viewers(2)
    const statuses: number[] = []
    await using server = await answering((answer) => {
      try {
        viewers.admit(ours, answer)
        statuses.push(200)
      } catch {
        statuses.push(503)
      }
      answer.write('begun')
    })
    const first = await server.ask()
    await server.ask()
    await server.ask()
    expect(statuses).toEqual([200, 200, 503])
    first.request.destroy()
    await expect
      .poll(async () => {
        await server.ask()
        return statuses.at(-1)
      })
      .toBe(200)
  })

  it('of another organization are counted separately', async () => {
    const viewers = new Viewers(1)
    const owners = [ours, theirs, ours]
    const refusals: unknown[] = []
    await using server = await answering((answer) => {
      try {
        viewers.admit(owners.shift() ?? ours, answer)
      } catch (error) {
        refusals.push(error)
      }
      answer.write('begun')
    })
    await server.ask()
    await server.ask()
    expect(refusals).toEqual([])
    await server.ask()
    expect(refusals).toMatchObject([{ code: 'unavailable', retryAfterSeconds: 1 }])
  })

  it('a viewer who disconnects while queued frees their slot', async () => {
    const viewers = new Viewers(1)
    viewers.admit(ours, await abandoned())
    const { promise: present, resolve } = Promise.withResolvers<ServerResponse>()
    await using server = await answering((answer) => {
      answer.write('begun')
      resolve(answer)
    })
    await server.ask()
    const answer = await present
    expect(() => viewers.admit(ours, answer)).not.toThrow()
    expect(() => viewers.admit(ours, answer)).toThrow()
  })
})

describe('a viewer', () => {
  it('is disconnected when the time is up, even if they keep reading slowly', async () => {
    await using server = await answering((answer) => {
      hangUpAfter(answer, 0.3)
      answer.writeHead(200, { 'content-length': 1_000_000 })
      const drip = setInterval(() => answer.write('x'), 20)
      answer.once('close', () => clearInterval(drip))
    })
    const { answer } = await server.ask()
    answer.resume()
    await expect(once(answer, 'end')).rejects.toThrow('aborted')
  })

  it('causes no read from storage and no timer after a disconnect', async () => {
    const answer = await abandoned()
    expect(untilHungUp(answer).aborted).toBe(true)
    vi.useFakeTimers()
    try {
      hangUpAfter(answer, 60)
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })

  it.each([
    [0, 60],
    [8000, 61],
    [8001, 62],
    [8_000_000, 1060],
  ])('may take for %d bytes at most %d seconds', (bytes, seconds) => {
    expect(sendingSecondsMax(bytes)).toBe(seconds)
  })
})
