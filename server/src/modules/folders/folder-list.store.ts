import { type RawBuilder, sql } from 'kysely'
import type { FolderUuid } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import type { PageRequest } from '../../platform/db/paging/keyset.ts'
import { keysetQuery, type Order, type RowsWithCount, toRowsWithCount } from '../../platform/db/paging/keyset-query.ts'
import { build, dedicatedConnection, type Given, statement } from '../../platform/db/statement.ts'
import type { FolderName } from './folders.rules.ts'

export const byTitle: Order = {
  columns: ['title collate natural_order', 'uuid'],
  fields: ['title', 'uuid'],
  direction: 'asc',
}

const allFolders = ({ organizationId }: Given<object>) =>
  build.selectFrom('folders').select(['title', 'uuid']).where('organization_id', '=', organizationId)

export type InParent = { readonly parentUuid: FolderUuid }

const inParent = (given: Given<InParent>) => allFolders(given).where('parent_uuid', '=', given.parentUuid)

const atRoot = (given: Given<object>) => allFolders(given).where('parent_uuid', 'is', null)

const listOf = <Params extends object>(rowsOf: (given: Given<Params>) => ReturnType<typeof allFolders>) =>
  keysetQuery(byTitle, (given: Given<Params>, { afterPosition, order, limit }) =>
    rowsOf(given).where(afterPosition).modifyEnd(sql`${order} limit ${limit}`),
  )

const readAll = listOf(allFolders)
const readInParent = listOf(inParent)
const readAtRoot = listOf(atRoot)

/** The exact count. It sums the counter shards, so the cost does not depend on the number of folders. */
export const countAll = statement(
  ({ organizationId }: Given<object>) => sql<{ count: number }>`
    select coalesce(sum(folder_count), 0)::bigint as count
    from folder_counts where organization_id = ${organizationId}`,
)

const countRoot = statement(
  ({ organizationId }: Given<object>) => sql<{ count: number }>`
    select coalesce(sum(root_count), 0)::bigint as count
    from folder_counts where organization_id = ${organizationId}`,
)

/** Counts the folders on every request: see docs/decisions/0004-counter-shards.md. */
const countInParent = dedicatedConnection(
  statement((given: Given<InParent>) =>
    inParent(given)
      .clearSelect()
      .select(({ fn }) => fn.countAll<number>().as('count')),
  ),
)

/** For a principal that is limited to a folder, which is the root of what it sees. The view finds all its folders. */
export type OfLimit = { readonly limitUuid: FolderUuid }

const listInLimits = <Params extends object>(isWanted: (given: Given<Params>) => RawBuilder<boolean>) =>
  dedicatedConnection(
    keysetQuery(
      byTitle,
      (given: Given<Params>, { afterPosition, order, limit }) => sql<FolderName>`
        select title, uuid from searchable_folders
        where organization_id = ${given.organizationId} and ${isWanted(given)} and ${afterPosition}
        ${order} limit ${limit}`,
    ),
  )
const readInLimits = listInLimits(() => sql`true`)
const readAtLimit = listInLimits<OfLimit>(({ limitUuid }) => sql`uuid = ${limitUuid}`)

const countInLimits = dedicatedConnection(
  statement(
    ({ organizationId }: Given<object>) => sql<{ count: number }>`
      select count(*) as count from searchable_folders where organization_id = ${organizationId}`,
  ),
)

const countAtLimit = statement(
  ({ organizationId, limitUuid }: Given<OfLimit>) => sql<{ count: number }>`
    select count(*) as count from folders where organization_id = ${organizationId} and uuid = ${limitUuid}`,
)

export async function selectAllFolders(db: OrganizationDb, request: PageRequest): Promise<RowsWithCount<FolderName>> {
  if (db.limits?.folderUuid) return toRowsWithCount(await db.run(readInLimits({}, request), countInLimits({})))
  return toRowsWithCount(await db.run(readAll({}, request), countAll({})))
}

export async function selectFoldersIn(
  db: OrganizationDb,
  parentUuid: FolderUuid,
  request: PageRequest,
): Promise<RowsWithCount<FolderName>> {
  const within = { parentUuid }
  return toRowsWithCount(await db.run(readInParent(within, request), countInParent(within)))
}

export async function selectFoldersAtRoot(
  db: OrganizationDb,
  request: PageRequest,
): Promise<RowsWithCount<FolderName>> {
  const limitUuid = db.limits?.folderUuid
  if (limitUuid === undefined) return toRowsWithCount(await db.run(readAtRoot({}, request), countRoot({})))
  return toRowsWithCount(await db.run(readAtLimit({ limitUuid }, request), countAtLimit({ limitUuid })))
}
