import { bulkOperations as contract } from '@reelkeep/contract'
import { refused } from '../../kernel/errors.ts'
import type { BulkOperationId, FolderUuid } from '../../kernel/ids.ts'
import type { MetadataChange } from '../../kernel/metadata.ts'
import type { Timestamp } from '../../kernel/time.ts'
import type { ItemError } from '../assets/assets.ts'
import type { CreatorRow } from '../grants/grants.ts'

/** An operation without its errors. */
export type BulkOperation = CreatorRow & {
  readonly id: BulkOperationId
  readonly action: contract.BulkAction
  readonly folderUuid: FolderUuid | null
  readonly tags: readonly string[] | null
  readonly metadata: MetadataChange | null
  readonly status: contract.BulkStatus
  readonly total: number
  readonly done: number
  readonly failed: number
  readonly errorCode: string | null
  readonly errorDetail: string | null
  readonly createdAt: Timestamp
  readonly startedAt: Timestamp | null
  readonly finishedAt: Timestamp | null
}

/** An operation with the assets that could not be changed. */
export type BulkOperationDetails = BulkOperation & { readonly errors: readonly ItemError[] }

/** The action of a request with its parameters; undefined if the request does not have them. */
export type ActionInput = {
  readonly action: contract.BulkAction
  readonly folder: string | null | undefined
  readonly tags: readonly string[] | undefined
  readonly metadata: MetadataChange | undefined
}

/** The parameter that each action requires; no other action takes it. */
const parameterOf: Partial<Record<contract.BulkAction, 'folder' | 'tags' | 'metadata'>> = {
  move: 'folder',
  add_tags: 'tags',
  remove_tags: 'tags',
  set_metadata: 'metadata',
}

export function assertParameters(input: ActionInput): void {
  const required = parameterOf[input.action]
  for (const name of ['folder', 'tags', 'metadata'] as const) {
    const isGiven = input[name] !== undefined
    if (name === required && !isGiven) throw invalid(`\`${input.action}\` requires \`${name}\`.`, name)
    if (name !== required && isGiven) throw invalid(`\`${input.action}\` does not use \`${name}\`. Remove it.`, name)
  }
}

/** The assets that a request selects; undefined for what it does not have. */
export type SelectedBy = {
  readonly ids: readonly string[] | undefined
  readonly filter: object | undefined
  readonly exceptIds: readonly string[] | undefined
}

export function assertSelection({ ids, filter, exceptIds }: SelectedBy): void {
  if ((ids === undefined) === (filter === undefined)) throw invalid('Send either `ids` or `filter`.', 'ids')
  if (ids?.length === 0) throw invalid('`ids` must contain at least one asset.', 'ids')
  if (ids !== undefined && exceptIds !== undefined)
    throw invalid('`except_ids` can only be combined with `filter`.', 'except_ids')
}

export const isInTrash = (action: contract.BulkAction) => action === 'restore' || action === 'purge'

/**
 * Assets per transaction. A retry takes several statements for each asset. A purge deletes hundreds of rows for each
 * asset and counts each of them; so does `delete` in an organization without a trash.
 */
export function batchSizeOf(action: contract.BulkAction): number {
  if (action === 'retry') return 50
  return action === 'purge' || action === 'delete' ? 100 : 500
}

export const ASSETS_MAX = contract.OPERATION_ASSETS_MAX

export function assertWithinLimit(count: number): void {
  if (count > ASSETS_MAX)
    throw invalid(
      `The filter matches more than ${ASSETS_MAX.toLocaleString('en')} assets. Divide them, for example by \`created_before\`.`,
      'filter',
    )
}

export function assertRoomForOperation(unfinished: number): void {
  if (unfinished < contract.OPEN_OPERATIONS_MAX) return
  throw refused(
    'bulk_operation_limit_reached',
    `An organization can have at most ${contract.OPEN_OPERATIONS_MAX} unfinished bulk operations. Wait until one has ended, or cancel one.`,
  )
}

export const operationNotFound = () =>
  refused('bulk_operation_not_found', 'The bulk operation does not exist in this organization.')

/** The errors of a batch that are kept: those within the limit of the operation. */
export const keptErrors = (errors: readonly ItemError[], failedBefore: number) =>
  errors.slice(0, Math.max(0, contract.OPERATION_ERRORS_MAX - failedBefore))

export const isUnfinished = ({ finishedAt }: Pick<BulkOperation, 'finishedAt'>) => finishedAt === null

const invalid = (detail: string, field: string) => refused('invalid_request', detail, field)
