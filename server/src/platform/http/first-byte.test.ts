import { once } from 'node:events'
import { get } from 'node:http'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import fastify from 'fastify'
import { describe, expect, it } from 'vitest'
import { awaitFirstBytes } from './first-byte.ts'

/** Sends what is made, and notes with which status each answer begins. */
async function sending(make: () => Readable) {
  const began: number[] = []
  const http = fastify()
  awaitFirstBytes(http)
  http.addHook('onSend', (_request, reply, payload, done) => {
    if (!reply.raw.destroyed) began.push(reply.statusCode)
    done(null, payload)
  })
  http.get('/', (_, reply) => reply.send(make()))
  const url = await http.listen({ host: '127.0.0.1', port: 0 })
  return { url, began, [Symbol.asyncDispose]: () => http.close() }
}

async function* late(bytes: number): AsyncGenerator<Buffer> {
  await sleep(20)
  for (let sent = 0; sent < bytes; sent += 65_536) yield Buffer.alloc(65_536, sent / 65_536)
}
// biome-ignore lint/correctness/useYield: that it fails before is what it is for
async function* broken(): AsyncGenerator<Buffer> {
  await sleep(20)
  throw new Error('storage broke off')
}
async function* breaking(): AsyncGenerator<Buffer> {
  yield Buffer.alloc(1000)
  await sleep(20)
  throw new Error('storage broke off')
}

describe('an answer that is streamed', () => {
  it('arrives whole, and begins once', async () => {
    const bytes = 64 * 65_536
    await using server = await sending(() => Readable.from(late(bytes)))
    const body = Buffer.from(await (await fetch(server.url)).arrayBuffer())
    expect(body.equals(Buffer.concat(await Array.fromAsync(late(bytes))))).toBe(true)
    expect(server.began).toEqual([200])
  })

  it('begins also if there is nothing in it', async () => {
    await using server = await sending(() => Readable.from([]))
    expect(await (await fetch(server.url)).text()).toBe('')
    expect(server.began).toEqual([200])
  })

  it('begins as a failure, and as nothing else, if it fails before its first byte', async () => {
    await using server = await sending(() => Readable.from(broken()))
    expect((await fetch(server.url)).status).toBe(500)
    expect(server.began).toEqual([500])
  })

  it('has failed before it is sent, and begins as a failure too', async () => {
    const dead = () => new Readable().destroy(new Error('storage broke off'))
    await using server = await sending(dead)
    expect((await fetch(server.url)).status).toBe(500)
    expect(server.began).toEqual([500])
  })

  it('has begun if it fails after its first byte', async () => {
    await using server = await sending(() => Readable.from(breaking()))
    const answer = await fetch(server.url)
    expect(answer.status).toBe(200)
    await expect(answer.arrayBuffer()).rejects.toThrow()
    expect(server.began).toEqual([200])
  })

  it('is not read on for a caller who hangs up before its first byte', async () => {
    const stalled = new Readable({ read: () => undefined })
    const asked = Promise.withResolvers<void>()
    await using server = await sending(() => {
      asked.resolve()
      return stalled
    })
    const asking = get(server.url, { agent: false }).on('error', () => undefined)
    await asked.promise
    asking.destroy()
    await once(stalled, 'close')
    expect(server.began).toEqual([])
  })
})
