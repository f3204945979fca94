import { sql } from 'kysely'
import type { FolderUuid } from '../../../kernel/ids.ts'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import { type Given, statement } from '../../../platform/db/statement.ts'
import type { Asset, ExternalIdOwner } from '../assets.rules.ts'
import {
  type ById,
  insertTimelineEntry,
  type NewAsset,
  type NewTimelineEntry,
  ofId,
  rowColumns,
} from '../assets.store.ts'

/** All columns that an update of an asset can change, and those derived from them. */
export type EditableColumns = Pick<
  NewAsset,
  'title' | 'searchTitle' | 'grams' | 'description' | 'tags' | 'tagKeys' | 'externalId' | 'metadata'
> &
  Pick<Asset, 'folderUuid' | 'contentProtection' | 'legalHold'>

/** Name of the unique index that an update may violate. */
export const EXTERNAL_ID_INDEX = 'assets_by_external_id'

// Columns that keep their value cost nothing: Postgres writes index entries only if an indexed value has changed.
const setEditable = statement(
  (given: Given<EditableColumns & ById>) => sql<Asset>`
    update assets set title = ${given.title}, search_title = ${given.searchTitle}, grams = ${given.grams}::integer[],
      folder_uuid = ${given.folderUuid}, description = ${given.description}, tags = ${given.tags}::text[],
      external_id = ${given.externalId}, metadata = ${given.metadata}::jsonb,
      content_protection_type = ${given.contentProtection}, legal_hold = ${given.legalHold}, updated_at = now()
    where ${ofId(given)}
    returning ${rowColumns}`,
)

type Tagged = ById & Pick<NewAsset, 'tagKeys'>

const deleteOtherTags = statement(
  ({ organizationId, id, tagKeys }: Given<Tagged>) => sql`
    delete from asset_tags
    where organization_id = ${organizationId} and asset_id = ${id} and tag_key <> all (${tagKeys}::text[])`,
)

const insertTags = statement(
  ({ organizationId, id, tagKeys }: Given<Tagged>) => sql`
    insert into asset_tags (organization_id, asset_id, tag_key)
    select ${organizationId}, ${id}, tag_key from unnest(${tagKeys}::text[]) as tag_key
    on conflict do nothing`,
)

const idByExternalId = statement(
  ({ organizationId, externalId }: Given<{ externalId: string }>) => sql<ExternalIdOwner>`
    select id, deleted_at is not null as "isInTrash" from assets where organization_id = ${organizationId} and external_id = ${externalId}`,
)

/** Finds assets in the trash as well: they keep their external ids. */
export function findByExternalId(db: OrganizationDb, externalId: string): Promise<ExternalIdOwner | undefined> {
  return db.withTrash(async (all) => {
    const [[found]] = await all.run(idByExternalId({ externalId }))
    return found
  })
}

/** Updates the asset and adds the timeline entries. */
export async function updateEditable(
  tx: OrganizationDb,
  { id }: Asset,
  columns: EditableColumns,
  entries: readonly NewTimelineEntry[],
): Promise<Asset | undefined> {
  const tagged = { id, tagKeys: columns.tagKeys }
  const [[asset]] = await tx.run(setEditable({ id, ...columns }), deleteOtherTags(tagged), insertTags(tagged))
  for (const entry of entries) await tx.run(insertTimelineEntry({ id, ...entry }))
  return asset
}

const foldersByUuid = statement(
  ({ organizationId, uuids }: Given<{ uuids: readonly string[] }>) => sql<{ uuid: FolderUuid }>`
    select uuid from folders where organization_id = ${organizationId} and uuid = any (${uuids}::text[])`,
)

/** Those of the folders that the handle sees. */
export async function selectFolders(db: OrganizationDb, uuids: readonly string[]): Promise<ReadonlySet<string>> {
  const [rows] = await db.run(foldersByUuid({ uuids }))
  return new Set(rows.map(({ uuid }) => uuid))
}
