import { sql } from 'kysely'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { type Given, statement } from '../../platform/db/statement.ts'

const originsOf = statement(
  ({ organizationId }: Given<object>) => sql<{ origins: readonly string[] }>`
    select embed_origins as origins from organizations where id = ${organizationId}`,
)

const setOrigins = statement(
  ({ organizationId, origins }: Given<{ origins: readonly string[] }>) => sql`
    update organizations set embed_origins = ${origins}::text[] where id = ${organizationId}`,
)

export async function selectOrigins(db: OrganizationDb): Promise<readonly string[]> {
  const [[row]] = await db.run(originsOf({}))
  return row?.origins ?? []
}

export async function updateOrigins(db: OrganizationDb, origins: readonly string[]): Promise<void> {
  await db.run(setOrigins({ origins }))
}
