import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import type pg from 'pg'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { runBatch } from './pooled-client.ts'
import { PrimaryClient } from './primary-client.ts'

/** A message of the Postgres protocol: type, length, content. */
function message(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeUInt32BE(content.length + 4, 1)
  return Buffer.concat([head, content])
}

const authenticationOk = message('R', Buffer.alloc(4))
const readyForQuery = message('Z', Buffer.from('I'))
const commandComplete = message('C', Buffer.from('COMMIT\0'))
const notReplicated = message('N', Buffer.from('SWARNING\0C01000\0Mcanceling wait\0RSyncRepWaitForLSN\0\0'))

/** What the server sends for the first query. */
let response: readonly Buffer[]
let client: PrimaryClient

// Real Postgres does not decide which messages arrive together, so this server sends them in one write.
beforeEach(async () => {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => {
      socket.write(Buffer.concat([authenticationOk, readyForQuery]))
      socket.once('data', () => socket.write(Buffer.concat(response)))
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  client = new PrimaryClient({ host: '127.0.0.1', port, user: 'test', password: 'test', database: 'test' })
  await client.connect()
  return () => void server.close()
})
afterEach(() => client.abandon('the test has ended'))

const queries: Record<string, () => Promise<unknown>> = {
  batch: () => runBatch(client as unknown as pg.PoolClient, [{ name: '', text: 'commit', values: [] }]),
  'plain query': () => client.query('commit'),
}

it.each(Object.keys(queries))('a %s succeeds if its commit was replicated', async (kind) => {
  response = [commandComplete, readyForQuery]
  await expect(queries[kind]?.()).resolves.toBeDefined()
})

it.each(Object.keys(queries))('a %s fails if its commit was not replicated, although it succeeded', async (kind) => {
  response = [notReplicated, commandComplete, readyForQuery]
  await expect(queries[kind]?.()).rejects.toThrow('the commit was not replicated')
})
