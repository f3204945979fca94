import { sql } from 'kysely'
import type { Database, OrganizationDb } from '../platform/db/database.ts'
import { type Given, statement } from '../platform/db/statement.ts'

export type Standing = { readonly isHere: boolean; readonly isHeld: boolean }

const standing = statement(
  ({ organizationId }: Given<object>) => sql<Standing>`
    select exists (select from organizations where id = ${organizationId}) as "isHere",
      exists (select from held_organizations where organization_id = ${organizationId}) as "isHeld"`,
)

export async function selectStanding(db: OrganizationDb): Promise<Standing> {
  const [[row]] = await db.run(standing({}))
  return row ?? { isHere: false, isHeld: false }
}

const held = statement(
  (_: Given<object>) => sql<{ count: number }>`
    select count(*)::int as count from held_organizations`,
)

export async function selectHeldCount(database: Database): Promise<number> {
  const [row] = await database.ask(held({}))
  return row?.count ?? 0
}
