/** Assets with the location of their uploaded files, for storage maintenance. */
import { sql } from 'kysely'
import type { AssetId } from '../../../kernel/ids.ts'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import { dedicatedConnection, type Given, statement } from '../../../platform/db/statement.ts'
import type { Source } from '../assets.rules.ts'

/** `source` is null until the file has been uploaded. */
export type StoredAsset = { readonly id: AssetId; readonly source: Source | null }

const stored = sql`
  select id, case when source_key is not null then json_build_object('key', source_key,
    'version', source_version, 'etag', source_etag, 'bytes', coalesce(own_bytes, bytes)) end as source
  from assets`

const pageOfStored = dedicatedConnection(
  statement(
    (given: Given<{ after: AssetId | null; limit: number }>) => sql<StoredAsset>`
      ${stored}
      where organization_id = ${given.organizationId}
        and id > coalesce(${given.after}::uuid, '00000000-0000-0000-0000-000000000000')
      order by id limit ${given.limit}`,
  ),
)

/** Assets after `after`, oldest first; null starts with the first asset. */
export async function selectStored(
  db: OrganizationDb,
  after: AssetId | null,
  limit: number,
): Promise<readonly StoredAsset[]> {
  const [rows] = await db.run(pageOfStored({ after, limit }))
  return rows
}

const storedByIds = dedicatedConnection(
  statement(
    (given: Given<{ ids: readonly AssetId[] }>) => sql<StoredAsset>`
      ${stored}
      where organization_id = ${given.organizationId} and id = any (${given.ids}::uuid[])
      order by id`,
  ),
)

/** Unknown ids are skipped. */
export async function selectStoredByIds(db: OrganizationDb, ids: readonly AssetId[]): Promise<readonly StoredAsset[]> {
  const [rows] = await db.run(storedByIds({ ids }))
  return rows
}

type RelinkedSource = {
  readonly id: AssetId
  readonly key: string
  readonly versionBefore: string
  readonly version: string
  readonly etag: string
}

const relink = statement(
  (given: Given<RelinkedSource>) => sql<{ id: AssetId }>`
    update assets set source_version = ${given.version}, source_etag = ${given.etag}
    where organization_id = ${given.organizationId} and id = ${given.id}
      and source_key = ${given.key} and source_version = ${given.versionBefore}
    returning id`,
)

/** Returns false if the asset got another source file in the meantime. */
export async function updateSourceVersion(db: OrganizationDb, relinked: RelinkedSource): Promise<boolean> {
  const [rows] = await db.run(relink(relinked))
  return rows.length > 0
}
