import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { dirname } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { RELAY_CONNECTIONS_MAX } from '../sandbox/task.ts'
import { BlockReader } from './block-reader.ts'
import { openRelayServer } from './relay.ts'
import type { SourceObject } from './source.ts'

const content = Buffer.from('only object content')
const object: SourceObject = {
  sizeBytes: content.length,
  read: async ({ start, end }) =>
    (async function* () {
      yield content.subarray(start, end)
    })(),
}

async function openRelay() {
  const reader = new BlockReader(object, { bytesMax: 2 ** 20 }, new AbortController().signal)
  const relay = await openRelayServer({ reader, onReadError: () => undefined }, 'bubblewrap')
  const socketPath = Reflect.get(relay.input, 'socketPath') as string
  const request = async (path: string, range?: string) => {
    const headers = range === undefined ? {} : { range }
    const [response] = (await once(get({ socketPath, path, headers }), 'response')) as [IncomingMessage]
    return { status: response.statusCode, text: (await buffer(response)).toString() }
  }
  return { relay, socketPath, request, [Symbol.asyncDispose]: () => relay[Symbol.asyncDispose]() }
}

it('the relay serves one object, whole or in ranges, and nothing else', async () => {
  await using opened = await openRelay()
  const { request, relay } = opened
  expect(await request(relay.path)).toEqual({ status: 200, text: content.toString() })
  expect(await request(relay.path, 'bytes=5-10')).toEqual({ status: 206, text: 'object' })
  expect(await request(relay.path, `bytes=${content.length}-`)).toMatchObject({ status: 416 })
  for (const path of ['/', '/etc/passwd', `${relay.path}/`, `${relay.path}?x`, `/..${relay.path}`])
    expect(await request(path)).toEqual({ status: 404, text: '' })
})

it('the relay limits the number of connections', async () => {
  await using opened = await openRelay()
  const sockets = Array.from({ length: 3 * RELAY_CONNECTIONS_MAX }, () =>
    connect(opened.socketPath).on('error', () => undefined),
  )
  const refused = sockets.slice(RELAY_CONNECTIONS_MAX).map((socket) => once(socket.resume(), 'close'))
  await Promise.all(refused)
  expect(sockets.filter(({ closed }) => !closed)).toHaveLength(RELAY_CONNECTIONS_MAX)
  for (const socket of sockets) socket.destroy()
})

it('the relay leaves nothing in the file system after it is closed', async () => {
  const opened = await openRelay()
  expect(existsSync(opened.socketPath)).toBe(true)
  await opened[Symbol.asyncDispose]()
  expect(existsSync(dirname(opened.socketPath))).toBe(false)
})
