import { sql } from 'kysely'
import type { AssetId } from '../../../kernel/ids.ts'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import { type Given, statement } from '../../../platform/db/statement.ts'

const secondsToPlayable = statement(
  ({ organizationId, id }: Given<{ id: AssetId }>) => sql<{ seconds: number }>`
    select extract(epoch from asset.playable_at - min(entry.at))::float8 as seconds
    from assets as asset join asset_happenings as entry
      on entry.organization_id = asset.organization_id and entry.asset_id = asset.id
    where asset.organization_id = ${organizationId} and asset.id = ${id}
      and asset.playable_at is not null and entry.what = 'uploaded'
    group by asset.playable_at`,
)

/** Seconds from the upload until the beginning was playable; undefined if it is not playable yet. */
export async function findTimeToPlayable(db: OrganizationDb, id: AssetId): Promise<number | undefined> {
  const [[found]] = await db.run(secondsToPlayable({ id }))
  return found?.seconds
}
