import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../db/database.ts'
import type { Logger } from '../observability/logger.ts'
import { checkSeconds, type Intervals } from './intervals.ts'
import type { JobMetrics } from './job-metrics.ts'
import { repeat } from './repeat.ts'
import { claimTurns, endTurn, enterSchedules } from './schedules.store.ts'

/** Default time for a run to clean up after its signal aborts. Its connections stay open until then. */
const LEAVE_SECONDS = 5

/**
 * A periodic task that runs on one worker at a time. A turn that comes due while the last run still runs, or while
 * no worker runs, is skipped.
 */
export type Schedule = {
  readonly name: string
  readonly everySeconds: number
  /** After this, its signal aborts, and the next turn may start soon. */
  readonly runSecondsMax: number
  readonly run: (turn: { readonly signal: AbortSignal; readonly logger: Logger }) => Promise<void>
}

type Options = {
  readonly workerId: string
  readonly database: Database
  readonly logger: Logger
  readonly metrics: JobMetrics
  readonly intervals: Pick<Intervals, 'pollSeconds'>
  readonly schedules: readonly Schedule[]
  readonly leaveSeconds?: number
}

/** Runs the schedules until disposed; then running ones are aborted and awaited for a few seconds. */
export async function startSchedules(options: Options): Promise<AsyncDisposable> {
  const { workerId, database, logger, metrics, schedules } = options
  const over = new AbortController()
  const running = new Map<string, Promise<void>>()

  const begin = (schedule: Schedule) => {
    const run = runOnce(schedule, options, over.signal).finally(() => running.delete(schedule.name))
    running.set(schedule.name, run)
  }
  const ask = async () => {
    const idle = schedules.filter(({ name }) => !running.has(name))
    const names = await claimTurns(database, workerId, idle)
    for (const schedule of idle) if (names.includes(schedule.name)) begin(schedule)
  }
  for (const { name } of schedules) metrics.enterSchedule(name)
  await enterSchedules(
    database,
    schedules.map(({ name }) => name),
  )
  // One short statement for all schedules.
  const asking = repeat(checkSeconds(options.intervals), ask, (err) =>
    logger.warn({ err }, 'failed to claim due schedules'),
  )
  return {
    [Symbol.asyncDispose]: async () => {
      await asking[Symbol.asyncDispose]()
      over.abort()
      await Promise.all(running.values())
    },
  }
}

/** Never throws: a failure is logged, and the next turn comes. */
async function runOnce(schedule: Schedule, options: Options, over: AbortSignal): Promise<void> {
  const { name } = schedule
  const logger = options.logger.child({ schedule: name })
  const signal = AbortSignal.any([over, AbortSignal.timeout(schedule.runSecondsMax * 1000)])
  try {
    const hasEnded = await endOf(schedule.run({ signal, logger }), signal, options.leaveSeconds)
    if (!hasEnded) logger.error('schedule did not end after it was aborted; abandoning it')
    signal.throwIfAborted()
    options.metrics.countRun(name, 'done')
  } catch (err) {
    options.metrics.countRun(name, 'failed')
    if (!over.aborted) logger.error({ err }, 'schedule failed')
  }
  // If this fails, the worker itself may claim the turn again: see claimTurns.
  await endTurn(options.database, options.workerId, name).catch(() => {})
}

/**
 * Waits for the run itself, because it uses connections that are closed afterwards; false if it still runs long
 * after the abort.
 */
function endOf(
  run: Promise<void>,
  signal: AbortSignal,
  leaveSeconds = LEAVE_SECONDS,
): Promise<boolean> {
  const aborted = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
  const graceOver = aborted.then(() => sleep(leaveSeconds * 1000))
  return Promise.race([run.then(() => true), graceOver.then(() => false)])
}
