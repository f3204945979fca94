/** The execution of a bulk operation by a worker. */
import { setTimeout as sleep } from 'node:timers/promises'
import { DomainError } from '../../kernel/errors.ts'
import type { AssetId, BulkOperationId } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { enqueueJob } from '../../platform/jobs/enqueue.ts'
import {
  type AssetEdit,
  changeAssets,
  deleteAssets,
  type FormLifetime,
  type ItemError,
  purgeAssets,
  restoreAssets,
} from '../assets/assets.ts'
import { retryAssets } from '../pipeline/pipeline.ts'
import { endOperation, runBulkOperation } from './bulk-end.ts'
import { type BulkOperation, isUnfinished, keptErrors } from './bulk-operations.rules.ts'
import * as store from './bulk-operations.store.ts'

/** A job runs for about this long. Then it enqueues a job for the rest, so that a long operation is many short jobs. */
const JOB_MS_MAX = 90_000

/**
 * Pause after each batch, as a part of the time that the batch took. Requests and other organizations that wait for the
 * locks or the connection of the batch go first.
 */
const PAUSE_RATIO = 0.08

type Run = { readonly settings: FormLifetime; readonly signal: AbortSignal }

/** Runs batches until the operation has ended or the time is over. `db` is a handle that does not see the trash. */
export async function runOperation(db: OrganizationDb, id: BulkOperationId, { settings, signal }: Run): Promise<void> {
  const startMs = performance.now()
  while (performance.now() - startMs < JOB_MS_MAX) {
    signal.throwIfAborted()
    const batchStartMs = performance.now()
    const { isOver } = await runBatch(settings, db, id)
    if (isOver) return
    await sleep((performance.now() - batchStartMs) * PAUSE_RATIO, undefined, { signal })
  }
  await enqueueRest(db, id)
}

/** The id contains the progress, so that two attempts at the same job enqueue the rest once. */
async function enqueueRest(db: OrganizationDb, operationId: BulkOperationId): Promise<void> {
  const operation = await store.findOperation(db, operationId)
  if (!operation) return
  const id = `${operationId}-${operation.done + operation.failed}`
  await enqueueJob(db, runBulkOperation, { input: { operationId }, id })
}

/** Changes the assets of the next batch and removes it, in one transaction. */
const runBatch = (settings: FormLifetime, db: OrganizationDb, id: BulkOperationId) =>
  db.transaction(async (tx) => {
    const operation = await store.lockOperation(tx, id)
    if (!operation || !isUnfinished(operation)) return { isOver: true }
    const limits = await store.findLimits(tx, id)
    const assetIds = await store.deleteNextBatch(tx, id)
    try {
      const errors = await tx.withLimits(limits, () => changeBatch(settings, tx, operation, assetIds))
      const failed = errors.length
      const kept = JSON.stringify(keptErrors(errors, operation.failed))
      await store.updateCounts(tx, { id, done: assetIds.length - failed, failed, errors: kept })
    } catch (error) {
      // Thrown before the first change: the whole operation cannot continue.
      if (!(error instanceof DomainError)) throw error
      await endOperation(tx, id, { status: 'Error', error: { code: error.code, detail: error.message } })
      return { isOver: true }
    }
    const isOver = operation.done + operation.failed + assetIds.length >= operation.total
    if (isOver) await endOperation(tx, id, { status: 'Completed' })
    return { isOver }
  })

function changeBatch(
  settings: FormLifetime,
  tx: OrganizationDb,
  operation: BulkOperation,
  ids: readonly AssetId[],
): Promise<readonly ItemError[]> {
  switch (operation.action) {
    case 'delete':
      return deleteAssets(settings, tx, ids)
    case 'purge':
      return purgeAssets(settings, tx, ids)
    case 'restore':
      return restoreAssets(tx, ids)
    case 'retry':
      return retryAssets(tx, ids)
    default:
      return changeAssets(tx, ids, editOf(operation.action, operation))
  }
}

function editOf(kind: AssetEdit['kind'], { folderUuid, tags, metadata }: BulkOperation): AssetEdit {
  if (kind === 'move') return { kind, folder: folderUuid }
  return kind === 'set_metadata' ? { kind, metadata: metadata ?? {} } : { kind, tags: tags ?? [] }
}

/** For an operation whose last attempt has failed. */
export const failOperation = (db: OrganizationDb, id: BulkOperationId): Promise<void> =>
  db.transaction(async (tx) => {
    const operation = await store.lockOperation(tx, id)
    if (operation && isUnfinished(operation)) await endOperation(tx, id, { status: 'Error', error: internalError })
  })

const internalError = {
  code: 'internal_error',
  detail:
    'An internal error stopped the operation. Assets that were changed stay changed; create it again for the rest.',
}
