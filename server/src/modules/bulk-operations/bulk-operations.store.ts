import { sql } from 'kysely'
import type { AssetId, BulkOperationId, FolderUuid, PrincipalId, TokenId } from '../../kernel/ids.ts'
import type { Limits } from '../../kernel/limits.ts'
import { lockNumber } from '../../platform/db/advisory-locks.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import type { PageRequest } from '../../platform/db/paging/keyset.ts'
import { keysetQuery, type RowsWithCount, toRowsWithCount } from '../../platform/db/paging/keyset-query.ts'
import { creating, dedicatedConnection, type Given, statement } from '../../platform/db/statement.ts'
import { overSelected, type Selection } from '../assets/assets.ts'
import { creatorColumns } from '../grants/grants.ts'
import type { BulkOperation, BulkOperationDetails } from './bulk-operations.rules.ts'

type ById = { readonly id: BulkOperationId }

const columns = sql`id, action, folder_uuid as "folderUuid", tags, metadata, status, total_count as total,
  done_count as done, failed_count as failed, error_code as "errorCode", error_detail as "errorDetail",
  ${creatorColumns('bulk_operations')}, created_at as "createdAt", started_at as "startedAt",
  finished_at as "finishedAt"`

const ofId = ({ organizationId, id }: Given<ById>) => sql`organization_id = ${organizationId} and id = ${id}`

const byId = statement(
  (given: Given<ById>) => sql<BulkOperationDetails>`
    select ${columns}, errors from bulk_operations where ${ofId(given)}`,
)

export async function findOperation(
  db: OrganizationDb,
  id: BulkOperationId,
): Promise<BulkOperationDetails | undefined> {
  const [[operation]] = await db.run(byId({ id }))
  return operation
}

const byIdForUpdate = dedicatedConnection(
  statement(
    (given: Given<ById>) => sql<BulkOperation>`select ${columns} from bulk_operations where ${ofId(given)} for update`,
  ),
)

const limitsById = statement(
  (given: Given<ById>) => sql<{ folderUuid: FolderUuid | null; createdBy: PrincipalId | null }>`
    select limit_folder_uuid as "folderUuid", limit_created_by as "createdBy" from bulk_operations where ${ofId(given)}`,
)

/** The limits that the creator of the operation had. */
export async function findLimits(tx: OrganizationDb, id: BulkOperationId): Promise<Limits | undefined> {
  const [[row]] = await tx.run(limitsById({ id }))
  if (!row || (row.folderUuid === null && row.createdBy === null)) return undefined
  const { folderUuid, createdBy } = row
  return { ...(folderUuid !== null && { folderUuid }), ...(createdBy !== null && { createdBy }) }
}

/** Waits for the batch that is running. No other batch starts until the transaction ends. */
export async function lockOperation(tx: OrganizationDb, id: BulkOperationId): Promise<BulkOperation | undefined> {
  const [[operation]] = await tx.run(byIdForUpdate({ id }))
  return operation
}

/** Newest first: ids are ordered by time. */
const readPage = keysetQuery(
  { columns: ['id'], direction: 'desc' },
  ({ organizationId }: Given<object>, { afterPosition, order, limit }) => sql<BulkOperation>`
    select ${columns} from bulk_operations
    where organization_id = ${organizationId} and ${afterPosition} ${order} limit ${limit}`,
)

const countAll = statement(
  ({ organizationId }: Given<object>) => sql<{ count: number }>`
    select count(*) as count from bulk_operations where organization_id = ${organizationId}`,
)

export async function selectOperations(
  db: OrganizationDb,
  request: PageRequest,
): Promise<RowsWithCount<BulkOperation>> {
  return toRowsWithCount(await db.run(readPage({}, request), countAll({})))
}

/** Serializes the creation and the end of operations, so that exactly one operation of an organization runs. */
const lockQueue = dedicatedConnection(
  statement(
    ({ organizationId }: Given<object>) =>
      sql`select from (select pg_advisory_xact_lock(${lockNumber('bulkOperations', organizationId)})) as locked`,
  ),
)

const countUnfinished = statement(
  ({ organizationId }: Given<object>) => sql<{ count: number }>`
    select count(*) as count from bulk_operations where organization_id = ${organizationId} and finished_at is null`,
)

/** How long operations are kept after their end. */
const KEPT_DAYS = 30

const deleteOld = statement(
  ({ organizationId }: Given<object>) => sql`
    delete from bulk_operations
    where organization_id = ${organizationId} and finished_at < now() - make_interval(days => ${sql.lit(KEPT_DAYS)})`,
)

/** Returns the number of unfinished operations, which cannot change until the transaction ends. */
export async function lockAndCountUnfinished(tx: OrganizationDb): Promise<number> {
  const [, , [row]] = await tx.run(lockQueue({}), deleteOld({}), countUnfinished({}))
  return row?.count ?? 0
}

const oldestUnfinished = statement(
  ({ organizationId }: Given<object>) => sql<ById>`
    select id from bulk_operations where organization_id = ${organizationId} and finished_at is null
    order by id limit 1`,
)

export async function lockAndFindNext(tx: OrganizationDb): Promise<BulkOperationId | undefined> {
  const [, [row]] = await tx.run(lockQueue({}), oldestUnfinished({}))
  return row?.id
}

type NewOperation = ById & {
  readonly action: string
  readonly folderUuid: FolderUuid | null
  readonly tags: readonly string[] | null
  /** As JSON. */
  readonly metadata: string | null
  readonly createdBy: TokenId | null
  readonly limits: Limits | undefined
}

type NewRow = Omit<NewOperation, 'limits'> & {
  readonly limitFolderUuid: FolderUuid | null
  readonly limitCreatedBy: PrincipalId | null
}

const insert = creating(
  'bulk_operation',
  'id',
  statement(
    (row: Given<NewRow>) => sql`
    insert into bulk_operations
      (organization_id, id, action, folder_uuid, tags, metadata, created_by, limit_folder_uuid, limit_created_by,
       status, total_count)
    values (${row.organizationId}, ${row.id}, ${row.action}, ${row.folderUuid}, ${row.tags}::text[],
      ${row.metadata}::jsonb, ${row.createdBy}, ${row.limitFolderUuid}, ${row.limitCreatedBy}::uuid, 'Queued', 0)`,
  ),
)

type Batches = ById & { readonly size: number }

const insertSelected = overSelected(
  ({ organizationId, id, size }: Given<Batches>, ids) => sql<{ count: number }>`
    with selected as materialized (${ids}),
    numbered as (select id, (row_number() over (order by id) - 1) / ${size}::integer as number from selected),
    inserted as (
      insert into bulk_operation_batches (organization_id, operation_id, number, asset_ids)
      select ${organizationId}, ${id}::uuid, number, array_agg(numbered.id order by numbered.id)
      from numbered group by number
    )
    select count(*) as count from selected`,
)

const insertGiven = statement(
  ({ organizationId, id, size, ids }: Given<Batches & { ids: readonly string[] }>) => sql<{ count: number }>`
    with selected as (select distinct asset_id from unnest(${ids}::uuid[]) as asset_id),
    numbered as (
      select asset_id, (row_number() over (order by asset_id) - 1) / ${size}::integer as number from selected
    ),
    inserted as (
      insert into bulk_operation_batches (organization_id, operation_id, number, asset_ids)
      select ${organizationId}, ${id}::uuid, number, array_agg(asset_id order by asset_id) from numbered group by number
    )
    select count(*) as count from selected`,
)

const setTotal = statement(
  (given: Given<ById & { total: number }>) => sql`
    update bulk_operations set total_count = ${given.total} where ${ofId(given)}`,
)

/** Inserts the operation with the given assets, or with those that the selection finds now. Returns their number. */
export async function insertOperation(
  tx: OrganizationDb,
  { size, ...operation }: NewOperation & Batches,
  assets: Selection | readonly string[],
): Promise<number> {
  const { id, limits, ...values } = operation
  const limitFolderUuid = limits?.folderUuid ?? null
  await tx.run(insert({ id, ...values, limitFolderUuid, limitCreatedBy: limits?.createdBy ?? null }))
  const [[row]] = await ('conditions' in assets
    ? assets.trash === 'none'
      ? tx.run(insertSelected(assets, { id, size }))
      : tx.withTrash((all) => all.run(insertSelected(assets, { id, size })))
    : tx.run(insertGiven({ id, size, ids: assets })))
  const total = row?.count ?? 0
  await tx.run(setTotal({ id, total }))
  return total
}

const takeBatch = statement(
  ({ organizationId, id }: Given<ById>) => sql<{ assetIds: readonly AssetId[] }>`
    delete from bulk_operation_batches
    where organization_id = ${organizationId} and operation_id = ${id} and number = (
      select number from bulk_operation_batches
      where organization_id = ${organizationId} and operation_id = ${id} order by number limit 1)
    returning asset_ids as "assetIds"`,
)

/** Removes the next batch of the operation, which the caller has locked, and returns its assets. */
export async function deleteNextBatch(tx: OrganizationDb, id: BulkOperationId): Promise<readonly AssetId[]> {
  const [[batch]] = await tx.run(takeBatch({ id }))
  return batch?.assetIds ?? []
}

type BatchCounts = ById & {
  readonly done: number
  readonly failed: number
  /** Errors to keep, as JSON. */
  readonly errors: string
}

const addCounts = statement(
  (given: Given<BatchCounts>) => sql`
    update bulk_operations set status = 'Processing', started_at = coalesce(started_at, now()),
      done_count = done_count + ${given.done}, failed_count = failed_count + ${given.failed},
      errors = case when ${given.errors}::jsonb = '[]' then errors else errors || ${given.errors}::jsonb end
    where ${ofId(given)}`,
)

export async function updateCounts(tx: OrganizationDb, counts: BatchCounts): Promise<void> {
  await tx.send(addCounts(counts))
}

type End = ById & {
  readonly status: string
  readonly errorCode: string | null
  readonly errorDetail: string | null
}

const setEnd = statement(
  (given: Given<End>) => sql`
    update bulk_operations set status = ${given.status}, error_code = ${given.errorCode},
      error_detail = ${given.errorDetail}, finished_at = now()
    where ${ofId(given)}`,
)

const deleteBatches = statement(
  ({ organizationId, id }: Given<ById>) => sql`
    delete from bulk_operation_batches where organization_id = ${organizationId} and operation_id = ${id}`,
)

/** Ends the operation and removes the batches that are left. */
export async function updateEnd(tx: OrganizationDb, end: End): Promise<void> {
  await tx.run(setEnd(end), deleteBatches({ id: end.id }))
}
