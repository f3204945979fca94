import { sql } from 'kysely'
import type { AssetId } from '../../../kernel/ids.ts'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import { type Given, statement } from '../../../platform/db/statement.ts'

/** An asset whose file is not pinned to a version in this cell's storage yet. */
export type Unpinned = { readonly id: AssetId; readonly key: string; readonly bytes: number }

const unpinned = statement(
  ({
    organizationId,
    after,
    limit,
  }: Given<{ after: AssetId | null; limit: number }>) => sql<Unpinned>`
    select id, source_key as key, bytes from assets
    where organization_id = ${organizationId} and source_key is not null and source_version is null
      and id > coalesce(${after}::uuid, '00000000-0000-0000-0000-000000000000')
    order by id limit ${limit}`,
)

export async function selectUnpinned(
  db: OrganizationDb,
  after: AssetId | null,
  limit: number,
): Promise<readonly Unpinned[]> {
  const [rows] = await db.run(unpinned({ after, limit }))
  return rows
}

type Pin = { readonly id: AssetId; readonly version: string; readonly etag: string }

const pin = statement(
  ({ organizationId, id, version, etag }: Given<Pin>) => sql`
    update assets set source_version = ${version}, source_etag = ${etag}
    where organization_id = ${organizationId} and id = ${id} and source_version is null`,
)

export async function writePin(db: OrganizationDb, given: Pin): Promise<void> {
  await db.run(pin(given))
}
