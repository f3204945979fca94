import { sql } from 'kysely'
import type { SuspensionReason } from '../modules/suspension/suspension.ts'
import type { Database, OrganizationDb } from '../platform/db/database.ts'
import { type Given, statement } from '../platform/db/statement.ts'

export type HostingRow = {
  readonly isKnown: boolean
  /** Null if it is not suspended. */
  readonly suspensionReason: SuspensionReason | null
}

const hostingRow = statement(
  ({ organizationId }: Given<object>) => sql<HostingRow>`
    select exists (select from organizations where id = ${organizationId}) as "isKnown",
      (select why from held_organizations where organization_id = ${organizationId}) as "suspensionReason"`,
)

export async function selectHostingRow(db: OrganizationDb): Promise<HostingRow> {
  const [[row]] = await db.run(hostingRow({}))
  return row ?? { isKnown: false, suspensionReason: null }
}

const elsewhere = statement(
  (_: Given<object>) => sql<{ count: number }>`
    select count(*)::int as count from held_organizations where why in ('arriving', 'gone')`,
)

export async function selectElsewhereCount(database: Database): Promise<number> {
  const [row] = await database.runUnscoped(elsewhere({}))
  return row?.count ?? 0
}
