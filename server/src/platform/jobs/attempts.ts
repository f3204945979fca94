import { DBOS, DBOSWorkflowConflictError, Error as EngineError } from '@dbos-inc/dbos-sdk'
import type { Database } from '../db/database.ts'
import type { Logger } from '../observability/logger.ts'
import type { Payload } from './engine.ts'
import type { Handler } from './handler.ts'
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

/** Tells the engine how a job is done: as one step, tried as often as the job allows. */
export function registerHandler({ job, run }: Handler, workshop: Workshop): void {
  const { metrics, interrupted } = workshop

  const attempt = async ({ organizationId, input }: Payload, logger: Logger) => {
    const { cancelSignal, timeoutSignal } = DBOS.stepStatus ?? {}
    const signals = [interrupted, cancelSignal, timeoutSignal].filter((signal) => !!signal)
    const db = workshop.database.forOrganization(organizationId)
    const running = run({ db, input, logger, signal: AbortSignal.any(signals) })
    workshop.running.add(running)
    try {
      await running
    } catch (error) {
      // Not a failure: whoever takes the job up next begins it afresh.
      if (interrupted.aborted) throw new DBOSWorkflowConflictError(DBOS.workflowID ?? '')
      throw new FailedAttempt(error)
    } finally {
      workshop.running.delete(running)
    }
  }

  const work = async (payload: Payload) => {
    const logger = workshop.logger.child({
      job: job.name,
      job_id: DBOS.workflowID,
      organization: payload.organizationId,
    })
    const noteFailure = (error: unknown) => {
      const err = error instanceof FailedAttempt ? error.reason : error
      logger.warn({ err }, 'an attempt at a job failed')
      metrics.count(job.name, 'failed_attempt')
      return true
    }
    const retrying = {
      name: job.name,
      retriesAllowed: true,
      maxAttempts: job.attemptsMax,
      intervalSeconds: job.firstPauseSeconds,
      backoffRate: 2,
      timeoutMS: job.attemptSecondsMax * 1000,
      shouldRetry: noteFailure,
    }
    try {
      await DBOS.runStep(() => attempt(payload, logger), retrying)
      metrics.count(job.name, 'done')
    } catch (error) {
      if (error instanceof EngineError.DBOSMaxStepRetriesError) {
        logger.error('a job failed for good')
        metrics.count(job.name, 'failed')
      }
      throw error
    }
  }
  DBOS.registerWorkflow(work, { name: job.name, maxRecoveryAttempts: TAKEN_UP_MAX })
}

/**
 * What of a failure is stored: its sentence. Libraries hang connections and whole requests on their errors; those stay here, out of
 * the engine's sight, for the log.
 */
class FailedAttempt extends Error {
  override readonly name = 'FailedAttempt'
  readonly #reason: unknown

  constructor(reason: unknown) {
    super(reason instanceof Error ? reason.message : String(reason))
    this.#reason = reason
  }

  get reason(): unknown {
    return this.#reason
  }
}
