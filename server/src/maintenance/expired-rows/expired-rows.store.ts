import { sql } from 'kysely'
import type { OrganizationId } from '../../kernel/ids.ts'
import type { Database, OrganizationDb } from '../../platform/db/database.ts'
import { type Given, statement } from '../../platform/db/statement.ts'

type Limit = { readonly limit: number }

/** Deletes rows of a table that expired a week ago. Rows that a request has locked are left for the next run. */
const deletionFrom = (name: 'access_tokens' | 'spent_passes' | 'invitations' | 'recovery_links') => {
  const table = sql.table(name)
  return statement(
    ({ organizationId, limit }: Given<Limit>) => sql<{ deleted: number }>`
      delete from ${table} where organization_id = ${organizationId} and ctid = any (array(
        select ctid from ${table}
        where organization_id = ${organizationId} and expires_at < now() - interval '7 days'
        limit ${limit} for update skip locked))
      returning 1 as deleted`,
  )
}

const deletions = [
  deletionFrom('access_tokens'),
  deletionFrom('spent_passes'),
  deletionFrom('invitations'),
  deletionFrom('recovery_links'),
]

/** Deletes up to `limit` rows of each table. Returns whether there may be more. */
export async function deleteExpired(db: OrganizationDb, limit: number): Promise<boolean> {
  let hasMore = false
  for (const deletion of deletions) {
    const [deleted] = await db.run(deletion({ limit }))
    hasMore ||= deleted.length === limit
  }
  return hasMore
}

const organizations = statement(
  ({ after, limit }: Given<Limit & { after: string }>) => sql<{ id: OrganizationId }>`
    select organization_id as id from organizations_with_expired_rows
    where organization_id > ${after} order by organization_id limit ${limit}`,
)

/** Organizations with expired rows in the order of their ids, starting after `after`. */
export async function selectOrganizations(database: Database, after: string, limit: number): Promise<OrganizationId[]> {
  return (await database.runUnscoped(organizations({ after, limit }))).map(({ id }) => id)
}
