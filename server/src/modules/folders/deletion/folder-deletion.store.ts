import { sql } from 'kysely'
import type { FolderUuid } from '../../../kernel/ids.ts'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import { dedicatedConnection, type Given, statement } from '../../../platform/db/statement.ts'
import type { FolderSummary } from '../folders.events.ts'
import { addToCounts, type Subtree, subtree, summaryColumns } from '../folders.store.ts'

type ByUuid = { readonly uuid: FolderUuid }
type Uuids = { readonly uuids: readonly FolderUuid[] }

/**
 * Blocks assets from being added to these folders, which needs `for key share`, and waits for those being added.
 * Deepest first, so that no event reports a folder after its parent.
 */
const lockFolders = statement(
  (given: Given<Subtree>) => sql<ByUuid>`
    ${subtree(given)}
    select folders.uuid from visited join folders
      on organization_id = ${given.organizationId} and folders.uuid = visited.uuid
    order by level desc, title, folders.uuid
    for update of folders`,
)

/** Folders that were deleted with this one, deepest first. */
const lockWithFolder = dedicatedConnection(
  statement(
    ({ organizationId, uuid }: Given<ByUuid>) => sql<ByUuid>`
      with recursive deleted as (
        select uuid, 1 as level from folders
        where organization_id = ${organizationId} and uuid = ${uuid} and deleted_with = ${uuid}
        union all
        select child.uuid, deleted.level + 1 from deleted join folders as child
          on child.organization_id = ${organizationId} and child.parent_uuid = deleted.uuid
          and child.deleted_with = ${uuid}
      )
      select folders.uuid from deleted join folders
        on organization_id = ${organizationId} and folders.uuid = deleted.uuid
      order by level desc, title, folders.uuid
      for update of folders`,
  ),
)

const assetsWithFolder = dedicatedConnection(
  statement(
    ({ organizationId, uuid }: Given<ByUuid>) => sql<{ count: number }>`
      select count(*) as count from assets
      where organization_id = ${organizationId} and deleted_with = ${uuid} and deleted_at is not null`,
  ),
)

type Trash = { readonly trashDays: number; readonly deletedWith: FolderUuid }

const trash = statement(
  ({ organizationId, uuids, trashDays, deletedWith }: Given<Uuids & Trash>) => sql<FolderSummary>`
    update folders set deleted_at = now(), purge_at = now() + make_interval(days => ${trashDays}),
      deleted_with = ${deletedWith}
    where organization_id = ${organizationId} and uuid = any (${uuids}::text[])
    returning ${summaryColumns}`,
)

const restore = statement(
  ({ organizationId, uuid, parentUuid }: Given<ByUuid & { parentUuid: FolderUuid | null }>) => sql<FolderSummary>`
    update folders set deleted_at = null, purge_at = null, deleted_with = null,
      parent_uuid = case when uuid = ${uuid} then ${parentUuid} else parent_uuid end
    where organization_id = ${organizationId} and deleted_with = ${uuid} and deleted_at is not null
    returning ${summaryColumns}`,
)

/** Folders in the trash that are below the given ones, but were deleted before, move to the root of the trash. */
const moveToRoot = statement(
  ({ organizationId, uuids }: Given<Uuids>) => sql`
    update folders set parent_uuid = null
    where organization_id = ${organizationId} and parent_uuid = any (${uuids}::text[])
      and uuid <> all (${uuids}::text[])`,
)

const remove = statement(
  ({ organizationId, uuids }: Given<Uuids>) => sql<FolderSummary>`
    delete from folders where organization_id = ${organizationId} and uuid = any (${uuids}::text[])
    returning ${summaryColumns}`,
)

const due = dedicatedConnection(
  statement(
    ({ organizationId }: Given<object>) => sql<ByUuid>`
      select uuid from folders
      where organization_id = ${organizationId} and purge_at <= now() and deleted_with = uuid
        and legal_hold_of(organization_id, parent_uuid) is null
      order by purge_at limit 1`,
  ),
)

/** Locks the folder and its subfolders, at most `atMost`. Returns them deepest first. */
export async function lockSubtree(tx: OrganizationDb, uuid: FolderUuid, atMost: number): Promise<FolderUuid[]> {
  const [locked] = await tx.run(lockFolders({ uuid, atMost }))
  return locked.map((folder) => folder.uuid)
}

/** Locks the folders that were deleted with this one; none if it was not deleted by itself. */
export async function lockDeletedWith(tx: OrganizationDb, uuid: FolderUuid): Promise<FolderUuid[]> {
  const [locked] = await tx.run(lockWithFolder({ uuid }))
  return locked.map((folder) => folder.uuid)
}

export async function countAssetsDeletedWith(tx: OrganizationDb, uuid: FolderUuid): Promise<number> {
  const [[found]] = await tx.run(assetsWithFolder({ uuid }))
  return found?.count ?? 0
}

export async function updateToTrashed(
  tx: OrganizationDb,
  uuids: readonly FolderUuid[],
  { trashDays, deletedWith }: Trash,
): Promise<FolderSummary[]> {
  const [deleted] = await tx.run(trash({ uuids, trashDays, deletedWith }))
  return inOrder(deleted, uuids)
}

export async function updateToRestored(
  tx: OrganizationDb,
  uuid: FolderUuid,
  parentUuid: FolderUuid | null,
): Promise<FolderSummary[]> {
  const [restored] = await tx.run(restore({ uuid, parentUuid }))
  return restored
}

/** Changes of the number of folders, in total and at the root. */
export type CountChange = { readonly inAll: number; readonly atRoot: number }

export async function changeCounts(tx: OrganizationDb, change: CountChange): Promise<void> {
  await tx.run(addToCounts(change))
}

/** Returns the removed folders in the order of their uuids. */
export async function removeFolders(
  tx: OrganizationDb,
  uuids: readonly FolderUuid[],
  counts: CountChange,
): Promise<FolderSummary[]> {
  const [, removed] = await tx.run(moveToRoot({ uuids }), remove({ uuids }), addToCounts(counts))
  return inOrder(removed, uuids)
}

function inOrder(folders: readonly FolderSummary[], uuids: readonly FolderUuid[]): FolderSummary[] {
  const byUuid = new Map(folders.map((folder) => [folder.uuid, folder]))
  return uuids.flatMap((uuid) => byUuid.get(uuid) ?? [])
}

/** A folder in the trash that is due to be purged, and not on hold. */
export async function findDue(tx: OrganizationDb): Promise<FolderUuid | undefined> {
  const [[folder]] = await tx.run(due({}))
  return folder?.uuid
}
