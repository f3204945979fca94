/**
 * An attempt at a job and its follow-up.
 *
 * Success is recorded only as the end of the workflow: handlers are idempotent, and a step of the engine would cost
 * seven round trips. A failure is recorded by the engine as the result of a step. Then the next attempt is
 * enqueued, with its delay, under an id derived from the job's; the engine writes that and the record of it in one
 * transaction. If a worker dies in between, the attempt stays unfinished: the worker that recovers it finds the
 * recorded failure, does not run the handler again, and enqueues the next attempt unless that was done already. No
 * worker sleeps through a delay, so a delayed attempt occupies no slot of a worker or of the organization's quota.
 *
 * Nothing can be written for a suspended organization, so an attempt at one of its jobs is not made, or does not
 * count if it was running. The same attempt is enqueued for later, and the other waiting jobs of the organization
 * are delayed with it.
 */
import { DBOS, DBOSWorkflowConflictError, Error as EngineError } from '@dbos-inc/dbos-sdk'
import type { Database } from '../db/database.ts'
import { isSuspended } from '../db/suspension.ts'
import type { Logger } from '../observability/logger.ts'
import { continueTrace, SpanKind } from '../observability/tracing.ts'
import { JobFailed, type Payload, placeOf } from './engine/engine.ts'
import { findStanding } from './engine/finished-jobs.store.ts'
import { delayWaiting, findRestSeconds } from './engine/suspended-jobs.store.ts'
import { type Handler, NotBegun } from './handler.ts'
import { type Job, pauseSecondsAfter } from './job.ts'
import type { JobMetrics } from './job-metrics.ts'
import type { JobInHand } from './lost-jobs.ts'

/** Default of a job: one that crashes its worker each time is given up, but deployments must not use this up. */
const TAKE_UPS_MAX = 20

export type WorkerState = {
  readonly database: Database
  readonly logger: Logger
  readonly metrics: JobMetrics
  /** Aborts when the worker starts to stop, while running attempts may still finish. */
  readonly stopping: AbortSignal
  /** Aborts when the worker has to exit. */
  readonly interrupted: AbortSignal
  /** Jobs that the engine has dispatched and this worker has not finished. */
  readonly inHand: Set<JobInHand>
  /** Running attempts. */
  readonly running: Set<Promise<void>>
}

/** Registers the handler of a job with the engine. */
export function registerHandler(handler: Handler, workerState: WorkerState): void {
  const { job } = handler
  const { metrics } = workerState
  metrics.enter(job.name)

  const work = async (payload: Payload) => {
    const { attempt, jobId } = againOf(payload)
    const { organizationId } = payload
    const attributes = {
      job: job.name,
      job_id: jobId,
      attempt,
      organization_id: organizationId,
      ...subjectOf(job, payload),
    }
    const logger = workerState.logger.child(attributes)
    try {
      await continueTrace(
        payload.traceparent,
        { name: `job ${job.name}`, attributes, kind: SpanKind.CONSUMER },
        () => attemptAndTell(handler, workerState, payload, { attempt, logger }),
      )
    } catch (error) {
      if (error instanceof OrganizationSuspended)
        return promiseAfterRest(logger, job, workerState, payload)
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
    workerState.inHand.add(inHand)
    try {
      await work(payload)
    } finally {
      workerState.inHand.delete(inHand)
    }
  }
  DBOS.registerWorkflow(workInHand, {
    name: job.name,
    maxRecoveryAttempts: job.takeUpsMax ?? TAKE_UPS_MAX,
  })
}

const againOf = ({ again }: Payload) => again ?? { attempt: 1, jobId: DBOS.workflowID ?? '' }

/** The input of another release may not be readable; the attempt is made anyway. */
function subjectOf(job: Job<unknown>, { input }: Payload): Readonly<Record<string, string>> {
  try {
    return job.about?.(input) ?? {}
  } catch {
    return {}
  }
}

type Numbered = { readonly attempt: number; readonly logger: Logger }

/** Throws the failure, or a conflict if another worker has the attempt. Logs are written here, inside the trace. */
async function attemptAndTell(
  handler: Handler,
  workerState: WorkerState,
  payload: Payload,
  numbered: Numbered,
): Promise<void> {
  const { attempt, logger } = numbered
  try {
    await attemptUnlessFailed(handler, workerState, payload, numbered)
  } catch (error) {
    if (error instanceof OrganizationSuspended) throw error
    assertOutcome(error, workerState)
    const err = error instanceof FailedAttempt ? error.reason : error
    logger.warn({ err }, 'job attempt failed')
    if (attempt >= handler.job.attemptsMax) logger.error('job failed permanently')
    throw error
  }
}

/**
 * Throws the failure once it is recorded. A failure that was recorded before is thrown again, without running the
 * handler.
 */
async function attemptUnlessFailed(
  handler: Handler,
  workerState: WorkerState,
  payload: Payload,
  numbered: Numbered,
): Promise<void> {
  const db = workerState.database.forOrganization(payload.organizationId)
  const { noted, isSuspended } = await findStanding(db, DBOS.workflowID ?? '').catch(() => {
    // The handler did not run, so nothing has failed; strays.ts releases the job.
    throw leftToAnother()
  })
  if (noted === 'rest') return
  const hasFailed = noted === 'failure'
  if (isSuspended && !hasFailed) throw new OrganizationSuspended()
  const failure = hasFailed ? undefined : await attemptOnce(handler, workerState, payload, numbered)
  if (!hasFailed && !failure) return
  await DBOS.runStep(() => Promise.reject(failure), { name: handler.job.name })
}

/** Runs the handler. Returns the failure, if any. */
async function attemptOnce(
  { job, run }: Handler,
  { database, interrupted, running }: WorkerState,
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
    // Not a failure: the next worker runs the same attempt from the start.
    if (interrupted.aborted) throw leftToAnother()
    if (isSuspended(error instanceof NotBegun ? error.cause : error))
      throw new OrganizationSuspended()
    if (!(error instanceof NotBegun)) return new FailedAttempt(error)
    logger.warn({ err: error.cause }, 'job attempt could not start; it will be repeated')
    throw leftToAnother()
  }
}

/** When the time is up, the signal aborts and the attempt has failed, whether the handler ends or not. */
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

/** As a separate workflow: the engine tracks a sleeping workflow until it ends, and there may be thousands. */
async function promiseAfterRest(
  logger: Logger,
  job: Job<unknown>,
  { database }: WorkerState,
  payload: Payload,
): Promise<void> {
  logger.info('job delayed because its organization is suspended')
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
    logger.warn({ err }, 'failed to delay the jobs of a suspended organization'),
  )
}

/**
 * The engine itself waits for an unavailable Postgres. Other errors (a statement timeout) must not end the job: the
 * result is recorded, so the next worker only has to enqueue this attempt.
 */
async function promiseAgain(
  logger: Logger,
  options: Parameters<typeof DBOS.enqueueWorkflowWithOptions>[0],
  next: Payload,
): Promise<void> {
  try {
    await DBOS.enqueueWorkflowWithOptions(options, next)
  } catch (err) {
    logger.warn({ err }, 'failed to enqueue the next attempt; recovery will enqueue it')
    throw leftToAnother()
  }
}

/** The attempt was not made, or was interrupted: nothing can be written for its organization. */
class OrganizationSuspended extends Error {
  override readonly name = 'OrganizationSuspended'
}

/** Makes the engine record nothing: the next worker continues from here. */
const leftToAnother = () => new DBOSWorkflowConflictError(DBOS.workflowID ?? '')

/** Throws unless the attempt itself failed. */
function assertOutcome(error: unknown, { stopping }: WorkerState): void {
  if (isInAnotherHand(error)) throw error
  const isItsOwn =
    error instanceof FailedAttempt || error instanceof EngineError.DBOSStepTimeoutError
  // A stopping engine throws errors of its own in workflows it has just claimed, and would record them as the end
  // of the job.
  if (stopping.aborted && !isItsOwn) throw leftToAnother()
}

/** Another worker has the attempt, or it was cancelled: nothing to do here. */
const isInAnotherHand = (error: unknown) =>
  error instanceof DBOSWorkflowConflictError ||
  error instanceof EngineError.DBOSWorkflowCancelledError

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/**
 * Only the message of a failure is stored. Libraries attach connections and whole requests to their errors; these
 * stay in a private field, out of the engine's sight, for the log.
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
