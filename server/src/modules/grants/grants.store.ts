import type { Scope } from '@reelkeep/contract'
import { sql } from 'kysely'
import type { FolderUuid, PrincipalId } from '../../kernel/ids.ts'
import type { Timestamp } from '../../kernel/time.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { type Given, statement } from '../../platform/db/statement.ts'

/** Whether a row of `tokens` is neither revoked nor expired. */
export const isLive = sql<boolean>`(
  revoked_at is null and coalesce(least(expires_at, retires_at) > now(), true)
)`

type LivePrincipal = {
  readonly scopes: readonly Scope[]
  readonly expiresAt: Timestamp | null
  readonly folderUuid: FolderUuid | null
  readonly ownOnly: boolean
}

// "for share" conflicts with the update of a revocation, and reads the row as it is once the lock is acquired.
const lockLive = statement(
  ({ organizationId, id }: Given<{ id: PrincipalId }>) => sql<LivePrincipal>`
    select scopes, least(expires_at, retires_at) as "expiresAt", folder_uuid as "folderUuid", own_only as "ownOnly"
    from tokens
    where organization_id = ${organizationId} and id = ${id} and ${isLive} for share`,
)

export async function lockLivePrincipal(tx: OrganizationDb, id: PrincipalId): Promise<LivePrincipal | undefined> {
  const [[principal]] = await tx.run(lockLive({ id }))
  return principal
}

/** An owner has every scope, without limits and without an expiry. */
const firstOwner = statement(
  ({ organizationId }: Given<object>) => sql<{ id: PrincipalId }>`
    select id from tokens
    where organization_id = ${organizationId} and kind = 'member' and '*' = any (scopes) and revoked_at is null
      and expires_at is null and folder_uuid is null and not own_only
    limit 1`,
)

export async function hasOwner(tx: OrganizationDb): Promise<boolean> {
  const [rows] = await tx.run(firstOwner({}))
  return rows.length > 0
}

const folderByUuid = statement(
  ({ organizationId, uuid }: Given<{ uuid: string }>) => sql<{ uuid: FolderUuid }>`
    select uuid from folders where organization_id = ${organizationId} and uuid = ${uuid}`,
)

/** The folder, if it exists inside the limits of the handle. */
export async function findFolder(tx: OrganizationDb, uuid: string): Promise<FolderUuid | undefined> {
  const [[folder]] = await tx.run(folderByUuid({ uuid }))
  return folder?.uuid
}

/** The token or member that created a row; its kind and name if it still exists. */
export type CreatorRow = {
  readonly createdBy: PrincipalId | null
  readonly creator: readonly [kind: 'token' | 'member', name: string] | null
}

/** Kind and name of the principal in the column `created_by` of a table. */
export const creator = (table: string) => sql<CreatorRow['creator']>`(
  select array[creator.kind, creator.name] from tokens as creator
  where creator.organization_id = ${sql.ref(`${table}.organization_id`)}
    and creator.id = ${sql.ref(`${table}.created_by`)}
)`

/** Selects a `CreatorRow` from a table with the columns `organization_id` and `created_by`. */
export const creatorColumns = (table: string) =>
  sql`${sql.ref(`${table}.created_by`)} as "createdBy", ${creator(table)} as creator`
