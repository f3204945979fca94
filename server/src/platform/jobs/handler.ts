import type { OrganizationDb } from '../db/database.ts'
import type { Logger } from '../observability/logger.ts'
import type { Job } from './job.ts'

/** One attempt at a job. */
export type Attempt<Input> = {
  /** Bound to the organization that the job was promised for. */
  readonly db: OrganizationDb
  readonly input: Input
  /** The first is 1. */
  readonly number: number
  /** No other follows if this one fails. */
  readonly isLast: boolean
  /** Aborted when the attempt has taken too long or the worker must go: what has not happened by then shall not. */
  readonly signal: AbortSignal
  /**
   * Aborted when the worker must go. What stops for it has not failed: it is done by another
   * worker, as the same attempt.
   */
  readonly leaving: AbortSignal
  readonly logger: Logger
}

export type Handler = {
  readonly job: Job<unknown>
  readonly run: (attempt: Attempt<unknown>) => Promise<void>
}

/**
 * Thrown by a handler that could not begin. Nothing was tried, so nothing has failed: the same
 * attempt is soon made again.
 */
export class NotBegun extends Error {
  override readonly name = 'NotBegun'

  constructor(cause: unknown) {
    super('The attempt could not begin', { cause })
  }
}

/** Says how a job is done. It must bear to be done twice, and to be stopped anywhere. */
export function handle<Input>(
  job: Job<Input>,
  run: (attempt: Attempt<Input>) => Promise<void>,
): Handler {
  return { job, run: run as Handler['run'] }
}
