/**
 * A worker: runs jobs from the queues and the schedules, and renews its lease.
 *
 * It can end in three ways, and its jobs survive each. On a stop signal, it finishes what it can and releases the
 * rest. Killed and restarted under its name, it recovers its jobs (the engine does that). Killed for good, its
 * lease expires, and another worker releases its jobs (leases.store.ts).
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { DBOS } from '@dbos-inc/dbos-sdk'
import { dbRetryConfig } from '@dbos-inc/dbos-sdk/internal/utils'
import type { QueueName } from '../../kernel/queues.ts'
import { openPool } from '../db/connections/pool.ts'
import type { Database } from '../db/database.ts'
import type { Logger } from '../observability/logger.ts'
import { registerHandler } from './attempts.ts'
import { APPLICATION_NAME, engineLogger, WORKFLOW_VERSION } from './engine/engine.ts'
import type { Handler } from './handler.ts'
import { housekeeping } from './housekeeping.ts'
import type { Intervals } from './intervals.ts'
import type { JobMetrics } from './job-metrics.ts'
import { endLease, renewLease } from './leases.store.ts'
import { type JobInHand, watchStrays } from './lost-jobs.ts'
import { queues } from './queues.ts'
import { repeat } from './repeat.ts'
import { type Schedule, startSchedules } from './schedule.ts'

/** The engine's own connections, besides those of the handlers. */
const ENGINE_CONNECTIONS_MAX = 8
const ENGINE_STATEMENT_TIMEOUT_SECONDS = 10

/**
 * The engine retries an unavailable Postgres with pauses that double up to a minute and a half, during which no job
 * would start after an outage. Connection attempts are cheap, so pause less.
 */
const ENGINE_PAUSE_SECONDS_MAX = 2

/** Time for handlers to clean up after the abort. */
const LEAVE_SECONDS = 1

export type WorkerOptions = {
  /** The same after a restart, and unique among running workers. */
  readonly workerId: string
  readonly databaseUrl: string
  readonly database: Database
  readonly logger: Logger
  readonly metrics: JobMetrics
  /** How long a stopping worker waits for running jobs. */
  readonly drainSeconds: number
  readonly intervals: Intervals
  /** The queues it serves; other workers serve the others. */
  readonly queues: readonly QueueName[]
  readonly handlers: readonly Handler[]
  readonly schedules: readonly Schedule[]
  /**
   * Services that run under the lease: started once it is acquired, stopped together with the jobs, within the same
   * time.
   */
  readonly services?: readonly (() => AsyncDisposable)[]
}

/** Runs until disposed. */
export async function startWorker(options: WorkerOptions): Promise<AsyncDisposable> {
  const { workerId, database, logger, metrics, intervals } = options
  const stop = new AbortController()
  const interruption = new AbortController()
  const running = new Set<Promise<void>>()
  const workerState = {
    database,
    logger,
    metrics,
    stopping: stop.signal,
    interrupted: interruption.signal,
    inHand: new Set<JobInHand>(),
    running,
  }
  for (const handler of options.handlers) registerHandler(handler, workerState)
  // Before any job is claimed: jobs of a worker without a lease are released at once.
  const renew = () => renewLease(database, workerId, options.queues, intervals.leaseSeconds)
  await renew()
  const heartbeats = repeat(intervals.heartbeatSeconds, renew, (err) =>
    logger.warn({ err }, 'failed to send the heartbeat of the worker'),
  )
  const pool = await launchEngine(options)
  const knownNames = options.handlers.map(({ job }) => job.name)
  const strays = watchStrays({ ...options, inHand: workerState.inHand, knownNames })
  const schedules = await startSchedules({
    ...options,
    schedules: [...housekeeping(database, workerId, intervals), ...options.schedules],
  })
  const services = (options.services ?? []).map((start) => start())
  metrics.takeFrom(options.queues)
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      metrics.takeFrom([])
      // Claims nothing more and waits for running jobs; concurrently, so that no job is claimed while a schedule is
      // slow to end.
      await Promise.all([
        DBOS.shutdown({ workflowCompletionTimeoutMS: options.drainSeconds * 1000 }),
        schedules[Symbol.asyncDispose](),
        ...services.map((companion) => companion[Symbol.asyncDispose]()),
      ])
      interruption.abort()
      await Promise.race([Promise.allSettled(running), sleep(LEAVE_SECONDS * 1000)])
      await strays[Symbol.asyncDispose]()
      await heartbeats[Symbol.asyncDispose]()
      await endLease(database, workerId).catch((err: unknown) =>
        logger.warn({ err }, 'failed to release worker lease; it will expire'),
      )
      await pool.end()
    },
  }
}

/** Resolves with the engine's connection pool, which the caller must close. */
async function launchEngine(options: WorkerOptions) {
  const { workerId, databaseUrl, logger, queues: taken, intervals } = options
  const pool = openPool(
    {
      url: databaseUrl,
      connectionsMax: ENGINE_CONNECTIONS_MAX,
      statementTimeoutSeconds: ENGINE_STATEMENT_TIMEOUT_SECONDS,
    },
    (err) => logger.warn({ err }, 'idle connection of the job engine failed'),
  )
  dbRetryConfig.maxBackoffSec = ENGINE_PAUSE_SECONDS_MAX
  DBOS.setConfig({
    name: APPLICATION_NAME,
    systemDatabaseUrl: databaseUrl,
    systemDatabasePool: pool,
    executorID: workerId,
    applicationVersion: WORKFLOW_VERSION,
    runMigrations: false,
    // Commits with NOTIFY wait for each other across all of Postgres. We poll instead.
    useListenNotify: false,
    listenQueues: [...taken],
    logger: engineLogger(logger),
  })
  await DBOS.launch()
  for (const [name, { pollsEvery, ...limits }] of Object.entries(queues)) {
    const minPollingIntervalMs = 1000 * pollsEvery * intervals.pollSeconds
    await DBOS.registerQueue(name, {
      ...limits,
      minPollingIntervalMs,
      onConflict: 'always_update',
    })
  }
  return pool
}
