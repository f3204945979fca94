import { Type } from 'typebox'
import {
  bodyOf,
  Creator,
  closed,
  metadataChange,
  noParams,
  noQuery,
  nullable,
  openSet,
  TAGS_MAX,
  tagField,
  timestampField,
} from '../fields.ts'
import { assetFilters } from '../library/asset-lists.ts'
import { AssetId } from '../library/assets.ts'
import { FolderReference, FolderUuid } from '../library/folders.ts'
import type { Operation } from '../operation.ts'
import { page, pageQuery } from '../page.ts'

/** Maximum number of assets in `ids` and in `except_ids`. */
const IDS_MAX = 1000

/** Maximum number of unfinished operations of an organization. */
export const OPEN_OPERATIONS_MAX = 20

/** Maximum number of assets of one operation. */
export const OPERATION_ASSETS_MAX = 500_000

/** Maximum number of errors that an operation keeps. */
export const OPERATION_ERRORS_MAX = 1000

export const bulkActions = [
  'move',
  'delete',
  'restore',
  'purge',
  'retry',
  'add_tags',
  'remove_tags',
  'set_metadata',
] as const
export type BulkAction = (typeof bulkActions)[number]

export const bulkStatuses = ['Queued', 'Processing', 'Completed', 'Error', 'Cancelled'] as const
export type BulkStatus = (typeof bulkStatuses)[number]

const BulkOperationId = Type.String({ format: 'uuid', description: 'Identifier of the bulk operation (UUID).' })

const Reason = {
  code: Type.String({ description: 'Error code, as in the responses of single requests.' }),
  detail: Type.String({ description: 'Explanation of the error and how to fix it.' }),
}

const Progress = Type.Object(
  {
    total: Type.Integer({ description: 'Number of selected assets.' }),
    done: Type.Integer({
      description: 'Number of assets that have been changed, or that already were as requested.',
    }),
    failed: Type.Integer({ description: 'Number of assets that could not be changed; `errors` states why.' }),
  },
  { title: 'BulkProgress' },
)

const fields = {
  id: BulkOperationId,
  action: openSet(bulkActions),
  folder: nullable(FolderUuid, 'Destination of `move`; null for the root and for other actions.'),
  tags: nullable(Type.Array(Type.String()), 'Tags of `add_tags` and `remove_tags`; null for other actions.'),
  metadata: nullable(
    Type.Record(Type.String(), nullable(Type.String())),
    'Changes of `set_metadata`; null for other actions.',
  ),
  status: openSet(bulkStatuses, {
    description: `One of ${bulkStatuses.map((status) => `"${status}"`).join(', ')}; later versions may add others. "Completed" also if some assets failed.`,
  }),
  progress: Progress,
  error: nullable(
    Type.Object(Reason, { title: 'BulkFailure' }),
    'Why the whole operation ended with the status "Error"; null otherwise.',
  ),
  created_by: Creator,
  created_at: timestampField,
  started_at: nullable(timestampField, 'When the first assets were changed; null before that.'),
  finished_at: nullable(timestampField, 'When the operation ended; null before that.'),
}

/** A bulk operation in a list. */
export const BulkOperationSummary = Type.Object(fields, { title: 'BulkOperationSummary' })
export type BulkOperationSummary = Type.Static<typeof BulkOperationSummary>

const BulkItemError = Type.Object({ asset_id: AssetId, ...Reason }, { title: 'BulkItemError' })

export const BulkOperation = Type.Object(
  {
    ...fields,
    errors: Type.Array(BulkItemError, {
      description: 'Assets that could not be changed, and why: the first 1,000.',
    }),
  },
  { title: 'BulkOperation' },
)
export type BulkOperation = Type.Static<typeof BulkOperation>

export const BulkPreview = Type.Object(
  {
    dry_run: Type.Literal(true),
    action: openSet(bulkActions),
    count: Type.Integer({ description: 'Number of assets that the operation would select.' }),
    sample: Type.Array(Type.Object({ id: AssetId, title: Type.String() }, { title: 'SampledAsset' }), {
      description: 'The newest of these assets, at most 10.',
    }),
  },
  { title: 'BulkPreview', description: 'What an operation would select. Nothing was changed or stored.' },
)
export type BulkPreview = Type.Static<typeof BulkPreview>

const onOperation = Type.Object({ bulk_operation_id: BulkOperationId })
const shared = { tag: 'Bulk operations', idempotent: false } as const

const idsField = (description: string) => Type.Optional(Type.Array(AssetId, { maxItems: IDS_MAX, description }))

export const createBulkOperation = {
  ...shared,
  id: 'createBulkOperation',
  method: 'POST',
  idempotent: true,
  path: '/bulk-operations/',
  summary: 'Change many assets',
  description:
    'Applies one action to many assets: those in `ids`, or those that match `filter` now. The operation runs in the background, one operation of an organization at a time, and each asset is changed exactly once, with the same events as for a single request. An asset that cannot be changed is reported in `errors` and does not stop the others. The operation keeps the rights that the token had when it was created. With `dry_run`, the response is a `BulkPreview`, and nothing is changed.',
  scopes: ['assets:read', 'assets:write'],
  params: noParams,
  query: noQuery,
  body: bodyOf(
    {
      action: Type.Enum([...bulkActions], {
        type: 'string',
        description:
          '`move` requires `folder`, `add_tags` and `remove_tags` require `tags`, and `set_metadata` requires `metadata`. `restore` and `purge` select assets in the trash, without those that were deleted with a folder unless they are in `ids`; the other actions select assets that are not in the trash. `delete` moves assets to the trash.',
      }),
      ids: idsField('The assets to change: 1 to 1,000. Either `ids` or `filter` is required.'),
      filter: Type.Optional(
        Type.Object(assetFilters, {
          ...closed,
          description:
            'Selects all assets that match, at most 500,000: the filters of the list of assets. An empty object selects all assets.',
        }),
      ),
      except_ids: idsField('With `filter`: assets that are not selected, at most 1,000.'),
      folder: Type.Optional(nullable(FolderReference, 'Destination folder of `move`; null for the root.')),
      tags: Type.Optional(
        Type.Array(tagField, { minItems: 1, maxItems: TAGS_MAX, description: 'Tags to add or to remove.' }),
      ),
      metadata: Type.Optional(metadataChange),
      dry_run: Type.Optional(
        Type.Boolean({ default: false, description: 'Return the number of selected assets and a sample only.' }),
      ),
    },
    { action: 'add_tags', filter: { status: ['Completed'] }, tags: ['archive'] },
  ),
  success: { status: 201, body: Type.Union([BulkOperation, BulkPreview]) },
  errors: ['target_folder_not_found', 'bulk_operation_limit_reached', 'outside_folder'],
} as const satisfies Operation

export const listBulkOperations = {
  ...shared,
  id: 'listBulkOperations',
  method: 'GET',
  path: '/bulk-operations/',
  summary: 'List bulk operations',
  description: 'Returns the bulk operations of the organization, newest first. They are kept for 30 days.',
  scopes: ['assets:read'],
  params: noParams,
  query: Type.Object(pageQuery, closed),
  body: undefined,
  success: { status: 200, body: page(BulkOperationSummary) },
  errors: ['invalid_cursor'],
} as const satisfies Operation

export const readBulkOperation = {
  ...shared,
  id: 'readBulkOperation',
  method: 'GET',
  path: '/bulk-operations/:bulk_operation_id/',
  summary: 'Retrieve a bulk operation',
  description: 'Returns the progress of the operation, and the assets that could not be changed.',
  scopes: ['assets:read'],
  params: onOperation,
  query: noQuery,
  body: undefined,
  success: { status: 200, body: BulkOperation },
  errors: ['bulk_operation_not_found'],
} as const satisfies Operation

export const cancelBulkOperation = {
  ...shared,
  id: 'cancelBulkOperation',
  method: 'POST',
  repeatable: true,
  path: '/bulk-operations/:bulk_operation_id/cancel/',
  summary: 'Cancel a bulk operation',
  description:
    'Ends the operation. Assets that have been changed stay changed; no other asset is changed after the response. Cancelling an operation that has ended has no effect.',
  scopes: ['assets:write'],
  params: onOperation,
  query: noQuery,
  body: undefined,
  success: { status: 200, body: BulkOperation },
  errors: ['bulk_operation_not_found'],
} as const satisfies Operation

export const operations = [createBulkOperation, listBulkOperations, readBulkOperation, cancelBulkOperation] as const
