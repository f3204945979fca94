import { type RawBuilder, sql } from 'kysely'
import type { AssetId, FolderUuid } from '../../../kernel/ids.ts'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import { dedicatedConnection, type Given, statement } from '../../../platform/db/statement.ts'
import type { AssetSummary } from '../assets.events.ts'
import { summaryColumns } from '../assets.store.ts'
import { subtree } from '../list/asset-filter.store.ts'

type InFolder = { readonly folderUuid: FolderUuid }

/** Dependent rows are deleted by cascade. */
const remove = (condition: RawBuilder<boolean>, { organizationId }: Given<object>) => sql<AssetSummary>`
  delete from assets where organization_id = ${organizationId} and ${condition} returning ${summaryColumns}`

const removeOne = statement((given: Given<{ id: AssetId }>) => remove(sql`id = ${given.id}`, given))

const removeInSubtree = statement((given: Given<InFolder>) => remove(sql`folder_uuid in (${subtree(given)})`, given))

const addToCount = statement(
  ({ organizationId, added }: Given<{ added: number }>) => sql`
    insert into asset_counts as counts (organization_id, slot, asset_count)
    values (${organizationId}, pg_backend_pid() % 16, ${added})
    on conflict (organization_id, slot)
    do update set asset_count = counts.asset_count + excluded.asset_count`,
)

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

/** The asset before its deletion; undefined if it does not exist. */
export async function deleteOne(tx: OrganizationDb, id: AssetId): Promise<AssetSummary | undefined> {
  const [[removed]] = await tx.run(removeOne({ id }))
  if (removed) await tx.run(addToCount({ added: -1 }))
  return removed
}
export async function deleteInSubtree(tx: OrganizationDb, folderUuid: FolderUuid): Promise<AssetSummary[]> {
  const [removed] = await tx.run(removeInSubtree({ folderUuid }))
  if (removed.length > 0) await tx.run(addToCount({ added: -removed.length }))
  return removed
}
