import { sql } from 'kysely'
import type { AssetId } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { type Given, statement } from '../../platform/db/statement.ts'

const wait = statement(
  ({ organizationId, id }: Given<{ id: AssetId }>) => sql<{ seconds: number }>`
    select extract(epoch from asset.playable_at - min(happening.at))::float8 as seconds
    from assets as asset join asset_happenings as happening
      on happening.organization_id = asset.organization_id and happening.asset_id = asset.id
    where asset.organization_id = ${organizationId} and asset.id = ${id}
      and asset.playable_at is not null and happening.what = 'uploaded'
    group by asset.playable_at`,
)

/**
 * How long it took from the file's arrival until the beginning of the video could be played;
 * undefined if it cannot yet.
 */
export async function findPlayableWait(
  db: OrganizationDb,
  id: AssetId,
): Promise<number | undefined> {
  const [[found]] = await db.run(wait({ id }))
  return found?.seconds
}
