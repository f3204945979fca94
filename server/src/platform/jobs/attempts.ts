/**
 * An attempt at a job, and what follows from it.
 *
 * One that failed is noted by the engine as the outcome of its step. Then the next is promised, with its pause, under an id that
 * follows from the job's; the engine writes that promise and the note of it in one transaction. A worker that dies in between leaves
 * the attempt unfinished: whoever takes it up finds the outcome noted, does not try again, and makes the promise, or finds
 * it made. Nobody sleeps through a pause, so it takes up no place in a worker or in the organization's share.
 */
import { DBOS, DBOSWorkflowConflictError, Error as EngineError } from '@dbos-inc/dbos-sdk'
import type { Database } from '../db/database.ts'
import type { Logger } from '../observability/logger.ts'
import { JobFailed, type Payload, placeOf } from './engine.ts'
import type { Handler } from './handler.ts'
import { type Job, pauseSecondsAfter } from './job.ts'
import type { JobMetrics } from './job-metrics.ts'

/** How often a job may be taken up: one that kills its worker each time is given up, and releases must not use this up. */
const TAKEN_UP_MAX = 20

export type Workshop = {
  readonly database: Database
  readonly logger: Logger
  readonly metrics: JobMetrics
  /** Aborted when the worker must go. */
  readonly interrupted: AbortSignal
  /** The attempts under way. */
  readonly running: Set<Promise<void>>
}

/** Tells the engine how an attempt at a job is made. */
export function registerHandler(handler: Handler, workshop: Workshop): void {
  const { job } = handler
  const { metrics } = workshop

  const work = async (payload: Payload) => {
    const { attempt, jobId } = payload.again ?? { attempt: 1, jobId: DBOS.workflowID ?? '' }
    const { organizationId } = payload
    const logger = workshop.logger.child({
      job: job.name,
      job_id: jobId,
      attempt,
      organization: organizationId,
    })
    const step = { name: job.name, timeoutMS: job.attemptSecondsMax * 1000 }
    try {
      await DBOS.runStep(() => attemptOnce(handler, workshop, payload, { attempt, logger }), step)
    } catch (error) {
      if (isInAnotherHand(error)) throw error
      const err = error instanceof FailedAttempt ? error.reason : error
      logger.warn({ err }, 'an attempt at a job failed')
      metrics.count(job.name, 'failed_attempt')
      if (attempt < job.attemptsMax) return promiseNext(job, payload, { attempt, jobId })
      logger.error('a job failed for good')
      metrics.count(job.name, 'failed')
      throw new JobFailed(messageOf(error))
    }
    metrics.count(job.name, 'done')
  }
  DBOS.registerWorkflow(work, { name: job.name, maxRecoveryAttempts: TAKEN_UP_MAX })
}

async function attemptOnce(
  { job, run }: Handler,
  { database, interrupted, running }: Workshop,
  { organizationId, input }: Payload,
  { attempt: number, logger }: { readonly attempt: number; readonly logger: Logger },
): Promise<void> {
  const { cancelSignal, timeoutSignal } = DBOS.stepStatus ?? {}
  const signals = [interrupted, cancelSignal, timeoutSignal].filter((signal) => !!signal)
  const attempt = run({
    db: database.forOrganization(organizationId),
    input,
    number,
    isLast: number >= job.attemptsMax,
    logger,
    signal: AbortSignal.any(signals),
    leaving: interrupted,
  })
  running.add(attempt)
  try {
    await attempt
  } catch (error) {
    // Not a failure: whoever takes the job up next begins it afresh.
    if (interrupted.aborted) throw new DBOSWorkflowConflictError(DBOS.workflowID ?? '')
    throw new FailedAttempt(error)
  } finally {
    running.delete(attempt)
  }
}

async function promiseNext(
  job: Job<unknown>,
  payload: Payload,
  { attempt, jobId }: NonNullable<Payload['again']>,
): Promise<void> {
  const options = {
    ...placeOf(job, payload, `${jobId}/${attempt + 1}`),
    delaySeconds: pauseSecondsAfter(attempt, job),
  }
  const next: Payload = { ...payload, again: { attempt: attempt + 1, jobId } }
  await DBOS.enqueueWorkflowWithOptions(options, next)
}

/** The attempt is somebody else's now, or nobody's: nothing follows from it here. */
const isInAnotherHand = (error: unknown) =>
  error instanceof DBOSWorkflowConflictError ||
  error instanceof EngineError.DBOSWorkflowCancelledError

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/**
 * What of a failure is stored: its sentence. Libraries hang connections and whole requests on their errors; those stay here, out of
 * the engine's sight, for the log.
 */
class FailedAttempt extends Error {
  override readonly name = 'FailedAttempt'
  readonly #reason: unknown

  constructor(reason: unknown) {
    super(messageOf(reason))
    this.#reason = reason
  }

  get reason(): unknown {
    return this.#reason
  }
}
