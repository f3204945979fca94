/**
 * Runs an attempt at a job, and enqueues the next attempt if it failed.
 *
 * Success is recorded only as the end of the workflow: handlers are idempotent, and a step of the engine would cost
 * seven round trips. A failure is recorded by the engine as the result of a step. Then the next attempt is enqueued,
 * with its delay, under an id derived from the job's; the engine writes the next attempt and the record that it was
 * enqueued in one transaction. If a worker dies in between, the attempt stays unfinished: the worker that recovers it
 * finds the recorded failure, does not run the handler again, and enqueues the next attempt unless that was done
 * already. No worker sleeps through a delay, so a delayed attempt occupies no slot of a worker or of the organization's
 * quota.
 *
 * Nothing can be written for a suspended organization, so an attempt at one of its jobs is not made, or does not
 * count if it was running. The same attempt is enqueued for later, and the other waiting jobs of the organization
 * are delayed with it.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { DBOS, DBOSWorkflowConflictError, Error as EngineError } from '@dbos-inc/dbos-sdk'
import type { Database } from '../../db/database.ts'
import { isSuspended } from '../../db/suspension.ts'
import type { Logger } from '../../observability/logger.ts'
import { continueTrace, SpanKind } from '../../observability/tracing.ts'
import { ClaimFailed, type Handler, Postponed } from '../handler.ts'
import { type Job, retryDelaySeconds } from '../job.ts'
import type { JobMetrics } from '../job-metrics.ts'
import { delayWaitingJobs, findAttempt, findDelaySeconds } from './attempts.store.ts'
import type { ClaimedJob } from './lost-jobs.ts'
import { JobFailed, type Payload, workflowOptions } from './workflow.ts'

const MAX_RECOVERIES = 20

export type WorkerState = {
  readonly database: Database
  readonly logger: Logger
  readonly metrics: JobMetrics
  /** Aborts when the worker starts to stop, while running attempts may still finish. */
  readonly stopping: AbortSignal
  /** Aborts when the worker has to exit. */
  readonly shuttingDown: AbortSignal
  /** Jobs that the engine has dispatched and this worker has not finished. */
  readonly claimed: Set<ClaimedJob>
  /** Running attempts. */
  readonly running: Set<Promise<void>>
}

/** One run of a workflow. */
type Execution = {
  readonly handler: Handler
  readonly worker: WorkerState
  readonly payload: Payload
  readonly logger: Logger
}

/** Registers the handler of a job with the engine. */
export function registerHandler(handler: Handler, worker: WorkerState): void {
  const { name, retry } = handler.job
  worker.metrics.addJob(name)
  const workflow = async (payload: Payload) => {
    const claimed = { id: workflowId() }
    worker.claimed.add(claimed)
    try {
      await runAttempt(handler, worker, payload)
    } finally {
      worker.claimed.delete(claimed)
    }
  }
  DBOS.registerWorkflow(workflow, {
    name,
    maxRecoveryAttempts: retry.maxRecoveries ?? MAX_RECOVERIES,
  })
}

const workflowId = () => DBOS.workflowID ?? ''

const attemptOf = ({ again }: Payload) => again ?? { attempt: 1, jobId: workflowId() }

const isLastAttempt = ({ handler: { job }, payload }: Execution) => attemptOf(payload).attempt >= job.retry.maxAttempts

/** Runs the attempt and enqueues the next one if it failed. */
async function runAttempt(handler: Handler, worker: WorkerState, payload: Payload): Promise<void> {
  const { job } = handler
  const { attempt, jobId } = attemptOf(payload)
  const attributes = {
    job: job.name,
    job_id: jobId,
    attempt,
    organization_id: payload.organizationId,
    ...logFieldsOf(job, payload),
  }
  const logger = worker.logger.child(attributes)
  const execution = { handler, worker, payload, logger }
  const span = { name: `job ${job.name}`, attributes, kind: SpanKind.CONSUMER }
  try {
    await continueTrace(payload.traceparent, span, () => attemptAndLog(execution))
  } catch (error) {
    if (error instanceof OrganizationSuspended) return enqueueAfterSuspension(execution)
    if (error instanceof Postponed) return enqueuePostponed(execution, error)
    if (isOwnedElsewhere(error)) throw error
    worker.metrics.count(job.name, 'failed_attempt')
    if (!isLastAttempt(execution)) return enqueueNext(execution)
    worker.metrics.count(job.name, 'failed')
    throw new JobFailed(messageOf(error))
  }
  worker.metrics.count(job.name, 'done')
}

/** Returns no log fields if the input was written by another release and cannot be read; the attempt is made anyway. */
function logFieldsOf(job: Job<unknown>, { input }: Payload): Readonly<Record<string, string>> {
  try {
    return job.about?.(input) ?? {}
  } catch {
    return {}
  }
}

/** Throws the failure of the attempt, or a conflict if another worker has it. Logs here, inside the trace. */
async function attemptAndLog(execution: Execution): Promise<void> {
  const { worker, logger } = execution
  try {
    await attemptUnlessFailed(execution)
  } catch (error) {
    if (error instanceof OrganizationSuspended || error instanceof Postponed) throw error
    assertOutcome(error, worker)
    const err = error instanceof FailedAttempt ? error.reason : error
    logger.warn({ err }, 'job attempt failed')
    if (isLastAttempt(execution)) logger.error('job failed permanently')
    throw error
  }
}

/**
 * Throws the failure of an attempt once it is recorded. A failure that was recorded before is thrown again, without
 * running the handler.
 */
async function attemptUnlessFailed(execution: Execution): Promise<void> {
  const { handler, worker, payload } = execution
  const db = worker.database.forOrganization(payload.organizationId)
  const { recorded, isSuspended } = await findAttempt(db, workflowId()).catch(() => {
    // The handler did not run, so nothing has failed; lost-jobs.ts releases the job.
    throw leftToRecovery()
  })
  if (recorded === 'delay') return
  const hasFailed = recorded === 'failure'
  if (isSuspended && !hasFailed) throw new OrganizationSuspended()
  const failure = hasFailed ? undefined : await runHandler(execution)
  if (!hasFailed && !failure) return
  await DBOS.runStep(() => Promise.reject(failure), { name: handler.job.name })
}

/** Runs the handler and returns the failure of the attempt, if any. */
async function runHandler(execution: Execution): Promise<FailedAttempt | undefined> {
  const { handler, worker, payload, logger } = execution
  const { database, shuttingDown, running } = worker
  if (shuttingDown.aborted) throw leftToRecovery()
  const { attempt: number, jobId } = attemptOf(payload)
  using limit = timeLimit(handler.job)
  const attempt = handler
    .run({
      db: database.forOrganization(payload.organizationId),
      input: payload.input,
      number,
      retryDelaySeconds: retryDelaySeconds(jobId, number, handler.job.retry),
      postponements: payload.again?.rests ?? 0,
      isLast: isLastAttempt(execution),
      logger,
      signal: AbortSignal.any([shuttingDown, limit.signal]),
      shuttingDown,
    })
    .finally(() => running.delete(attempt))
  running.add(attempt)
  try {
    await Promise.race([attempt, limit.isUp])
    return undefined
  } catch (error) {
    // A shutdown is not a failure: the next worker runs the same attempt from the start.
    if (shuttingDown.aborted) throw leftToRecovery()
    if (isSuspended(error instanceof ClaimFailed ? error.cause : error)) throw new OrganizationSuspended()
    if (error instanceof Postponed) throw error
    if (!(error instanceof ClaimFailed)) return new FailedAttempt(error)
    logger.warn({ err: error.cause }, 'job attempt could not start; it will be repeated')
    throw leftToRecovery()
  }
}

/** When the time of an attempt is up, its signal aborts and it has failed, whether the handler ends or not. */
function timeLimit({ name, retry: { attemptTimeoutSeconds } }: Job<unknown>) {
  const controller = new AbortController()
  const { promise: isUp, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    const reason = new Error(`${name} took longer than ${attemptTimeoutSeconds} s`)
    controller.abort(reason)
    reject(reason)
  }, attemptTimeoutSeconds * 1000)
  return { signal: controller.signal, isUp, [Symbol.dispose]: () => clearTimeout(timer) }
}

function enqueueNext({ handler: { job }, payload, logger }: Execution): Promise<void> {
  const { attempt, jobId } = attemptOf(payload)
  const again = { attempt: attempt + 1, jobId }
  const options = {
    ...workflowOptions(job, payload, `${jobId}/${again.attempt}`),
    delaySeconds: retryDelaySeconds(jobId, attempt, job.retry),
  }
  return enqueueAttempt(logger, options, { ...payload, again })
}

/**
 * Enqueues the attempt again as a separate, delayed workflow. It does not sleep in this one: the engine tracks a
 * sleeping workflow until it ends, and there may be thousands.
 */
async function enqueueAfterSuspension(execution: Execution): Promise<void> {
  const { handler, worker, payload, logger } = execution
  logger.info('job delayed because its organization is suspended')
  const db = worker.database.forOrganization(payload.organizationId)
  const delaySeconds = await findDelaySeconds(db).catch(() => {
    throw leftToRecovery()
  })
  await enqueueSame(execution, delaySeconds)
  await delayWaitingJobs(db, handler.job.queue, delaySeconds).catch((err: unknown) =>
    logger.warn({ err }, 'failed to delay the jobs of a suspended organization'),
  )
}

/** Leaves the attempt to another worker, and then pauses in this slot. */
async function enqueuePostponed(execution: Execution, { postponement }: Postponed): Promise<void> {
  const { reason, delaySeconds, pauseSeconds } = postponement
  execution.logger.info({ reason }, 'job attempt postponed')
  await enqueueSame(execution, delaySeconds)
  await sleep(pauseSeconds * 1000, undefined, { signal: execution.worker.stopping }).catch(() => undefined)
}

/** Enqueues the same attempt again, delayed. */
function enqueueSame({ handler: { job }, payload, logger }: Execution, delaySeconds: number): Promise<void> {
  const { attempt, jobId, rests = 0 } = attemptOf(payload)
  const again = { attempt, jobId, rests: rests + 1 }
  const options = {
    ...workflowOptions(job, payload, `${jobId}/${attempt}/rest-${again.rests}`),
    delaySeconds,
  }
  return enqueueAttempt(logger, options, { ...payload, again })
}

/**
 * Enqueues the next attempt. The engine itself waits for an unavailable Postgres. Other errors (a statement timeout)
 * must not end the job: the result is recorded, so the next worker only has to enqueue this attempt.
 */
async function enqueueAttempt(
  logger: Logger,
  options: Parameters<typeof DBOS.enqueueWorkflowWithOptions>[0],
  next: Payload,
): Promise<void> {
  try {
    await DBOS.enqueueWorkflowWithOptions(options, next)
  } catch (err) {
    logger.warn({ err }, 'failed to enqueue the next attempt; recovery will enqueue it')
    throw leftToRecovery()
  }
}

/** The attempt was not made or was aborted, because its organization is suspended. */
class OrganizationSuspended extends Error {
  override readonly name = 'OrganizationSuspended'
}

/** Error that makes the engine record nothing, so that the next worker continues the attempt. */
const leftToRecovery = () => new DBOSWorkflowConflictError(workflowId())

/** Throws if the error is not a failure of the attempt itself. */
function assertOutcome(error: unknown, { stopping }: WorkerState): void {
  if (isOwnedElsewhere(error)) throw error
  const isItsOwn = error instanceof FailedAttempt || error instanceof EngineError.DBOSStepTimeoutError
  // A stopping engine throws errors of its own in workflows it has just claimed, and would record them as the end
  // of the job.
  if (stopping.aborted && !isItsOwn) throw leftToRecovery()
}

/** Another worker runs the attempt, or it was cancelled, so there is nothing to do here. */
const isOwnedElsewhere = (error: unknown) =>
  error instanceof DBOSWorkflowConflictError || error instanceof EngineError.DBOSWorkflowCancelledError

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/**
 * Only the message of a failure is stored. Libraries attach connections and whole requests to their errors; these
 * stay in a private field, which the engine does not serialize, for the log.
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
