/**
 * Replaces the engine's polls in an idle worker. The engine polls each queue several times a second. In an idle worker
 * these polls wait in the process: one statement for all queues checks less often whether a job can be started, and
 * then they continue.
 */
import { DBOSExecutor } from '@dbos-inc/dbos-sdk/internal/dbos-executor'
import type { Database } from '../../../db/database.ts'
import type { Logger } from '../../../observability/logger.ts'
import type { Intervals } from '../../intervals.ts'
import { repeat } from '../../repeat.ts'
import type { ClaimedJob } from '../lost-jobs.ts'
import { hasStartableJobs } from './queue-backlog.store.ts'

/** Number of polls after the last job, before a worker counts as idle: a job is often followed by others. */
const POLLS_UNTIL_IDLE = 40

/** Polls per check of an idle worker. A job that is enqueued then may start twice as late as in a busy one. */
const POLLS_PER_CHECK = 2

type Options = {
  readonly database: Database
  readonly logger: Logger
  /** The queues that the worker serves. */
  readonly queues: readonly string[]
  readonly intervals: Pick<Intervals, 'pollSeconds'>
  /** Jobs that this worker runs. */
  readonly claimed: ReadonlySet<ClaimedJob>
}

/** Changes the engine of this process, which has been launched, until it is disposed. */
export function pollLessWhileIdle(options: Options): AsyncDisposable {
  const engine = DBOSExecutor.globalInstance?.systemDatabase
  if (!engine) throw new Error('The job engine has not been launched')
  const idleness = watchIdleness(options)
  const poll = engine.getQueuePartitions.bind(engine)
  const startDelayed = engine.transitionDelayedWorkflows.bind(engine)
  engine.getQueuePartitions = async (queue) => ((await idleness.untilBusy()) ? poll(queue) : [])
  engine.transitionDelayedWorkflows = async () => {
    if (!idleness.isIdle()) await startDelayed()
  }
  return idleness
}

/** Watches whether the worker is idle: it runs no jobs, and none can be started. */
export function watchIdleness({ database, logger, queues, intervals, claimed }: Options) {
  const { pollSeconds } = intervals
  let idleFrom = 0
  let isOver = false
  let waiting: PromiseWithResolvers<boolean> | undefined
  const stayBusy = () => {
    idleFrom = performance.now() + POLLS_UNTIL_IDLE * pollSeconds * 1000
  }
  const isIdle = () => {
    if (claimed.size > 0) stayBusy()
    return performance.now() >= idleFrom
  }
  const endWait = (isBusy: boolean) => {
    waiting?.resolve(isBusy)
    waiting = undefined
  }
  const check = async () => {
    if (!isIdle()) return endWait(true)
    if (!(await hasStartableJobs(database, queues))) return
    stayBusy()
    endWait(true)
  }
  stayBusy()
  const checks = repeat(POLLS_PER_CHECK * pollSeconds, check, (err) => {
    logger.warn({ err }, 'failed to check for jobs')
    // The engine polls, so that it reports the failure or succeeds.
    endWait(true)
  })
  return {
    isIdle,
    /** Resolves with true when the worker is not idle, and with false when it stops. */
    untilBusy: (): Promise<boolean> => {
      if (isOver) return Promise.resolve(false)
      if (!isIdle()) return Promise.resolve(true)
      if (!waiting) logger.debug('queue polls paused, because the worker is idle')
      waiting ??= Promise.withResolvers()
      return waiting.promise
    },
    [Symbol.asyncDispose]: async () => {
      isOver = true
      endWait(false)
      await checks[Symbol.asyncDispose]()
    },
  }
}
