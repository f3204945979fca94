/** Which assets there are and where their files lie, for whoever looks after storage as a whole. */
import { sql } from 'kysely'
import type { AssetId } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { type Given, statement, takesLong } from '../../platform/db/statement.ts'
import type { Source } from './assets.rules.ts'

/** An asset and its uploaded file, if that has arrived. */
export type StoredAsset = { readonly id: AssetId; readonly source: Source | null }

const stored = sql`
  select id, case when source_key is not null then json_build_object('key', source_key,
    'version', source_version, 'etag', source_etag, 'bytes', bytes) end as source
  from assets`

const stretch = takesLong(
  statement(
    (given: Given<{ after: AssetId | null; limit: number }>) => sql<StoredAsset>`
      ${stored}
      where organization_id = ${given.organizationId}
        and id > coalesce(${given.after}::uuid, '00000000-0000-0000-0000-000000000000')
      order by id limit ${given.limit}`,
  ),
)

/** Assets behind this one, oldest first; null: from the first one on. */
export async function selectStored(
  db: OrganizationDb,
  after: AssetId | null,
  limit: number,
): Promise<readonly StoredAsset[]> {
  const [rows] = await db.run(stretch({ after, limit }))
  return rows
}

const named = takesLong(
  statement(
    (given: Given<{ ids: readonly AssetId[] }>) => sql<StoredAsset>`
      ${stored}
      where organization_id = ${given.organizationId} and id = any (${given.ids}::uuid[])
      order by id`,
  ),
)

/** Those of them that there are. */
export async function selectNamed(
  db: OrganizationDb,
  ids: readonly AssetId[],
): Promise<readonly StoredAsset[]> {
  const [rows] = await db.run(named({ ids }))
  return rows
}

type Repinned = {
  readonly id: AssetId
  readonly key: string
  readonly versionBefore: string
  readonly version: string
  readonly etag: string
}

const repin = statement(
  (given: Given<Repinned>) => sql<{ id: AssetId }>`
    update assets set source_version = ${given.version}, source_etag = ${given.etag}
    where organization_id = ${given.organizationId} and id = ${given.id}
      and source_key = ${given.key} and source_version = ${given.versionBefore}
    returning id`,
)

/** False if another file has been taken meanwhile. */
export async function updatePin(db: OrganizationDb, repinned: Repinned): Promise<boolean> {
  const [rows] = await db.run(repin(repinned))
  return rows.length > 0
}
