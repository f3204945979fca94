/**
 * A worker: takes jobs from the queues, runs the schedules, and gives a sign of life while it does.
 *
 * It dies in one of three ways, and its jobs survive each. Told to stop, it finishes what it can
 * and gives the rest back. Killed and started again under its name, it takes up what it left (the
 * engine does that). Killed for good, it falls silent, and another worker gives its jobs back
 * (leases.store.ts).
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { DBOS } from '@dbos-inc/dbos-sdk'
import { dbRetryConfig } from '@dbos-inc/dbos-sdk/internal/utils'
import type { Database } from '../db/database.ts'
import { openPool } from '../db/pool.ts'
import type { Logger } from '../observability/logger.ts'
import { registerHandler } from './attempts.ts'
import { APPLICATION_NAME, engineLogger, WORKFLOW_VERSION } from './engine.ts'
import type { Handler } from './handler.ts'
import { housekeeping } from './housekeeping.ts'
import type { JobMetrics } from './job-metrics.ts'
import { endLease, renewLease } from './leases.store.ts'
import { type QueueName, queues } from './queues.ts'
import { repeat } from './repeat.ts'
import { type Schedule, startSchedules } from './schedule.ts'
import { type JobInHand, watchStrays } from './strays.ts'

/** Several in a lease, so that a late one does no harm. */
const SIGN_OF_LIFE_SECONDS = 2

/** The engine's own connections, beside those of the handlers. */
const ENGINE_CONNECTIONS_MAX = 8
const ENGINE_STATEMENT_TIMEOUT_SECONDS = 10

/**
 * The engine asks a Postgres that is away again and again, after pauses that double, up to a minute
 * and a half: so long no job would be taken after an outage is over. An attempt to connect costs
 * next to nothing.
 */
const ENGINE_PAUSE_SECONDS_MAX = 2

/** What handlers get, once told, to leave things in order. */
const LEAVE_SECONDS = 1

export type WorkerOptions = {
  /** The same after a restart, and no other worker's at the same time. */
  readonly workerId: string
  readonly databaseUrl: string
  readonly database: Database
  readonly logger: Logger
  readonly metrics: JobMetrics
  /** How long a stopping worker waits for the jobs that run. */
  readonly drainSeconds: number
  /** The queues that it takes from; others leave them to other workers. */
  readonly queues: readonly QueueName[]
  readonly handlers: readonly Handler[]
  readonly schedules: readonly Schedule[]
  /** What else it does under its lease. Started when it has one, stopped with the jobs, within the same time. */
  readonly companions?: readonly (() => AsyncDisposable)[]
}

/** Works until disposed of. */
export async function startWorker(options: WorkerOptions): Promise<AsyncDisposable> {
  const { workerId, database, logger, metrics } = options
  const stop = new AbortController()
  const interruption = new AbortController()
  const running = new Set<Promise<void>>()
  const workshop = {
    database,
    logger,
    metrics,
    stopping: stop.signal,
    interrupted: interruption.signal,
    inHand: new Set<JobInHand>(),
    running,
  }
  for (const handler of options.handlers) registerHandler(handler, workshop)
  // Before anything is taken: a job of a worker without a lease would be given back at once.
  await renewLease(database, workerId, options.queues)
  const signs = repeat(
    SIGN_OF_LIFE_SECONDS,
    () => renewLease(database, workerId, options.queues),
    (err) => logger.warn({ err }, 'could not give a sign of life'),
  )
  const pool = await launchEngine(options)
  const knownNames = options.handlers.map(({ job }) => job.name)
  const strays = watchStrays({ ...options, inHand: workshop.inHand, knownNames })
  const schedules = await startSchedules({
    ...options,
    schedules: [...housekeeping(database, workerId), ...options.schedules],
  })
  const companions = (options.companions ?? []).map((start) => start())
  metrics.takeFrom(options.queues)
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      metrics.takeFrom([])
      // Takes nothing more, and waits for what runs; at the same time, lest jobs be taken while a
      // schedule is slow to end.
      await Promise.all([
        DBOS.shutdown({ workflowCompletionTimeoutMS: options.drainSeconds * 1000 }),
        schedules[Symbol.asyncDispose](),
        ...companions.map((companion) => companion[Symbol.asyncDispose]()),
      ])
      interruption.abort()
      await Promise.race([Promise.allSettled(running), sleep(LEAVE_SECONDS * 1000)])
      await strays[Symbol.asyncDispose]()
      await signs[Symbol.asyncDispose]()
      await endLease(database, workerId).catch((err: unknown) =>
        logger.warn({ err }, 'could not say good-bye; others wait until the lease has run out'),
      )
      await pool.end()
    },
  }
}

/** Resolves with the engine's connections, which are the caller's to close. */
async function launchEngine({ workerId, databaseUrl, logger, queues: taken }: WorkerOptions) {
  const pool = openPool(
    {
      url: databaseUrl,
      connectionsMax: ENGINE_CONNECTIONS_MAX,
      statementTimeoutSeconds: ENGINE_STATEMENT_TIMEOUT_SECONDS,
    },
    (err) => logger.warn({ err }, 'an idle connection of the job engine broke'),
  )
  dbRetryConfig.maxBackoffSec = ENGINE_PAUSE_SECONDS_MAX
  DBOS.setConfig({
    name: APPLICATION_NAME,
    systemDatabaseUrl: databaseUrl,
    systemDatabasePool: pool,
    executorID: workerId,
    applicationVersion: WORKFLOW_VERSION,
    runMigrations: false,
    // Commits that notify wait for each other, in all of Postgres. We poll.
    useListenNotify: false,
    listenQueues: [...taken],
    logger: engineLogger(logger),
  })
  await DBOS.launch()
  for (const [name, limits] of Object.entries(queues)) {
    await DBOS.registerQueue(name, { ...limits, onConflict: 'always_update' })
  }
  return pool
}
