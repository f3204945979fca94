import { stackEnv, TcpProxy, timeout } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { fastify } from 'fastify'
import { expect, it } from 'vitest'
import { Database } from '../db/database.ts'
import { openLogger } from '../observability/logger.ts'
import { registerReadiness } from './health.ts'

const proxy = await opened(TcpProxy.open(stackEnv().DATABASE_URL))

it.each([
  [200, 900],
  [503, 0],
])(
  '/readyz/playback responds with %s while the database hangs, if viewers may watch for %s seconds',
  async (status, playbackOutageSeconds) => {
    proxy.reset()
    // Statements time out only after the test.
    await using database = new Database({ url: proxy.url, connectionsMax: 4, statementTimeoutSeconds: 600 }, () => {})
    await using http = fastify()
    using _connections = { [Symbol.dispose]: () => proxy.resetConnections() }
    const logger = openLogger('silent')
    registerReadiness(http, { database, logger, phase: () => 'serving', playbackOutageSeconds })
    const read = async () => (await http.inject({ url: '/readyz/playback' })).statusCode
    expect(await read()).toBe(200)
    proxy.reset()
    proxy.rules = [{ action: timeout }]
    const readWhileHanging = async () => {
      const found = await read()
      return proxy.upstreamBytes > 0 ? found : 'cached'
    }
    await expect.poll(readWhileHanging).toBe(status)
  },
)
