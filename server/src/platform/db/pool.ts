import pg from 'pg'
import { markBroken } from './pooled-client.ts'

/** Waiting longer for a free connection means that Postgres is away or drowned: better to say so. */
const CONNECT_TIMEOUT_SECONDS = 5

export type PoolOptions = {
  readonly url: string
  readonly connectionsMax: number
  /** After this the statement is cancelled by Postgres, and a second later given up on here. */
  readonly statementTimeoutSeconds: number
}

/** Connections that neither hang for ever nor end the process when they break. */
export function openPool(
  options: PoolOptions,
  onIdleError: (error: Error) => void,
  more: pg.PoolConfig = {},
): pg.Pool {
  const timeout = options.statementTimeoutSeconds * 1000
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.connectionsMax,
    application_name: 'reelkeep',
    connectionTimeoutMillis: CONNECT_TIMEOUT_SECONDS * 1000,
    statement_timeout: timeout,
    // Without this a connection whose packets vanish would hang for ever.
    query_timeout: timeout + 1000,
    idle_in_transaction_session_timeout: timeout * 2,
    keepAlive: true,
    ...more,
  })
  pool.on('error', onIdleError)
  // The pool listens to idle connections only; one that breaks in use would otherwise end the process.
  pool.on('connect', (client) => client.on('error', () => markBroken(client as pg.PoolClient)))
  return pool
}
