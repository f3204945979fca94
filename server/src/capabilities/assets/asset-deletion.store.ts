import { type RawBuilder, sql } from 'kysely'
import type { AssetId, FolderUuid } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { type Given, statement, takesLong } from '../../platform/db/statement.ts'
import { subtree } from './asset-filter.store.ts'
import type { ToldAsset } from './assets.events.ts'
import { toldColumns } from './assets.store.ts'

type InFolder = { readonly folderUuid: FolderUuid }

/** All that hangs on them goes with them, by cascade. */
const remove = (doomed: RawBuilder<boolean>, { organizationId }: Given<object>) => sql<ToldAsset>`
  delete from assets where organization_id = ${organizationId} and ${doomed} returning ${toldColumns}`

const removeOne = statement((given: Given<{ id: AssetId }>) => remove(sql`id = ${given.id}`, given))

const removeBeneath = statement((given: Given<InFolder>) =>
  remove(sql`folder_uuid in (${subtree(given)})`, given),
)

const addToCount = statement(
  ({ organizationId, added }: Given<{ added: number }>) => sql`
    insert into asset_counts as counts (organization_id, slot, asset_count)
    values (${organizationId}, pg_backend_pid() % 16, ${added})
    on conflict (organization_id, slot)
    do update set asset_count = counts.asset_count + excluded.asset_count`,
)

export const countIn = takesLong(
  statement(
    ({ organizationId, folderUuid }: Given<InFolder>) => sql<{ count: number }>`
      select count(*) as count from assets
      where organization_id = ${organizationId} and folder_uuid = ${folderUuid}`,
  ),
)

/** Looks into so many folders and counts so far. */
type Bounds = { readonly foldersMax: number; readonly atMost: number }

export const countBeneath = takesLong(
  statement(
    (given: Given<InFolder & Bounds>) => sql<{ count: number }>`
      select count(*) as count from (
        select from (${subtree(given)} limit ${given.foldersMax}) as folder
        join assets on assets.organization_id = ${given.organizationId}
          and assets.folder_uuid = folder.uuid
        limit ${given.atMost}
      ) as met`,
  ),
)

/** The asset as it was; undefined if there was none. */
export async function deleteOne(tx: OrganizationDb, id: AssetId): Promise<ToldAsset | undefined> {
  const [[removed]] = await tx.run(removeOne({ id }))
  if (removed) await tx.run(addToCount({ added: -1 }))
  return removed
}

/** Those in the folder and in all beneath it. */
export async function deleteBeneath(
  tx: OrganizationDb,
  folderUuid: FolderUuid,
): Promise<ToldAsset[]> {
  const [removed] = await tx.run(removeBeneath({ folderUuid }))
  if (removed.length > 0) await tx.run(addToCount({ added: -removed.length }))
  return removed
}
