import type { FastifyInstance } from 'fastify'
import type { Database } from '../db/database.ts'
import { databaseReadinessError } from '../db/readiness.store.ts'
import type { Logger } from '../observability/logger.ts'

/** How long the result of `/readyz` is cached, to limit queries to Postgres: probes of all kinds poll it. */
const CACHE_SECONDS = 1

/** Phase of the process. It should get requests only in the phase `serving`. */
export type Phase = 'starting' | 'serving' | 'stopping'

export type HealthOptions = {
  readonly database: Database
  readonly logger: Logger
  readonly phase: () => Phase
}

/** Registers `/livez`: the process runs. */
export function registerLiveness(http: FastifyInstance): void {
  http.get('/livez', async () => ({ status: 'alive' }))
}

/** Registers `/readyz`: the process should get requests, because the database is ready and it is not stopping. */
export function registerReadiness(http: FastifyInstance, options: HealthOptions): void {
  let cached: { readonly error: Promise<string | undefined>; readonly untilMs: number } | undefined
  const cachedError = () => {
    if (!cached || performance.now() >= cached.untilMs) {
      cached = { error: readinessError(options), untilMs: performance.now() + CACHE_SECONDS * 1000 }
    }
    return cached.error
  }
  http.get('/readyz', async (_, reply) => {
    const phase = options.phase()
    const reason = phase === 'serving' ? await cachedError() : phase
    if (reason === undefined) return { status: 'ready' }
    return reply.status(503).send({ status: 'not ready', reason })
  })
}

async function readinessError({ database, logger }: HealthOptions): Promise<string | undefined> {
  try {
    return await databaseReadinessError(database)
  } catch (error) {
    logger.warn({ err: error }, 'database readiness check failed')
    return 'the database does not respond; see the log'
  }
}
