/** An HTTP server for one object and one run, on a unix socket that only this sandbox can access. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

import type { SandboxMode } from '../sandbox/sandbox.ts'
import { RELAY_CONNECTIONS_MAX, sandboxPaths, type TaskInput } from '../sandbox/task.ts'
import { openTemporaryDirectory } from '../scratch/temporary-directories.ts'
import type { BlockReader } from './block-reader.ts'
import { requestedRange } from './requested-range.ts'
import type { ByteRange } from './source.ts'

/** `onReadError` is called with read errors, which the program inside the sandbox cannot report reliably. */
export type RelayOptions = {
  readonly reader: BlockReader
  readonly onReadError: (error: unknown) => void
}

export type Relay = AsyncDisposable & {
  /** Input of a task that reads from this relay. */
  readonly input: TaskInput
  readonly port: number
  /** URL path of the object. It is random, because in mode `none` other local processes can also connect. */
  readonly path: string
}

export async function openRelayServer(options: RelayOptions, mode: SandboxMode): Promise<Relay> {
  const path = `/${randomUUID()}`
  const server = serverOf(options, path)
  server.maxConnections = RELAY_CONNECTIONS_MAX
  if (mode === 'none') {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    return { input: { kind: 'none' }, port, path, [Symbol.asyncDispose]: () => close(server) }
  }
  const temporary = await openTemporaryDirectory('relay')
  const socketPath = join(temporary.directory, 'source.sock')
  server.listen(socketPath)
  await once(server, 'listening')
  return {
    input: { kind: 'relay', socketPath },
    port: sandboxPaths.relayPort,
    path,
    [Symbol.asyncDispose]: async () => {
      await close(server)
      await temporary[Symbol.asyncDispose]()
    },
  }
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}

const serverOf = (options: RelayOptions, path: string) =>
  createServer((request, response) => {
    if (request.url !== path) {
      response.writeHead(404).end()
      return
    }
    serve(options, request, response).catch((error) => {
      options.onReadError(error)
      response.destroy()
    })
  })

async function serve({ reader }: RelayOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { sizeBytes } = reader
  const range = requestedRange(request.headers.range, sizeBytes)
  response.setHeader('accept-ranges', 'bytes').setHeader('connection', 'close')
  if (range === 'unsatisfiable') {
    response.writeHead(416, { 'content-range': `bytes */${sizeBytes}` }).end()
    return
  }
  const { start, end } = range ?? { start: 0, end: sizeBytes }
  response.writeHead(range ? 206 : 200, {
    'content-length': end - start,
    ...(range ? { 'content-range': `bytes ${start}-${end - 1}/${sizeBytes}` } : {}),
  })
  if (request.method !== 'HEAD') await write(reader, { start, end }, response)
  response.end()
}

/** Respects backpressure: nothing is read before the program needs it. */
async function write(reader: BlockReader, range: ByteRange, response: ServerResponse) {
  const disconnected = new AbortController()
  response.on('close', () => disconnected.abort()).on('error', () => disconnected.abort())
  for await (const chunk of reader.chunks(range)) {
    if (disconnected.signal.aborted) return
    if (response.write(chunk)) continue
    await once(response, 'drain', { signal: disconnected.signal }).catch(() => undefined)
  }
}
