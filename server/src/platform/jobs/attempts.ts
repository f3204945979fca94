/**
 * An attempt at a job, and what follows from it.
 *
 * One that succeeded is noted as the end of its workflow and nowhere else: handlers bear to be called twice, and a step of the
 * engine would cost seven round trips. One that failed is noted by the engine as the outcome of a step. Then the next is promised, with
 * its pause, under an id that follows from the job's; the engine writes that promise and the note of it in one transaction. A worker
 * that dies in between leaves the attempt unfinished: whoever takes it up finds the failure noted, does not try again, and makes the
 * promise, or finds it made. Nobody sleeps through a pause, so it takes up no place in a worker or in the organization's share.
 */
import { DBOS, DBOSWorkflowConflictError, Error as EngineError } from '@dbos-inc/dbos-sdk'
import type { Database } from '../db/database.ts'
import type { Logger } from '../observability/logger.ts'
import { JobFailed, type Payload, placeOf } from './engine.ts'
import { isFailureNoted } from './finished-jobs.store.ts'
import { type Handler, NotBegun } from './handler.ts'
import { type Job, pauseSecondsAfter } from './job.ts'
import type { JobMetrics } from './job-metrics.ts'
import type { JobInHand } from './strays.ts'

/** Unless the job says otherwise: one that kills its worker each time is given up, and releases must not use this up. */
const TAKE_UPS_MAX = 20

export type Workshop = {
  readonly database: Database
  readonly logger: Logger
  readonly metrics: JobMetrics
  /** Aborted when the worker begins to stop, while what runs may still end. */
  readonly stopping: AbortSignal
  /** Aborted when the worker must go. */
  readonly interrupted: AbortSignal
  /** What the engine has handed over and not been given back. */
  readonly inHand: Set<JobInHand>
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
    try {
      await attemptUnlessFailed(handler, workshop, payload, { attempt, logger })
    } catch (error) {
      assertOutcome(error, workshop)
      const err = error instanceof FailedAttempt ? error.reason : error
      logger.warn({ err }, 'an attempt at a job failed')
      metrics.count(job.name, 'failed_attempt')
      if (attempt < job.attemptsMax) return promiseNext(logger, job, payload, { attempt, jobId })
      logger.error('a job failed for good')
      metrics.count(job.name, 'failed')
      throw new JobFailed(messageOf(error))
    }
    metrics.count(job.name, 'done')
  }
  const workInHand = async (payload: Payload) => {
    const inHand = { id: DBOS.workflowID ?? '' }
    workshop.inHand.add(inHand)
    try {
      await work(payload)
    } finally {
      workshop.inHand.delete(inHand)
    }
  }
  DBOS.registerWorkflow(workInHand, {
    name: job.name,
    maxRecoveryAttempts: job.takeUpsMax ?? TAKE_UPS_MAX,
  })
}

type Numbered = { readonly attempt: number; readonly logger: Logger }

/** Throws the failure once it is noted. One that was noted before is thrown again, and nothing is tried. */
async function attemptUnlessFailed(
  handler: Handler,
  workshop: Workshop,
  payload: Payload,
  numbered: Numbered,
): Promise<void> {
  const hasFailed = await isFailureNoted(workshop.database, DBOS.workflowID ?? '').catch(() => {
    // Nothing was tried, so nothing has failed; see strays.ts for who takes it up.
    throw leftToAnother()
  })
  const failure = hasFailed ? undefined : await attemptOnce(handler, workshop, payload, numbered)
  if (!hasFailed && !failure) return
  await DBOS.runStep(() => Promise.reject(failure), { name: handler.job.name })
}

/** Answers how it failed, if it did. */
async function attemptOnce(
  { job, run }: Handler,
  { database, interrupted, running }: Workshop,
  { organizationId, input }: Payload,
  { attempt: number, logger }: Numbered,
): Promise<FailedAttempt | undefined> {
  if (interrupted.aborted) throw leftToAnother()
  using limit = timeLimit(job)
  const attempt = run({
    db: database.forOrganization(organizationId),
    input,
    number,
    isLast: number >= job.attemptsMax,
    logger,
    signal: AbortSignal.any([interrupted, limit.signal]),
    leaving: interrupted,
  }).finally(() => running.delete(attempt))
  running.add(attempt)
  try {
    await Promise.race([attempt, limit.isUp])
    return undefined
  } catch (error) {
    // Not a failure: whoever takes the job up next begins it afresh.
    if (interrupted.aborted) throw leftToAnother()
    if (!(error instanceof NotBegun)) return new FailedAttempt(error)
    logger.warn({ err: error.cause }, 'an attempt at a job could not begin; it is made again')
    throw leftToAnother()
  }
}

/** When the time of an attempt is up its signal is aborted, and it has failed, whether it ends then or not. */
function timeLimit({ name, attemptSecondsMax }: Job<unknown>) {
  const controller = new AbortController()
  const { promise: isUp, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    const reason = new Error(`${name} took longer than ${attemptSecondsMax} s`)
    controller.abort(reason)
    reject(reason)
  }, attemptSecondsMax * 1000)
  return { signal: controller.signal, isUp, [Symbol.dispose]: () => clearTimeout(timer) }
}

/**
 * The engine itself waits for a Postgres that is away. What it does not wait out (a statement that took too long) must not be
 * the end of the job: the failure is noted, so whoever takes the attempt up next has only this promise left to make.
 */
async function promiseNext(
  logger: Logger,
  job: Job<unknown>,
  payload: Payload,
  { attempt, jobId }: NonNullable<Payload['again']>,
): Promise<void> {
  const options = {
    ...placeOf(job, payload, `${jobId}/${attempt + 1}`),
    delaySeconds: pauseSecondsAfter(attempt, job),
  }
  const next: Payload = { ...payload, again: { attempt: attempt + 1, jobId } }
  try {
    await DBOS.enqueueWorkflowWithOptions(options, next)
  } catch (err) {
    logger.warn({ err }, 'could not promise the next attempt at a job; whoever takes it up does')
    throw leftToAnother()
  }
}

/** Has the engine note nothing: whoever takes the job up next goes on where this one is. */
const leftToAnother = () => new DBOSWorkflowConflictError(DBOS.workflowID ?? '')

/** Throws unless the attempt itself came to this end. */
function assertOutcome(error: unknown, { stopping }: Workshop): void {
  if (isInAnotherHand(error)) throw error
  const isItsOwn =
    error instanceof FailedAttempt || error instanceof EngineError.DBOSStepTimeoutError
  // A stopping engine falls apart under what it has just taken up, and would call that the end of the job.
  if (stopping.aborted && !isItsOwn) throw leftToAnother()
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
