import type { OrganizationDb } from '../db/database.ts'
import type { Logger } from '../observability/logger.ts'
import type { Job } from './job.ts'

/** One attempt at a job. */
export type Attempt<Input> = {
  /** Database handle bound to the organization of the job. */
  readonly db: OrganizationDb
  readonly input: Input
  /** Number of the attempt, starting at 1. */
  readonly number: number
  /** Delay before the next attempt if this one fails. */
  readonly retryDelaySeconds: number
  /** How often the attempt was postponed before this run. */
  readonly postponements: number
  /** Whether there is no further attempt if this one fails. */
  readonly isLast: boolean
  /** Aborts when the attempt has taken too long or the worker has to exit: nothing may be written after that. */
  readonly signal: AbortSignal
  /**
   * Aborts when the worker has to exit. An attempt that stops because of it has not failed: another worker repeats it.
   */
  readonly shuttingDown: AbortSignal
  readonly logger: Logger
}

export type Handler = {
  readonly job: Job<unknown>
  readonly run: (attempt: Attempt<unknown>) => Promise<void>
}

/** Thrown by a handler that could not claim its work. The attempt does not count as failed and is repeated soon. */
export class ClaimFailed extends Error {
  override readonly name = 'ClaimFailed'

  constructor(cause: unknown) {
    super('The attempt could not claim its work', { cause })
  }
}

type Postponement = {
  /** Why this worker does not run the attempt; for the log. */
  readonly reason: string
  /** After this delay, any worker may run the attempt. */
  readonly delaySeconds: number
  /** How long the slot of the attempt takes no other job of this worker. */
  readonly pauseSeconds: number
}

/**
 * Thrown by a handler that leaves the attempt to another worker. The attempt does not count as failed. This worker
 * then pauses: otherwise it would claim, and delay, one job after the other.
 */
export class Postponed extends Error {
  override readonly name = 'Postponed'
  readonly postponement: Postponement

  constructor(postponement: Postponement) {
    super(`The attempt was postponed: ${postponement.reason}`)
    this.postponement = postponement
  }
}

/** Binds a handler to a job. The handler must be idempotent and may be aborted at any point. */
export function handle<Input>(job: Job<Input>, run: (attempt: Attempt<Input>) => Promise<void>): Handler {
  return { job, run: run as Handler['run'] }
}
