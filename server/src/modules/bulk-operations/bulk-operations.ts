/**
 * Bulk operations: one action on many assets, run in the background.
 *
 * The assets are selected when the operation is created, and stored as batches. A worker removes a batch, changes its
 * assets and counts them in one transaction, so that no asset is changed twice or left out if the worker is killed.
 * Operations of an organization run one after the other: the end of one enqueues the job of the next.
 *
 * States: Queued, Processing (the first batch is done), and the ends Completed, Error and Cancelled.
 */
import { type BulkOperationId, type FolderUuid, newBulkOperationId } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { assertNotRoot } from '../../platform/db/limits.ts'
import { type PageRequest, type RowPage, toRowPage } from '../../platform/db/paging/keyset.ts'
import { type AssetQuery, newSelection, previewSelection, targetFolderNotFound } from '../assets/assets.ts'
import { findFolder } from '../folders/folders.ts'
import { type Grantor, lockGrant } from '../grants/grants.ts'
import { endOperation, enqueueNext, runBulkOperation } from './bulk-end.ts'
import {
  type ActionInput,
  ASSETS_MAX,
  assertParameters,
  assertRoomForOperation,
  assertSelection,
  assertWithinLimit,
  type BulkOperation,
  type BulkOperationDetails,
  batchSizeOf,
  isInTrash,
  isUnfinished,
  operationNotFound,
} from './bulk-operations.rules.ts'
import * as store from './bulk-operations.store.ts'
import { failOperation, runOperation } from './bulk-run.ts'

export type { BulkOperation, BulkOperationDetails }
export { failOperation, runBulkOperation, runOperation }

export type BulkInput = ActionInput & {
  readonly ids: readonly string[] | undefined
  readonly filter: AssetQuery | undefined
  readonly exceptIds: readonly string[] | undefined
}

export async function createOperation(
  db: OrganizationDb,
  input: BulkInput,
  grantor: Grantor,
): Promise<BulkOperationDetails> {
  assertParameters(input)
  assertSelection(input)
  return db.transaction(async (tx) => {
    const { createdBy } = await lockGrant(tx, grantor)
    // Operations of all principals are in one queue.
    assertRoomForOperation(await tx.withLimits(undefined, (all) => store.lockAndCountUnfinished(all)))
    const folderUuid = await requireTarget(tx, input)
    const { action, tags = null, metadata = null } = input
    const id = newBulkOperationId()
    const { limits } = tx
    const operation = {
      id,
      action,
      folderUuid,
      tags,
      metadata: metadata && JSON.stringify(metadata),
      createdBy,
      limits,
    }
    const assets = input.ids ?? (await selectionOf(tx, input))
    const total = await store.insertOperation(tx, { ...operation, size: batchSizeOf(action) }, assets)
    assertWithinLimit(total)
    if (total === 0) await endOperation(tx, id, { status: 'Completed' })
    else await enqueueNext(tx)
    return requireOperation(tx, id)
  })
}

/** The assets that the operation would select. Nothing is stored. */
export async function previewOperation(db: OrganizationDb, input: BulkInput) {
  assertParameters(input)
  assertSelection(input)
  await requireTarget(db, input)
  const preview = await previewSelection(db, await selectionOf(db, input))
  assertWithinLimit(preview.count)
  return preview
}

const selectionOf = (db: OrganizationDb, { action, ids, filter = {}, exceptIds = [] }: BulkInput) =>
  newSelection(db, {
    ...(ids ? { ids } : { query: filter, exceptIds }),
    isInTrash: isInTrash(action),
    limit: ASSETS_MAX,
  })

async function requireTarget(db: OrganizationDb, { action, folder }: BulkInput): Promise<FolderUuid | null> {
  if (action === 'move') assertNotRoot(db, folder ?? null, 'folder')
  if (folder == null) return null
  const found = await findFolder(db, folder)
  if (!found) throw targetFolderNotFound(folder)
  return found.uuid
}

export async function listOperations(
  db: OrganizationDb,
  request: PageRequest,
): Promise<RowPage<BulkOperation> & { count: number }> {
  const { rows, count } = await store.selectOperations(db, request)
  return { ...toRowPage(rows, request, ({ id }) => [id]), count }
}

export async function requireOperation(db: OrganizationDb, id: BulkOperationId): Promise<BulkOperationDetails> {
  const operation = await store.findOperation(db, id)
  if (!operation) throw operationNotFound()
  return operation
}

/** Waits for the batch that is running. No asset is changed afterwards. */
export async function cancelOperation(db: OrganizationDb, id: BulkOperationId): Promise<BulkOperationDetails> {
  return db.transaction(async (tx) => {
    const operation = await store.lockOperation(tx, id)
    if (operation && isUnfinished(operation)) await endOperation(tx, id, { status: 'Cancelled' })
    return requireOperation(tx, id)
  })
}
