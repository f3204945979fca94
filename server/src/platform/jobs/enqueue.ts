import type { OrganizationDb } from '../db/database.ts'
import { currentTraceparent } from '../observability/tracing.ts'
import { enqueueWorkflow } from './engine/enqueue-workflow.ts'
import { type Payload, type Urgency, workflowOptions } from './engine/workflow.ts'
import type { Job } from './job.ts'

export type { Urgency }

export type EnqueueOptions = {
  readonly delaySeconds?: number
  /** Id of the job, without a slash. Enqueueing a job with the same id twice in an organization has no effect. */
  readonly id?: string
  readonly urgency?: Urgency
}

type NewJob<Input> = EnqueueOptions & { readonly input: Input }

/**
 * Enqueues the job for the organization of this handle when the transaction commits. The job may run twice if a worker
 * dies after running it and before recording that.
 */
export async function enqueueJob<Input>(
  db: OrganizationDb,
  job: Pick<Job<Input>, 'name' | 'queue'>,
  { input, delaySeconds, id = crypto.randomUUID(), urgency = 'normal' }: NewJob<Input>,
): Promise<void> {
  // An id with a slash would be mistaken for an attempt at another job.
  if (id.includes('/')) throw new Error(`The id of a job must not contain a slash: ${id}`)
  const { organizationId } = db
  const traceparent = currentTraceparent()
  const payload: Payload = {
    ...{ organizationId, input, queue: job.queue, urgency },
    ...(traceparent && { traceparent }),
  }
  const options = {
    // Workflow ids are global; the organization prefix makes them unique.
    ...workflowOptions(job, payload, `${organizationId}/${job.name}/${id}`),
    ...(delaySeconds !== undefined && { delaySeconds }),
  }
  await db.transaction((tx) => enqueueWorkflow(tx, options, payload))
}
