import { COUNT_MAX } from '@reelkeep/contract'
import { sql } from 'kysely'
import type { FolderUuid, OrganizationId } from '../../kernel/ids.ts'
import type { Metadata } from '../../kernel/metadata.ts'
import type { Timestamp } from '../../kernel/time.ts'
import type { Database, OrganizationDb } from '../../platform/db/database.ts'
import type { PageRequest } from '../../platform/db/paging/keyset.ts'
import { keysetQuery, type Order } from '../../platform/db/paging/keyset-query.ts'
import { customPlan, dedicatedConnection, type Given, statement } from '../../platform/db/statement.ts'

type TrashRow = {
  readonly isFolder: boolean
  readonly id: string
  readonly deletedAt: Timestamp
  readonly purgeAt: Timestamp
}

const newestFirst: Order = { columns: ['deleted_at', 'id'], direction: 'desc' }

const trashedAssets = ({ organizationId }: Given<object>) => sql`
  select false as "isFolder", id::text as id, deleted_at, purge_at from assets
  where organization_id = ${organizationId} and deleted_at is not null and deleted_with is null`

const trashedFolders = ({ organizationId }: Given<object>) => sql`
  select true as "isFolder", uuid as id, deleted_at, purge_at from folders
  where organization_id = ${organizationId} and deleted_at is not null and deleted_with = uuid`

const page = customPlan(
  keysetQuery(
    newestFirst,
    (given: Given<object>, { afterPosition, order, limit }) => sql<TrashRow>`
      select "isFolder", id, deleted_at as "deletedAt", purge_at as "purgeAt" from (
        (select * from (${trashedAssets(given)}) as asset where ${afterPosition} ${order} limit ${limit})
        union all
        (select * from (${trashedFolders(given)}) as folder where ${afterPosition} ${order} limit ${limit})
      ) as item
      ${order} limit ${limit}`,
  ),
)

const count = dedicatedConnection(
  statement(
    (given: Given<object>) => sql<{ count: number }>`
      select count(*) as count from (
        select from (${trashedAssets(given)} union all ${trashedFolders(given)}) as item limit ${sql.lit(COUNT_MAX + 1)}
      ) as counted`,
  ),
)

/** Rows of a page, one more than it shows, and the number of items; null if they are too many to count. */
export async function selectTrash(db: OrganizationDb, request: PageRequest) {
  const [rows, [total]] = await db.run(page({}, request), count({}))
  const found = total?.count ?? 0
  return { rows, count: found > COUNT_MAX ? null : found }
}

export type TrashedFolder = {
  readonly uuid: FolderUuid
  readonly title: string
  readonly parentUuid: FolderUuid | null
  readonly externalId: string | null
  readonly metadata: Metadata
  readonly folderCount: number
  readonly assetCount: number
}

const foldersByUuid = dedicatedConnection(
  statement(
    ({ organizationId, uuids }: Given<{ uuids: readonly string[] }>) => sql<TrashedFolder>`
      select uuid, title, parent_uuid as "parentUuid", external_id as "externalId", metadata,
        (select count(*) - 1 from folders as part
          where part.organization_id = ${organizationId} and part.deleted_with = folder.uuid
            and part.deleted_at is not null) as "folderCount",
        (select count(*) from assets as part
          where part.organization_id = ${organizationId} and part.deleted_with = folder.uuid
            and part.deleted_at is not null) as "assetCount"
      from folders as folder where organization_id = ${organizationId} and uuid = any (${uuids}::text[])`,
  ),
)

export async function selectTrashedFolders(db: OrganizationDb, uuids: readonly string[]): Promise<TrashedFolder[]> {
  const [rows] = await db.run(foldersByUuid({ uuids }))
  return rows
}

const withDueTrash = statement(
  (_: Given<object>) => sql<{ organizationId: OrganizationId }>`
    select organization_id as "organizationId" from organizations_with_due_trash`,
)

export async function selectOrganizationsWithDueTrash(database: Database): Promise<OrganizationId[]> {
  const rows = await database.runUnscoped(withDueTrash({}))
  return rows.map(({ organizationId }) => organizationId)
}
