import { once } from 'node:events'
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, vi } from 'vitest'
import type { OrganizationId } from '../../../kernel/ids.ts'
import { disconnectAfter, sendingSecondsMax, untilDisconnected, Viewers } from './viewers.ts'

const [ours, theirs] = ['ours1234', 'theirs12'] as OrganizationId[] as [OrganizationId, OrganizationId]

/** A server whose responses the test controls. */
async function openServer(onRequest: (response: ServerResponse) => void) {
  const server = createServer((_, response) => onRequest(response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    async request() {
      const request = get({ port, host: '127.0.0.1', agent: false })
      request.on('error', () => undefined)
      const [response] = (await once(request, 'response')) as [IncomingMessage]
      return { request, response }
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
  await using server = await openServer((response) => {
    response.write('begun')
    resolve(response)
  })
  const { request } = await server.request()
  const response = await promise
  request.destroy()
  await once(response, 'close')
  return response
}

describe('concurrent media files', () => {
  it('are limited per organization, and a slot is freed when a response ends', async () => {
    const viewers = new Viewers(2)
    const statuses: number[] = []
    await using server = await openServer((response) => {
      try {
        viewers.admit(ours, response)
        statuses.push(200)
      } catch {
        statuses.push(503)
      }
      response.write('begun')
    })
    const first = await server.request()
    await server.request()
    await server.request()
    expect(statuses).toEqual([200, 200, 503])
    first.request.destroy()
    await expect
      .poll(async () => {
        await server.request()
        return statuses.at(-1)
      })
      .toBe(200)
  })

  it('are counted separately for each organization', async () => {
    const viewers = new Viewers(1)
    const owners = [ours, theirs, ours]
    const errors: unknown[] = []
    await using server = await openServer((response) => {
      try {
        viewers.admit(owners.shift() ?? ours, response)
      } catch (error) {
        errors.push(error)
      }
      response.write('begun')
    })
    await server.request()
    await server.request()
    expect(errors).toEqual([])
    await server.request()
    expect(errors).toMatchObject([{ code: 'unavailable', retryAfterSeconds: 1 }])
  })

  it('a viewer who disconnects while queued frees their slot', async () => {
    const viewers = new Viewers(1)
    viewers.admit(ours, await abandoned())
    const { promise: present, resolve } = Promise.withResolvers<ServerResponse>()
    await using server = await openServer((response) => {
      response.write('begun')
      resolve(response)
    })
    await server.request()
    const response = await present
    expect(() => viewers.admit(ours, response)).not.toThrow()
    expect(() => viewers.admit(ours, response)).toThrow()
  })
})

describe('a viewer', () => {
  it('is disconnected when the time for a file is up, even if they keep reading slowly', async () => {
    await using server = await openServer((response) => {
      disconnectAfter(response, 0.3)
      response.writeHead(200, { 'content-length': 1_000_000 })
      const drip = setInterval(() => response.write('x'), 20)
      response.once('close', () => clearInterval(drip))
    })
    const { response } = await server.request()
    response.resume()
    await expect(once(response, 'end')).rejects.toThrow('aborted')
  })

  it('causes no read from storage and no timer after a disconnect', async () => {
    const response = await abandoned()
    expect(untilDisconnected(response).aborted).toBe(true)
    vi.useFakeTimers()
    try {
      disconnectAfter(response, 60)
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
  ])('receiving %d bytes may take at most %d seconds', (bytes, seconds) => {
    expect(sendingSecondsMax(bytes)).toBe(seconds)
  })
})
