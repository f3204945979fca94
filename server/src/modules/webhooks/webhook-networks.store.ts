import { sql } from 'kysely'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { type Given, statement } from '../../platform/db/statement.ts'

const networksOf = statement(
  ({ organizationId }: Given<object>) => sql<{ networks: readonly string[] }>`
    select webhook_networks as networks from organizations where id = ${organizationId}`,
)

const setNetworks = statement(
  ({ organizationId, networks }: Given<{ networks: readonly string[] }>) => sql`
    update organizations set webhook_networks = ${networks}::text[] where id = ${organizationId}`,
)

export async function selectNetworks(db: OrganizationDb): Promise<readonly string[]> {
  const [[row]] = await db.run(networksOf({}))
  return row?.networks ?? []
}

export async function updateNetworks(db: OrganizationDb, networks: readonly string[]): Promise<void> {
  await db.run(setNetworks({ networks }))
}
