import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../db/database.ts'
import type { Logger } from '../observability/logger.ts'
import type { JobMetrics } from './job-metrics.ts'
import { repeat } from './repeat.ts'
import { claimTurns, endTurn, enterSchedules } from './schedules.store.ts'

/** How often a worker asks whether it is its turn: one short statement for all schedules. */
const ASK_SECONDS = 1

/** What a run gets, once told, to leave things in order. Until then it has its connections. */
const LEAVE_SECONDS = 5

/**
 * Something to do now and then, on one worker of all. A turn that comes while the last one still
 * runs, or while no worker does, is not made up for.
 */
export type Schedule = {
  readonly name: string
  readonly everySeconds: number
  /** After this its signal is aborted, and soon the next turn may come. */
  readonly runSecondsMax: number
  readonly run: (turn: { readonly signal: AbortSignal; readonly logger: Logger }) => Promise<void>
}

type Options = {
  readonly workerId: string
  readonly database: Database
  readonly logger: Logger
  readonly metrics: JobMetrics
  readonly schedules: readonly Schedule[]
}

/** Runs the schedules until disposed of; then those that run are told to end, and waited for a few seconds. */
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
  const asking = repeat(ASK_SECONDS, ask, (err) =>
    logger.warn({ err }, 'could not ask which schedules are due'),
  )
  return {
    [Symbol.asyncDispose]: async () => {
      await asking[Symbol.asyncDispose]()
      over.abort()
      await Promise.all(running.values())
    },
  }
}

/** Never throws: a run that failed is told, and its next turn comes. */
async function runOnce(schedule: Schedule, options: Options, over: AbortSignal): Promise<void> {
  const { name } = schedule
  const logger = options.logger.child({ schedule: name })
  const signal = AbortSignal.any([over, AbortSignal.timeout(schedule.runSecondsMax * 1000)])
  try {
    const hasEnded = await endOf(schedule.run({ signal, logger }), signal)
    if (!hasEnded) logger.error('a schedule was told to end and did not end; it is left behind')
    signal.throwIfAborted()
    options.metrics.countRun(name, 'done')
  } catch (err) {
    options.metrics.countRun(name, 'failed')
    if (!over.aborted) logger.error({ err }, 'a schedule failed')
  }
  // Should this fail, the worker itself may claim the turn again: see claimTurns.
  await endTurn(options.database, options.workerId, name).catch(() => {})
}

/**
 * Waits for the run itself, because it uses what is closed after it; false if it still runs long
 * after it was told to end.
 */
function endOf(run: Promise<void>, signal: AbortSignal): Promise<boolean> {
  const told = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
  const patience = told.then(() => sleep(LEAVE_SECONDS * 1000))
  return Promise.race([run.then(() => true), patience.then(() => false)])
}
