import pg from 'pg'
import { DatabaseServers } from './database-servers.ts'
import { markBroken } from './pooled-client.ts'
import { PrimaryClient } from './primary-client.ts'

/** Maximum wait for a connection. A longer wait means that Postgres is unavailable or overloaded. */
export const CONNECT_TIMEOUT_SECONDS = 5

export type PoolOptions = {
  readonly url: string
  readonly connectionsMax: number
  /** Postgres cancels a statement after this time; one second later the client stops waiting for it. */
  readonly statementTimeoutSeconds: number
  /** Default: 5. */
  readonly connectTimeoutSeconds?: number
}

/** Opens a pool of connections to the primary, which time out and whose errors do not end the process. */
export function openPool(options: PoolOptions, onIdleError: (error: Error) => void, more: pg.PoolConfig = {}): pg.Pool {
  const timeout = options.statementTimeoutSeconds * 1000
  const servers = new DatabaseServers(options.url)
  class PooledClient extends PrimaryClient {
    constructor(config: pg.ClientConfig) {
      super(config, servers)
    }
  }
  const pool = new pg.Pool({
    Client: PooledClient as unknown as pg.PoolConfig['Client'],
    max: options.connectionsMax,
    application_name: 'reelkeep',
    connectionTimeoutMillis: (options.connectTimeoutSeconds ?? CONNECT_TIMEOUT_SECONDS) * 1000,
    statement_timeout: timeout,
    // Without `query_timeout`, a query would hang forever if the network drops its packets.
    query_timeout: timeout + 1000,
    idle_in_transaction_session_timeout: timeout * 2,
    keepAlive: true,
    ...more,
  })
  pool.on('error', onIdleError)
  // The pool handles errors of idle connections only; an unhandled error of one in use would end the process.
  pool.on('connect', (client) => client.on('error', () => markBroken(client as pg.PoolClient)))
  return pool
}
