import { type RawBuilder, sql } from 'kysely'
import type { AssetId, FolderUuid } from '../../../kernel/ids.ts'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import { dedicatedConnection, type Given, statement } from '../../../platform/db/statement.ts'
import type { AssetSummary } from '../assets.events.ts'
import type { Asset } from '../assets.rules.ts'
import { type ById, summaryColumns } from '../assets.store.ts'
import { subtree } from '../list/asset-filter.store.ts'

type InFolder = { readonly folderUuid: FolderUuid }
type InFolders = { readonly folderUuids: readonly FolderUuid[] }
type Ids = { readonly ids: readonly AssetId[] }

export const countIn = dedicatedConnection(
  statement(
    ({ organizationId, folderUuid }: Given<InFolder>) => sql<{ count: number }>`
      select count(*) as count from assets
      where organization_id = ${organizationId} and folder_uuid = ${folderUuid}`,
  ),
)

/** Limits of a count: it visits at most `foldersMax` folders and stops at `atMost` assets. */
type Bounds = { readonly foldersMax: number; readonly atMost: number }

export const countInSubtree = dedicatedConnection(
  statement(
    (given: Given<InFolder & Bounds>) => sql<{ count: number }>`
      select count(*) as count from (
        select from (${subtree(given)} limit ${given.foldersMax}) as folder
        join assets on assets.organization_id = ${given.organizationId}
          and assets.folder_uuid = folder.uuid
        limit ${given.atMost}
      ) as counted`,
  ),
)

/**
 * Locks the assets against changes, and against new rows that refer to them. In the order of ids, so that concurrent
 * transactions do not deadlock.
 */
const lock = <Params extends object, Row>(
  columns: RawBuilder<Row>,
  condition: (given: Given<Params>) => RawBuilder<boolean>,
) =>
  dedicatedConnection(
    statement(
      (given: Given<Params>) => sql<Row>`
        select ${columns} from assets where organization_id = ${given.organizationId} and ${condition(given)}
        order by id for update`,
    ),
  )

const idColumn = sql<ById>`id`

/** Assets that clients can delete or restore: listed, or in the trash. */
const lockByIds = lock<Ids, Deletable>(
  sql`id, deleted_at is not null as "isInTrash"`,
  ({ ids }) => sql`id = any (${ids}::uuid[]) and (is_listed or deleted_at is not null)`,
)

const lockInFolders = lock<InFolders, ById>(
  idColumn,
  ({ folderUuids }) => sql`folder_uuid = any (${folderUuids}::text[]) and is_listed`,
)

const lockWithFolder = lock<InFolder, ById>(
  idColumn,
  ({ folderUuid }) => sql`deleted_with = ${folderUuid} and deleted_at is not null`,
)

const lockToPurge = lock<{ limit: number }, ById>(
  idColumn,
  ({ organizationId, limit }) => sql`id in (
    select id from assets
    where organization_id = ${organizationId} and purge_at <= now() and deleted_with is null
      and legal_hold_of(organization_id, folder_uuid) is null
    order by purge_at limit ${limit})`,
)

export type Deletable = ById & { readonly isInTrash: boolean }

export async function lockDeletable(tx: OrganizationDb, ids: readonly AssetId[]): Promise<Deletable[]> {
  const [rows] = await tx.run(lockByIds({ ids }))
  return rows
}

/** Assets in these folders, without those in the trash. */
export async function lockIn(tx: OrganizationDb, folderUuids: readonly FolderUuid[]): Promise<AssetId[]> {
  const [rows] = await tx.run(lockInFolders({ folderUuids }))
  return rows.map(({ id }) => id)
}

/** Assets that were deleted with the folder. */
export async function lockDeletedWith(tx: OrganizationDb, folderUuid: FolderUuid): Promise<AssetId[]> {
  const [rows] = await tx.run(lockWithFolder({ folderUuid }))
  return rows.map(({ id }) => id)
}

/** Assets whose time in the trash has ended. Those that were deleted with a folder are purged with it. */
export async function lockDue(tx: OrganizationDb, limit: number): Promise<AssetId[]> {
  const [rows] = await tx.run(lockToPurge({ limit }))
  return rows.map(({ id }) => id)
}

/** How long the assets stay in the trash, and the folder that they were deleted with. */
export type Trash = { readonly trashDays: number; readonly deletedWith: FolderUuid | null }

const trash = statement(
  ({ organizationId, ids, trashDays, deletedWith }: Given<Ids & Trash>) => sql<AssetSummary>`
    update assets set is_listed = false, deleted_at = now(), purge_at = now() + make_interval(days => ${trashDays}),
      deleted_with = ${deletedWith}
    where organization_id = ${organizationId} and id = any (${ids}::uuid[])
    returning ${summaryColumns}`,
)

const restore = statement(
  ({ organizationId, ids }: Given<Ids>) => sql<AssetSummary & Pick<Asset, 'tags'>>`
    update assets set is_listed = true, deleted_at = null, purge_at = null, deleted_with = null,
      folder_uuid = (
        select uuid from folders
        where folders.organization_id = ${organizationId} and uuid = assets.folder_uuid and deleted_at is null)
    where organization_id = ${organizationId} and id = any (${ids}::uuid[])
    returning ${summaryColumns}, tags`,
)

/** The sessions of the assets and of their versions. */
const setSessionsListed = statement(
  ({ organizationId, ids, isListed }: Given<Ids & { isListed: boolean }>) => sql`
    update upload_sessions set is_listed = ${isListed}
    where organization_id = ${organizationId} and asset_id = any (${ids}::uuid[] || array(
      select media_id from asset_versions
      where organization_id = ${organizationId} and asset_id = any (${ids}::uuid[]) and media_id <> asset_id))`,
)

/** Lists and counts by tag read this table only, so it contains no asset of the trash. */
const deleteTags = statement(
  ({ organizationId, ids }: Given<Ids>) => sql`
    delete from asset_tags where organization_id = ${organizationId} and asset_id = any (${ids}::uuid[])`,
)

const addTags = statement(
  ({ organizationId, ids, tagKeys }: Given<Ids & { tagKeys: readonly string[] }>) => sql`
    insert into asset_tags (organization_id, asset_id, tag_key)
    select ${organizationId}, asset_id, tag_key
    from unnest(${ids}::uuid[], ${tagKeys}::text[]) as tag (asset_id, tag_key)
    on conflict do nothing`,
)

const addToCount = statement(
  ({ organizationId, added }: Given<{ added: number }>) => sql`
    insert into asset_counts as counts (organization_id, slot, asset_count)
    values (${organizationId}, pg_backend_pid() % 16, ${added})
    on conflict (organization_id, slot)
    do update set asset_count = counts.asset_count + excluded.asset_count`,
)

const moveToRoot = statement(
  ({ organizationId, folderUuids }: Given<InFolders>) => sql`
    update assets set folder_uuid = null
    where organization_id = ${organizationId} and folder_uuid = any (${folderUuids}::text[]) and deleted_at is not null`,
)

export async function updateToTrashed(
  tx: OrganizationDb,
  ids: readonly AssetId[],
  { trashDays, deletedWith }: Trash,
): Promise<AssetSummary[]> {
  const [deleted] = await tx.run(
    trash({ ids, trashDays, deletedWith }),
    setSessionsListed({ ids, isListed: false }),
    deleteTags({ ids }),
    addToCount({ added: -ids.length }),
  )
  return deleted
}

export async function updateToRestored(tx: OrganizationDb, ids: readonly AssetId[]) {
  const [restored] = await tx.run(
    restore({ ids }),
    setSessionsListed({ ids, isListed: true }),
    addToCount({ added: ids.length }),
  )
  return restored
}

export async function insertTags(
  tx: OrganizationDb,
  tags: readonly { readonly id: AssetId; readonly tagKey: string }[],
): Promise<void> {
  await tx.send(addTags({ ids: tags.map(({ id }) => id), tagKeys: tags.map(({ tagKey }) => tagKey) }))
}

/** Moves the remaining assets of deleted folders to the root. All of them are in the trash. */
export async function moveTrashedToRoot(tx: OrganizationDb, folderUuids: readonly FolderUuid[]): Promise<void> {
  await tx.run(moveToRoot({ folderUuids }))
}
