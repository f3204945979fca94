/**
 * How our jobs look in the engine, DBOS Transact: a library that keeps workflows in our own
 * Postgres. Each attempt at a job is a workflow, bears the job's name and lies in the
 * organization's partition of its queue. The first bears the job's id, the second `<id>/2`, and so
 * on; one that could not be made because its organization was held, `<id>/2/rest-1`. Only this
 * folder knows the engine.
 */
import type { DLogger } from '@dbos-inc/dbos-sdk'
import type { OrganizationId } from '../../kernel/ids.ts'
import type { Logger } from '../observability/logger.ts'
import type { Job } from './job.ts'
import type { QueueName } from './queues.ts'

export const APPLICATION_NAME = 'reelkeep'

/**
 * A workflow under way is only taken up again by workers of the same version. Raise it when the
 * steps of a workflow change, not with every release. Promises bear no version, so that the newest
 * workers take what older instances promised.
 */
export const WORKFLOW_VERSION = '1'

/** What a workflow is given. */
export type Payload = {
  readonly organizationId: OrganizationId
  readonly input: unknown
  /** Kept here as well, because the engine forgets the queue of a job that it gives up. */
  readonly queue?: QueueName
  readonly urgency?: Urgency
  /** The trace that it was promised in. */
  readonly traceparent?: string
  /**
   * Of an attempt after the first: its number, the id of the job, and how often it has rested
   * because its organization was held.
   */
  readonly again?: { readonly attempt: number; readonly jobId: string; readonly rests?: number }
}

/** Who goes first among the jobs of one organization in one queue; of the same urgency, whoever was promised first. */
const priorities = { soon: 1, normal: 10, later: 100 } as const

export type Urgency = keyof typeof priorities

/** Where in the engine an attempt lies. */
export function placeOf(
  job: Pick<Job<unknown>, 'name' | 'queue'>,
  { organizationId, urgency = 'normal' }: Pick<Payload, 'organizationId' | 'urgency'>,
  workflowID: string,
) {
  return {
    priority: priorities[urgency],
    workflowName: job.name,
    workflowID,
    queueName: job.queue,
    queuePartitionKey: organizationId,
  }
}

const FAILED = 'The job failed for good: '

/** A job that failed as often as it may: what the engine notes of it. */
export class JobFailed extends Error {
  override readonly name = 'JobFailed'

  constructor(lastMessage: string) {
    super(`${FAILED}${lastMessage}`)
  }
}

/** A worker that stops closes the engine under what it gives back; that is taken up by others. */
const CLOSED = 'The system database has been shut down'

/** Not what we have said ourselves, with the job and the organization, nor what belongs to every stop. */
const isNews = (entry: unknown) =>
  !String(entry).startsWith(FAILED) && !String(entry).includes(CLOSED)

/** The engine tells much about its start, which is of interest only to who looks for a fault in it. */
export function engineLogger(logger: Logger): DLogger {
  return {
    debug: (entry) => logger.trace(String(entry)),
    info: (entry) => logger.debug(String(entry)),
    warn: (entry) => logger.warn(String(entry)),
    error: (entry, more) => isNews(entry) && logger.error({ err: more?.error }, String(entry)),
  }
}
