/**
 * Representation of jobs in the engine, DBOS Transact, a library that stores workflows in our own Postgres. Each
 * attempt at a job is a workflow with the job's name, in the organization's partition of its queue. The first attempt
 * has the job's id, the second one `<id>/2`, and so on. An attempt that was delayed because its organization was
 * suspended has an id such as `<id>/2/rest-1`. Only this folder uses the engine's SDK and tables.
 */
import type { OrganizationId } from '../../../kernel/ids.ts'
import type { QueueName } from '../../../kernel/queues.ts'
import type { Job } from '../job.ts'

export const APPLICATION_NAME = 'reelkeep'

/**
 * A running workflow is recovered only by workers of the same version. Raise the version when the steps of a workflow
 * change, not with every release. Enqueued jobs have no version, so that new workers accept jobs of older instances.
 */
export const WORKFLOW_VERSION = '1'

/** Input of a workflow. */
export type Payload = {
  readonly organizationId: OrganizationId
  readonly input: unknown
  /** Queue of the job. Stored here too, because the engine removes the queue of a job that has failed permanently. */
  readonly queue?: QueueName
  readonly urgency?: Urgency
  /** Trace context of the request or job that enqueued the workflow. */
  readonly traceparent?: string
  /**
   * Set for attempts after the first: the number of the attempt, the id of the job, and how often the attempt was
   * delayed by a suspension.
   */
  readonly again?: { readonly attempt: number; readonly jobId: string; readonly rests?: number }
}

/** Order among the jobs of one organization in one queue; equal priorities run in order of creation. */
const priorities = { soon: 1, normal: 10, later: 100 } as const

export type Urgency = keyof typeof priorities

/** Queue, partition and id of an attempt in the engine. */
export function workflowOptions(
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

const FAILED = 'The job failed permanently: '

/** Error that the engine records for a job that has used all its attempts. */
export class JobFailed extends Error {
  override readonly name = 'JobFailed'

  constructor(lastMessage: string) {
    super(`${FAILED}${lastMessage}`)
  }
}

/**
 * Whether a log entry of the engine is about a permanent failure, which the worker has already logged with more fields.
 */
export const isJobFailure = (entry: unknown) => String(entry).startsWith(FAILED)
