/**
 * A worker: runs jobs from the queues and the schedules, and renews its lease.
 *
 * It can end in three ways, and its jobs survive each. On a stop signal, it finishes what it can and releases the rest.
 * If it is killed and restarted under the same name, the engine recovers its jobs. If it is killed and not restarted,
 * its lease expires, and another worker releases its jobs (housekeeping.ts).
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { registerHandler, type WorkerState } from './engine/attempts.ts'
import { leave } from './engine/claimed-jobs.store.ts'
import { type EngineOptions, launchEngine } from './engine/engine.ts'
import { watchLostJobs } from './engine/lost-jobs.ts'
import type { Handler } from './handler.ts'
import { housekeeping } from './housekeeping.ts'
import type { Intervals } from './intervals.ts'
import type { JobMetrics } from './job-metrics.ts'
import { renewLease } from './leases.store.ts'
import { repeat } from './repeat.ts'
import { type Schedule, startSchedules } from './schedule.ts'

/** Time for handlers to clean up after their signal aborts. */
const CLEANUP_SECONDS = 1

export type WorkerOptions = Omit<EngineOptions, 'claimed'> & {
  /** Id of the worker, unique among running workers, and unchanged after a restart. */
  readonly workerId: string
  readonly metrics: JobMetrics
  /** How long a stopping worker waits for running jobs. */
  readonly drainSeconds: number
  readonly intervals: Intervals
  readonly handlers: readonly Handler[]
  readonly schedules: readonly Schedule[]
  /**
   * Services that need the lease. They start after it is acquired and stop together with the jobs, within the same
   * time.
   */
  readonly services?: readonly (() => AsyncDisposable)[]
}

/** Starts a worker, which runs until disposed. */
export async function startWorker(options: WorkerOptions): Promise<AsyncDisposable> {
  const { workerId, database, logger, metrics, intervals } = options
  const stop = new AbortController()
  const exit = new AbortController()
  const state: WorkerState = {
    ...{ database, logger, metrics },
    stopping: stop.signal,
    shuttingDown: exit.signal,
    claimed: new Set(),
    running: new Set(),
  }
  for (const handler of options.handlers) registerHandler(handler, state)
  // The lease is acquired before any job is claimed: jobs of a worker without a lease are released at once.
  const lease = { workerId, queues: options.queues, leaseSeconds: intervals.leaseSeconds }
  const renew = () => renewLease(database, lease)
  await renew()
  const heartbeats = repeat(intervals.heartbeatSeconds, renew, (err) =>
    logger.warn({ err }, 'failed to send the heartbeat of the worker'),
  )
  const engine = await launchEngine({ ...options, claimed: state.claimed })
  const knownNames = options.handlers.map(({ job }) => job.name)
  const lostJobs = watchLostJobs({ ...options, claimed: state.claimed, knownNames })
  const schedules = await startSchedules({
    ...options,
    schedules: [...housekeeping(database, workerId, intervals), ...options.schedules],
  })
  const services = (options.services ?? []).map((start) => start())
  metrics.setServedQueues(options.queues)
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      metrics.setServedQueues([])
      // The jobs and the schedules are stopped concurrently, so that no job is claimed while a schedule is slow to end.
      await Promise.all([
        engine.drain(options.drainSeconds),
        schedules[Symbol.asyncDispose](),
        ...services.map((service) => service[Symbol.asyncDispose]()),
      ])
      exit.abort()
      await Promise.race([Promise.allSettled(state.running), sleep(CLEANUP_SECONDS * 1000)])
      await lostJobs[Symbol.asyncDispose]()
      await heartbeats[Symbol.asyncDispose]()
      await leave(database, workerId).catch((err: unknown) =>
        logger.warn({ err }, 'failed to release worker lease; it will expire'),
      )
      await engine[Symbol.asyncDispose]()
    },
  }
}
