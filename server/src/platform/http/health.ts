import type { FastifyInstance } from 'fastify'
import type { Database } from '../db/database.ts'
import { databaseFault } from '../db/fitness.store.ts'
import type { Logger } from '../observability/logger.ts'

/** Anybody may ask, as often as they like; Postgres is asked this often. */
const ANSWER_SECONDS = 1

/** In the life of a process; it should get work in the middle one only. */
export type Phase = 'starting' | 'serving' | 'stopping'

export type HealthOptions = {
  readonly database: Database
  readonly logger: Logger
  readonly phase: () => Phase
}

/**
 * `/livez`: this process runs. `/readyz`: it should get requests, so the database is fit for it and it has not
 * been told to stop.
 */
export function registerHealth(http: FastifyInstance, options: HealthOptions): void {
  let asked: { readonly fault: Promise<string | undefined>; readonly untilMs: number } | undefined
  const fault = () => {
    if (!asked || performance.now() >= asked.untilMs) {
      asked = { fault: faultOf(options), untilMs: performance.now() + ANSWER_SECONDS * 1000 }
    }
    return asked.fault
  }
  http.get('/livez', async () => ({ status: 'alive' }))
  http.get('/readyz', async (_, reply) => {
    const phase = options.phase()
    const reason = phase === 'serving' ? await fault() : phase
    if (reason === undefined) return { status: 'ready' }
    return reply.status(503).send({ status: 'not ready', reason })
  })
}

async function faultOf({ database, logger }: HealthOptions): Promise<string | undefined> {
  try {
    return await databaseFault(database)
  } catch (error) {
    logger.warn({ err: error }, 'the database does not answer')
    return 'the database does not answer; the log says why'
  }
}
