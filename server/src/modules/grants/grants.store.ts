import type { Scope } from '@reelkeep/contract'
import { sql } from 'kysely'
import type { TokenId } from '../../kernel/ids.ts'
import type { Timestamp } from '../../kernel/time.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { type Given, statement } from '../../platform/db/statement.ts'

/** Whether a row of `tokens` is neither revoked nor expired. */
export const isLive = sql<boolean>`(
  revoked_at is null and coalesce(least(expires_at, retires_at) > now(), true)
)`

type LiveToken = { readonly scopes: readonly Scope[]; readonly expiresAt: Timestamp | null }

// "for share" conflicts with the update of a revocation, and reads the row as it is once the lock is acquired.
const lockLive = statement(
  ({ organizationId, id }: Given<{ id: TokenId }>) => sql<LiveToken>`
    select scopes, least(expires_at, retires_at) as "expiresAt" from tokens
    where organization_id = ${organizationId} and id = ${id} and ${isLive} for share`,
)

export async function lockLiveToken(tx: OrganizationDb, id: TokenId): Promise<LiveToken | undefined> {
  const [[token]] = await tx.run(lockLive({ id }))
  return token
}

/** The token that created a row, and its name if it still exists. */
export type CreatorRow = { readonly createdBy: TokenId | null; readonly creatorName: string | null }

/** The name of the token in the column `created_by` of a table. */
export const creatorName = (table: string) => sql<string | null>`(
  select creator.name from tokens as creator
  where creator.organization_id = ${sql.ref(`${table}.organization_id`)}
    and creator.id = ${sql.ref(`${table}.created_by`)}
)`

/** Selects a `CreatorRow` from a table with the columns `organization_id` and `created_by`. */
export const creatorColumns = (table: string) =>
  sql`${sql.ref(`${table}.created_by`)} as "createdBy", ${creatorName(table)} as "creatorName"`
