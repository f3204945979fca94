import { type BodyOf, bulkOperations as contract } from '@reelkeep/contract'
import type { BulkOperationId } from '../../kernel/ids.ts'
import { isUuidKey } from '../../platform/db/paging/keyset.ts'
import { pageRequestOf, toPage } from '../../platform/http/page.ts'
import { type Api, route } from '../../platform/http/route.ts'
import { assetQueryOf } from '../assets/assets.wire.ts'
import { toCreator } from '../grants/grants.ts'
import {
  type BulkInput,
  type BulkOperation,
  type BulkOperationDetails,
  cancelOperation,
  createOperation,
  listOperations,
  previewOperation,
  requireOperation,
} from './bulk-operations.ts'

export function registerBulkOperationRoutes(api: Api): void {
  route(api, contract.createBulkOperation, async ({ db, principal, body }) => {
    const input = inputOf(body)
    if (!body.dry_run) return toDetails(await createOperation(db, input, principal))
    const { count, sample } = await previewOperation(db, input)
    return { dry_run: true as const, action: body.action, count, sample: [...sample] }
  })

  route(api, contract.listBulkOperations, async ({ db, query, listUrl }) =>
    toPage(listUrl, await listOperations(db, pageRequestOf(query, isUuidKey)), toSummary),
  )

  route(api, contract.readBulkOperation, async ({ db, params }) =>
    toDetails(await requireOperation(db, params.bulk_operation_id as BulkOperationId)),
  )

  route(api, contract.cancelBulkOperation, async ({ db, params }) =>
    toDetails(await cancelOperation(db, params.bulk_operation_id as BulkOperationId)),
  )
}

const inputOf = (body: BodyOf<typeof contract.createBulkOperation>): BulkInput => ({
  action: body.action,
  ids: body.ids,
  filter: body.filter && assetQueryOf(body.filter),
  exceptIds: body.except_ids,
  folder: body.folder,
  tags: body.tags,
  metadata: body.metadata,
})

const toSummary = (operation: BulkOperation): contract.BulkOperationSummary => ({
  id: operation.id,
  action: operation.action,
  folder: operation.folderUuid,
  tags: operation.tags && [...operation.tags],
  metadata: operation.metadata,
  status: operation.status,
  progress: { total: operation.total, done: operation.done, failed: operation.failed },
  error: operation.errorCode === null ? null : { code: operation.errorCode, detail: operation.errorDetail ?? '' },
  created_by: toCreator(operation),
  created_at: operation.createdAt,
  started_at: operation.startedAt,
  finished_at: operation.finishedAt,
})

const toDetails = (operation: BulkOperationDetails): contract.BulkOperation => ({
  ...toSummary(operation),
  errors: operation.errors.map(({ assetId, code, detail }) => ({ asset_id: assetId, code, detail })),
})
