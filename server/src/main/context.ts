import { readFileSync } from 'node:fs'
import { TokenRegister } from '../capabilities/tokens/token-register.ts'
import type { ApiConfig } from '../platform/config/env.ts'
import { Database } from '../platform/db/database.ts'
import { type Logger, openLogger } from '../platform/observability/logger.ts'
import { openMetrics } from '../platform/observability/metrics.ts'

/** What the parts of one process share, opened once from its settings and closed with it. */
export type Context = ReturnType<typeof openContext>

export function openContext(config: ApiConfig, logger: Logger = openLogger(config.LOG_LEVEL)) {
  const database = new Database(
    {
      url: config.DATABASE_URL,
      connectionsMax: config.DATABASE_CONNECTIONS_MAX,
      statementTimeoutSeconds: config.DATABASE_STATEMENT_TIMEOUT_SECONDS,
    },
    (error) => logger.warn({ err: error }, 'an idle database connection broke'),
  )
  const tokenRegister = new TokenRegister(database, (error) =>
    logger.warn({ err: error }, 'could not note that a token was used'),
  )
  const life = { isStopping: false }
  return {
    config,
    logger,
    database,
    tokenRegister,
    version,
    metrics: openMetrics(() => database.connections),
    isStopping: () => life.isStopping,
    /** From now on the process says that it is not ready; what is under way goes on. */
    beginStopping: () => {
      life.isStopping = true
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}

const version = (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string
  }
).version
