import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Database } from '../db/database.ts'
import { databaseReadinessError } from '../db/readiness.store.ts'
import type { Logger } from '../observability/logger.ts'

/** How long the result of `/readyz` is cached, to limit queries to Postgres: probes of all kinds poll it. */
const CACHE_SECONDS = 1

/**
 * How long `/readyz/playback` waits for the database. If the database hangs, the statement times out later than the
 * probe, which would fail although viewers can continue to watch.
 */
const PLAYBACK_WAIT_SECONDS = 1

/** Phase of the process. It should get requests only in the phase `serving`. */
export type Phase = 'starting' | 'serving' | 'stopping'

export type HealthOptions = {
  readonly database: Database
  readonly logger: Logger
  readonly phase: () => Phase
  /** How long viewers continue to watch while the database is unavailable. Undefined if the process has no viewers. */
  readonly playbackOutageSeconds?: number
}

/** Registers `/livez`: the process runs. */
export function registerLiveness(http: FastifyInstance): void {
  http.get('/livez', async () => ({ status: 'alive' }))
}

/**
 * Registers `/readyz`: the process should get requests, because the database is ready and it is not stopping.
 * `/readyz/playback` also responds with 200 for a while after the database was ready.
 */
export function registerReadiness(http: FastifyInstance, options: HealthOptions): void {
  let cached: { readonly error: Promise<string | undefined>; readonly untilMs: number } | undefined
  const cachedError = () => {
    if (!cached || performance.now() >= cached.untilMs) {
      cached = { error: readinessError(options), untilMs: performance.now() + CACHE_SECONDS * 1000 }
    }
    return cached.error
  }
  const reasonNow = async () => {
    const phase = options.phase()
    return phase === 'serving' ? await cachedError() : phase
  }
  const respond = (reply: FastifyReply, reason: string | undefined) =>
    reason === undefined ? reply.send({ status: 'ready' }) : reply.status(503).send({ status: 'not ready', reason })
  http.get('/readyz', async (_, reply) => respond(reply, await reasonNow()))
  const { playbackOutageSeconds } = options
  if (playbackOutageSeconds === undefined) return
  let readyUntil = Number.NEGATIVE_INFINITY
  http.get('/readyz/playback', async (_, reply) => {
    const current = reasonNow().then((reason) => {
      if (reason === undefined) readyUntil = performance.now() + playbackOutageSeconds * 1000
      return reason
    })
    const reason = await Promise.race([current, sleep(PLAYBACK_WAIT_SECONDS * 1000, 'the database does not respond')])
    const isOutage = options.phase() === 'serving' && performance.now() < readyUntil
    return respond(reply, isOutage ? undefined : reason)
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
