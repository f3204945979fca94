import { once } from 'node:events'
import { get } from 'node:http'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import fastify from 'fastify'
import { describe, expect, it } from 'vitest'
import { awaitResponseStart } from './response-start.ts'

/** A server that sends the stream and records the status of each response start. */
async function serve(make: () => Readable) {
  const statuses: number[] = []
  const http = fastify()
  awaitResponseStart(http)
  http.addHook('onSend', (_request, reply, payload, done) => {
    if (!reply.raw.destroyed) statuses.push(reply.statusCode)
    done(null, payload)
  })
  http.get('/', (_, reply) => reply.send(make()))
  const url = await http.listen({ host: '127.0.0.1', port: 0 })
  return { url, statuses, [Symbol.asyncDispose]: () => http.close() }
}

async function* late(bytes: number): AsyncGenerator<Buffer> {
  await sleep(20)
  for (let sent = 0; sent < bytes; sent += 65_536) yield Buffer.alloc(65_536, sent / 65_536)
}
// biome-ignore lint/correctness/useYield: it must fail before the first byte
async function* failingBefore(): AsyncGenerator<Buffer> {
  await sleep(20)
  throw new Error('storage broke off')
}
async function* failingAfter(): AsyncGenerator<Buffer> {
  yield Buffer.alloc(1000)
  await sleep(20)
  throw new Error('storage broke off')
}

describe('a streamed response', () => {
  it('arrives completely, and the hooks after awaitResponseStart run once', async () => {
    const bytes = 64 * 65_536
    await using server = await serve(() => Readable.from(late(bytes)))
    const body = Buffer.from(await (await fetch(server.url)).arrayBuffer())
    expect(body.equals(Buffer.concat(await Array.fromAsync(late(bytes))))).toBe(true)
    expect(server.statuses).toEqual([200])
  })

  it('starts even if it is empty', async () => {
    await using server = await serve(() => Readable.from([]))
    expect(await (await fetch(server.url)).text()).toBe('')
    expect(server.statuses).toEqual([200])
  })

  it('starts with an error status if the stream fails before its first byte', async () => {
    await using server = await serve(() => Readable.from(failingBefore()))
    expect((await fetch(server.url)).status).toBe(500)
    expect(server.statuses).toEqual([500])
  })

  it('starts with an error status if the stream has failed before it is sent', async () => {
    const dead = () => new Readable().destroy(new Error('storage broke off'))
    await using server = await serve(dead)
    expect((await fetch(server.url)).status).toBe(500)
    expect(server.statuses).toEqual([500])
  })

  it('keeps its status if the stream fails after its first byte', async () => {
    await using server = await serve(() => Readable.from(failingAfter()))
    const response = await fetch(server.url)
    expect(response.status).toBe(200)
    await expect(response.arrayBuffer()).rejects.toThrow()
    expect(server.statuses).toEqual([200])
  })

  it('destroys the stream if the client disconnects before its first byte', async () => {
    const stalled = new Readable({ read: () => undefined })
    const requested = Promise.withResolvers<void>()
    await using server = await serve(() => {
      requested.resolve()
      return stalled
    })
    const request = get(server.url, { agent: false }).on('error', () => undefined)
    await requested.promise
    request.destroy()
    await once(stalled, 'close')
    expect(server.statuses).toEqual([])
  })
})
