import { sql } from 'kysely'
import type { AssetId } from '../../../kernel/ids.ts'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import { type Given, statement } from '../../../platform/db/statement.ts'

/** An asset that is not linked to a version in this cell's storage yet. */
export type Unlinked = { readonly id: AssetId; readonly key: string; readonly bytes: number }

const unlinked = statement(
  ({ organizationId, after, limit }: Given<{ after: AssetId | null; limit: number }>) => sql<Unlinked>`
    select id, source_key as key, coalesce(own_bytes, bytes) as bytes from assets
    where organization_id = ${organizationId} and source_key is not null and source_version is null
      and id > coalesce(${after}::uuid, '00000000-0000-0000-0000-000000000000')
    order by id limit ${limit}`,
)

export async function selectUnlinked(
  db: OrganizationDb,
  after: AssetId | null,
  limit: number,
): Promise<readonly Unlinked[]> {
  const [rows] = await db.run(unlinked({ after, limit }))
  return rows
}

type VersionLink = { readonly id: AssetId; readonly version: string; readonly etag: string }

const setVersion = statement(
  ({ organizationId, id, version, etag }: Given<VersionLink>) => sql`
    update assets set source_version = ${version}, source_etag = ${etag}
    where organization_id = ${organizationId} and id = ${id} and source_version is null`,
)

export async function updateVersion(db: OrganizationDb, link: VersionLink): Promise<void> {
  await db.run(setVersion(link))
}
