/** The end of a bulk operation, which starts the next one of the organization. */
import type { BulkOperationId } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { enqueueJob } from '../../platform/jobs/enqueue.ts'
import { defineJob } from '../../platform/jobs/job.ts'
import { lockAndFindNext, updateEnd } from './bulk-operations.store.ts'

/** Runs batches of one operation. A failed job is retried for about two hours; then the operation fails. */
export const runBulkOperation = defineJob<{ readonly operationId: string }>({
  name: 'run-bulk-operation',
  queue: 'light',
  retry: { maxAttempts: 12, firstBackoffSeconds: 2, attemptTimeoutSeconds: 300 },
  about: ({ operationId }) => ({ bulk_operation_id: operationId }),
})

type End = {
  readonly status: 'Completed' | 'Cancelled' | 'Error'
  readonly error?: { readonly code: string; readonly detail: string }
}

/** The caller has locked the operation, or has just inserted it. */
export async function endOperation(tx: OrganizationDb, id: BulkOperationId, { status, error }: End): Promise<void> {
  await updateEnd(tx, { id, status, errorCode: error?.code ?? null, errorDetail: error?.detail ?? null })
  await enqueueNext(tx)
}

/** Enqueues the oldest operation that has not ended. Has no effect if it was enqueued before. */
export async function enqueueNext(tx: OrganizationDb): Promise<void> {
  const operationId = await tx.withLimits(undefined, lockAndFindNext)
  if (operationId !== undefined) await enqueueJob(tx, runBulkOperation, { input: { operationId }, id: operationId })
}
