import type { BulkOperationId } from '../../kernel/ids.ts'
import type { Database } from '../../platform/db/database.ts'
import { type Handler, handle } from '../../platform/jobs/handler.ts'
import type { FormLifetime } from '../assets/assets.ts'
import { failOperation, runBulkOperation, runOperation } from './bulk-operations.ts'

/** Batches run like requests, without access to the trash except for restoring and purging. */
export const bulkHandlers = (database: Database, settings: FormLifetime): Handler[] => [
  handle(runBulkOperation, async ({ db: { organizationId }, input, signal, shuttingDown, isLast }) => {
    const db = database.forRequest(organizationId)
    const id = input.operationId as BulkOperationId
    try {
      await runOperation(db, id, { settings, signal: AbortSignal.any([signal, shuttingDown]) })
    } catch (error) {
      if (isLast && !shuttingDown.aborted) await failOperation(db, id)
      throw error
    }
  }),
]
