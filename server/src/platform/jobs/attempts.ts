/**
 * An attempt at a job, and what follows from it.
 *
 * One that succeeded is noted as the end of its workflow and nowhere else: handlers bear to be
 * called twice, and a step of the engine would cost seven round trips. One that failed is noted by
 * the engine as the outcome of a step. Then the next is promised, with its pause, under an id that
 * follows from the job's; the engine writes that promise and the note of it in one transaction. A
 * worker that dies in between leaves the attempt unfinished: whoever takes it up finds the failure
 * noted, does not try again, and makes the promise, or finds it made. Nobody sleeps through a
 * pause, so it takes up no place in a worker or in the organization's share.
 *
 * Nothing of a held organization can be written, so an attempt at one of its jobs is not made, or
 * does not count if it was under way. The same attempt is promised for later, and what else waits
 * of the organization is laid aside with it.
 */
import { DBOS, DBOSWorkflowConflictError, Error as EngineError } from '@dbos-inc/dbos-sdk'
import type { Database } from '../db/database.ts'
import { isHeld } from '../db/held.ts'
import type { Logger } from '../observability/logger.ts'
import { continued, SpanKind } from '../observability/tracing.ts'
import { JobFailed, type Payload, placeOf } from './engine.ts'
import { findStanding } from './finished-jobs.store.ts'
import { type Handler, NotBegun } from './handler.ts'
import { delayWaiting, findRestSeconds } from './held-jobs.store.ts'
import { type Job, pauseSecondsAfter } from './job.ts'
import type { JobMetrics } from './job-metrics.ts'
import type { JobInHand } from './strays.ts'

/**
 * Unless the job says otherwise: one that kills its worker each time is given up, and releases must
 * not use this up.
 */
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
  metrics.enter(job.name)

  const work = async (payload: Payload) => {
    const { attempt, jobId } = againOf(payload)
    const { organizationId } = payload
    const facts = {
      job: job.name,
      job_id: jobId,
      attempt,
      organization_id: organizationId,
      ...subjectOf(job, payload),
    }
    const logger = workshop.logger.child(facts)
    try {
      await continued(
        payload.traceparent,
        { name: `job ${job.name}`, facts, kind: SpanKind.CONSUMER },
        () => attemptAndTell(handler, workshop, payload, { attempt, logger }),
      )
    } catch (error) {
      if (error instanceof OrganizationHeld) return promiseAfterRest(logger, job, workshop, payload)
      if (isInAnotherHand(error)) throw error
      metrics.count(job.name, 'failed_attempt')
      if (attempt < job.attemptsMax) return promiseNext(logger, job, payload)
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

const againOf = ({ again }: Payload) => again ?? { attempt: 1, jobId: DBOS.workflowID ?? '' }

/** Of an input that another release wrote it may not be to be told; that is no reason not to try. */
function subjectOf(job: Job<unknown>, { input }: Payload): Readonly<Record<string, string>> {
  try {
    return job.about?.(input) ?? {}
  } catch {
    return {}
  }
}

type Numbered = { readonly attempt: number; readonly logger: Logger }

/**
 * Throws how it failed, or that it is in another hand. The lines of the log are written here, where
 * the trace is under way.
 */
async function attemptAndTell(
  handler: Handler,
  workshop: Workshop,
  payload: Payload,
  numbered: Numbered,
): Promise<void> {
  const { attempt, logger } = numbered
  try {
    await attemptUnlessFailed(handler, workshop, payload, numbered)
  } catch (error) {
    if (error instanceof OrganizationHeld) throw error
    assertOutcome(error, workshop)
    const err = error instanceof FailedAttempt ? error.reason : error
    logger.warn({ err }, 'an attempt at a job failed')
    if (attempt >= handler.job.attemptsMax) logger.error('a job failed for good')
    throw error
  }
}

/** Throws the failure once it is noted. One that was noted before is thrown again, and nothing is tried. */
async function attemptUnlessFailed(
  handler: Handler,
  workshop: Workshop,
  payload: Payload,
  numbered: Numbered,
): Promise<void> {
  const db = workshop.database.forOrganization(payload.organizationId)
  const { noted, isHeld } = await findStanding(db, DBOS.workflowID ?? '').catch(() => {
    // Nothing was tried, so nothing has failed; see strays.ts for who takes it up.
    throw leftToAnother()
  })
  if (noted === 'rest') return
  const hasFailed = noted === 'failure'
  if (isHeld && !hasFailed) throw new OrganizationHeld()
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
    if (isHeld(error instanceof NotBegun ? error.cause : error)) throw new OrganizationHeld()
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

function promiseNext(logger: Logger, job: Job<unknown>, payload: Payload): Promise<void> {
  const { attempt, jobId } = againOf(payload)
  const again = { attempt: attempt + 1, jobId }
  const options = {
    ...placeOf(job, payload, `${jobId}/${again.attempt}`),
    delaySeconds: pauseSecondsAfter(attempt, job),
  }
  return promiseAgain(logger, options, { ...payload, again })
}

/**
 * As a workflow of its own: the engine keeps an eye on one that was laid down until it has ended,
 * and there may be thousands.
 */
async function promiseAfterRest(
  logger: Logger,
  job: Job<unknown>,
  { database }: Workshop,
  payload: Payload,
): Promise<void> {
  logger.info('a job rests, because its organization is held')
  const { attempt, jobId, rests = 0 } = againOf(payload)
  const again = { attempt, jobId, rests: rests + 1 }
  const db = database.forOrganization(payload.organizationId)
  const delaySeconds = await findRestSeconds(db).catch(() => {
    throw leftToAnother()
  })
  const options = {
    ...placeOf(job, payload, `${jobId}/${attempt}/rest-${again.rests}`),
    delaySeconds,
  }
  await promiseAgain(logger, options, { ...payload, again })
  await delayWaiting(db, job.queue, delaySeconds).catch((err: unknown) =>
    logger.warn({ err }, 'could not lay aside the jobs of a held organization'),
  )
}

/**
 * The engine itself waits for a Postgres that is away. What it does not wait out (a statement that
 * took too long) must not be the end of the job: how it went is noted, so whoever takes the attempt
 * up next has only this promise left to make.
 */
async function promiseAgain(
  logger: Logger,
  options: Parameters<typeof DBOS.enqueueWorkflowWithOptions>[0],
  next: Payload,
): Promise<void> {
  try {
    await DBOS.enqueueWorkflowWithOptions(options, next)
  } catch (err) {
    logger.warn({ err }, 'could not promise the next attempt at a job; whoever takes it up does')
    throw leftToAnother()
  }
}

/** The attempt was not made, or was cut off: nothing of its organization can be written. */
class OrganizationHeld extends Error {
  override readonly name = 'OrganizationHeld'
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
 * What of a failure is stored: its sentence. Libraries hang connections and whole requests on their
 * errors; those stay here, out of the engine's sight, for the log.
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
