/** Statements that change a batch of assets at once. */
import { sql } from 'kysely'
import type { AssetId, FolderUuid } from '../../../kernel/ids.ts'
import type { Metadata } from '../../../kernel/metadata.ts'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import { dedicatedConnection, type Given, statement } from '../../../platform/db/statement.ts'
import { TIMELINE_ENTRIES_MAX } from '../asset-timeline.rules.ts'
import type { AssetSummary } from '../assets.events.ts'
import type { Asset } from '../assets.rules.ts'
import { type NewTimelineEntry, summaryColumns } from '../assets.store.ts'
import type { EditableAsset } from '../changes/asset-changes.rules.ts'

type Ids = { readonly ids: readonly AssetId[] }

const newEntries = dedicatedConnection(
  statement(
    ({ organizationId, ids, what, detail }: Given<Ids & NewTimelineEntry>) => sql`
      with inserted as (
        insert into asset_happenings (organization_id, asset_id, number, what, detail)
        select ${organizationId}, asset_id, 1 + coalesce((
          select number from asset_happenings as entry
          where entry.organization_id = ${organizationId} and entry.asset_id = changed.asset_id
          order by number desc limit 1), 0), ${what}, ${detail}
        from unnest(${ids}::uuid[]) as changed (asset_id)
        returning asset_id, number
      )
      delete from asset_happenings as entry using inserted
      where inserted.number > ${sql.lit(TIMELINE_ENTRIES_MAX)} and entry.organization_id = ${organizationId}
        and entry.asset_id = inserted.asset_id and entry.number <= inserted.number - ${sql.lit(TIMELINE_ENTRIES_MAX)}`,
  ),
)

/** Adds the same timeline entry to all of these assets, which the caller has locked. */
export async function insertTimelineEntries(
  tx: OrganizationDb,
  ids: readonly AssetId[],
  { what, detail }: NewTimelineEntry,
): Promise<void> {
  await tx.send(newEntries({ ids, what, detail }))
}

export type LockedAsset = EditableAsset & { readonly id: AssetId }

/** In the order of ids, like every lock of several assets, so that concurrent transactions do not deadlock. */
const lockEditable = dedicatedConnection(
  statement(
    ({ organizationId, ids }: Given<Ids>) => sql<LockedAsset>`
      select id, title, folder_uuid as "folderUuid", description, tags, external_id as "externalId", metadata,
        content_protection_type as "contentProtection", legal_hold as "legalHold", bytes
      from assets where organization_id = ${organizationId} and id = any (${ids}::uuid[]) and is_listed
      order by id for no key update`,
  ),
)

export async function lockAssets(tx: OrganizationDb, ids: readonly AssetId[]): Promise<LockedAsset[]> {
  const [rows] = await tx.run(lockEditable({ ids }))
  return rows
}

export type DeletableAsset = Pick<Asset, 'id' | 'folderUuid' | 'legalHold'> & {
  readonly isInTrash: boolean
  /** The asset is restored to the root, because its folder was deleted. */
  readonly isFolderDeleted: boolean
}

const lockDeletable = dedicatedConnection(
  statement(
    ({ organizationId, ids }: Given<Ids>) => sql<DeletableAsset>`
      select id, folder_uuid as "folderUuid", legal_hold as "legalHold", deleted_at is not null as "isInTrash",
        deleted_at is not null and exists (
          select from folders
          where folders.organization_id = ${organizationId} and uuid = folder_uuid and folders.deleted_at is not null
        ) as "isFolderDeleted"
      from assets
      where organization_id = ${organizationId} and id = any (${ids}::uuid[]) and (is_listed or deleted_at is not null)
      order by id for update`,
  ),
)

/** Assets that are listed or in the trash. */
export async function lockForDeletion(tx: OrganizationDb, ids: readonly AssetId[]): Promise<DeletableAsset[]> {
  const [rows] = await tx.run(lockDeletable({ ids }))
  return rows
}

const holds = statement(
  ({ organizationId, folderUuids }: Given<{ folderUuids: readonly FolderUuid[] }>) => sql<FolderHold>`
    select uuid, legal_hold_of(${organizationId}, uuid) as "heldUuid" from unnest(${folderUuids}::text[]) as uuid`,
)
type FolderHold = { readonly uuid: FolderUuid; readonly heldUuid: FolderUuid | null }

/** For each of the folders, the nearest folder with a legal hold, itself or above it. */
export async function selectHolds(
  tx: OrganizationDb,
  folderUuids: readonly FolderUuid[],
): Promise<ReadonlyMap<FolderUuid | null, FolderUuid>> {
  const [rows] = await tx.run(holds({ folderUuids }))
  return new Map(rows.flatMap(({ uuid, heldUuid }) => (heldUuid === null ? [] : [[uuid, heldUuid]])))
}

/** The columns of an asset that a batch can change, after the change. */
export type ChangedAsset = {
  readonly id: AssetId
  readonly folderUuid: FolderUuid | null
  readonly tags: readonly string[]
  readonly metadata: Metadata
}

const update = dedicatedConnection(
  statement(
    ({ organizationId, changed }: Given<{ changed: string }>) => sql<AssetSummary>`
      update assets set folder_uuid = new_folder_uuid, tags = new_tags, metadata = new_metadata, updated_at = now()
      from jsonb_to_recordset(${changed}::jsonb)
        as changed (asset_id uuid, new_folder_uuid text, new_tags text[], new_metadata jsonb)
      where organization_id = ${organizationId} and id = asset_id
      returning ${summaryColumns}`,
  ),
)

export async function updateAssets(tx: OrganizationDb, assets: readonly ChangedAsset[]): Promise<AssetSummary[]> {
  const changed = assets.map(({ id, folderUuid, tags, metadata }) => ({
    asset_id: id,
    new_folder_uuid: folderUuid,
    new_tags: tags,
    new_metadata: metadata,
  }))
  const [rows] = await tx.run(update({ changed: JSON.stringify(changed) }))
  return rows
}

type Tagged = Ids & { readonly tagKeys: readonly string[] }

const addTags = statement(
  ({ organizationId, ids, tagKeys }: Given<Tagged>) => sql`
    insert into asset_tags (organization_id, asset_id, tag_key)
    select ${organizationId}, asset_id, tag_key
    from unnest(${ids}::uuid[]) as asset_id cross join unnest(${tagKeys}::text[]) as tag_key
    on conflict do nothing`,
)

const removeTags = statement(
  ({ organizationId, ids, tagKeys }: Given<Tagged>) => sql`
    delete from asset_tags
    where organization_id = ${organizationId} and asset_id = any (${ids}::uuid[]) and tag_key = any (${tagKeys}::text[])`,
)

/** Adds or removes the tags in the table that lists read. */
export async function updateTags(
  tx: OrganizationDb,
  ids: readonly AssetId[],
  { added, removed }: { readonly added: readonly string[]; readonly removed: readonly string[] },
): Promise<void> {
  if (added.length > 0) await tx.send(addTags({ ids, tagKeys: added }))
  if (removed.length > 0) await tx.send(removeTags({ ids, tagKeys: removed }))
}
