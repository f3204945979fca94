import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../db/database.ts'
import type { Logger } from '../observability/logger.ts'
import { checkSeconds, type Intervals } from './intervals.ts'
import type { JobMetrics } from './job-metrics.ts'
import { repeat } from './repeat.ts'
import { claimSchedules, insertSchedules, releaseSchedules } from './schedules.store.ts'

/** Default time for a run to clean up after its signal aborts. Its connections stay open until then. */
const CLEANUP_SECONDS = 5

/**
 * A periodic task that runs on one worker at a time: on the same one until it fails there or the worker stops. A run
 * that comes due during the previous run, or while no worker is running, is skipped.
 */
export type Schedule = {
  readonly name: string
  readonly everySeconds: number
  /** Maximum duration of a run. After it, the signal of the run aborts, and the next run may start soon. */
  readonly runSecondsMax: number
  readonly run: (context: RunContext) => Promise<void>
}

type RunContext = { readonly signal: AbortSignal; readonly logger: Logger }

type Options = {
  readonly workerId: string
  readonly database: Database
  readonly logger: Logger
  readonly metrics: JobMetrics
  readonly intervals: Pick<Intervals, 'pollSeconds'>
  readonly schedules: readonly Schedule[]
  readonly cleanupSeconds?: number
}

/** Runs the schedules until disposed; then running ones are aborted and awaited for a few seconds. */
export async function startSchedules(options: Options): Promise<AsyncDisposable> {
  const { workerId, database, logger, metrics, schedules } = options
  const over = new AbortController()
  const running = new Map<string, Promise<void>>()

  const start = (schedule: Schedule) => {
    const run = runOnce(schedule, options, over.signal).finally(() => running.delete(schedule.name))
    running.set(schedule.name, run)
  }
  const startDue = async () => {
    const idle = schedules.filter(({ name }) => !running.has(name))
    const names = await claimSchedules(database, workerId, idle)
    for (const schedule of idle) if (names.includes(schedule.name)) start(schedule)
  }
  for (const { name } of schedules) metrics.addSchedule(name)
  await insertSchedules(database, schedules)
  // One short statement claims the due runs of all schedules.
  const polling = repeat(checkSeconds(options.intervals), startDue, (err) =>
    logger.warn({ err }, 'failed to claim due schedules'),
  )
  return {
    [Symbol.asyncDispose]: async () => {
      await polling[Symbol.asyncDispose]()
      over.abort()
      await Promise.all(running.values())
      const names = schedules.map(({ name }) => name)
      await releaseSchedules(database, workerId, names).catch((err: unknown) =>
        logger.warn({ err }, 'failed to release schedules; their claims expire with the worker lease'),
      )
    },
  }
}

/** Runs a schedule once. Never throws: a failure is logged, and the schedule runs again when it is due. */
async function runOnce(schedule: Schedule, options: Options, over: AbortSignal): Promise<void> {
  const { name } = schedule
  const logger = options.logger.child({ schedule: name })
  using limit = timeLimit(schedule)
  const signal = AbortSignal.any([over, limit.signal])
  try {
    const run = schedule.run({ signal, logger })
    const hasEnded = await waitForEnd(run, signal, options.cleanupSeconds)
    if (!hasEnded) logger.error('schedule did not end after it was aborted; abandoning it')
    signal.throwIfAborted()
    options.metrics.countRun(name, 'done')
  } catch (err) {
    options.metrics.countRun(name, 'failed')
    if (over.aborted) return
    logger.error({ err }, 'schedule failed')
    // Another worker may have no reason to fail. If the release fails, this worker claims the next run.
    await releaseSchedules(options.database, options.workerId, [name]).catch(() => {})
  }
}

/** Unlike `AbortSignal.timeout`, which keeps a signal with listeners until its time is up, ends with the run. */
function timeLimit({ name, runSecondsMax }: Schedule) {
  const controller = new AbortController()
  const timer = setTimeout(() => {
    controller.abort(new Error(`${name} took longer than ${runSecondsMax} s`))
  }, runSecondsMax * 1000)
  const { signal } = controller
  return {
    signal,
    [Symbol.dispose]: () => {
      clearTimeout(timer)
      // A signal that follows others is kept until it is aborted if it has listeners.
      controller.abort()
    },
  }
}

/**
 * Waits for the run itself, because it uses connections that are closed afterwards. Returns false if it still runs long
 * after the abort.
 */
async function waitForEnd(run: Promise<void>, signal: AbortSignal, cleanupSeconds = CLEANUP_SECONDS): Promise<boolean> {
  const { promise: aborted, resolve } = Promise.withResolvers<void>()
  const onAbort = () => resolve()
  signal.addEventListener('abort', onAbort)
  try {
    const graceOver = aborted.then(() => sleep(cleanupSeconds * 1000))
    return await Promise.race([run.then(() => true), graceOver.then(() => false)])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
