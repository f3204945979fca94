import { sql } from 'kysely'
import type { OrganizationId } from '../../kernel/ids.ts'
import type { Database, OrganizationDb } from '../../platform/db/database.ts'
import { dedicatedConnection, type Given, statement } from '../../platform/db/statement.ts'

const held = dedicatedConnection(
  statement(
    ({ organizationId }: Given<object>) => sql<{ assets: number; folders: number }>`
      select (select count(*)::int from assets where organization_id = ${organizationId} and legal_hold) as assets,
        (select count(*)::int from folders where organization_id = ${organizationId} and legal_hold) as folders`,
  ),
)

/** The number of assets and folders with a legal hold of their own, also in the trash. */
export async function countHolds(db: OrganizationDb): Promise<{ readonly assets: number; readonly folders: number }> {
  const [[row]] = await db.run(held({}))
  return row ?? { assets: 0, folders: 0 }
}

export type DueDeletion = {
  readonly id: OrganizationId
  /** Seconds since the organization was suspended. */
  readonly suspendedSeconds: number
}

const due = statement(
  (_: Given<object>) => sql<DueDeletion>`
    select organization_id as id, extract(epoch from now() - since)::float8 as "suspendedSeconds"
    from organizations_to_purge order by organization_id`,
)

/** Requires the worker role, like everything below. */
export const selectDueDeletions = (database: Database): Promise<DueDeletion[]> => database.runUnscoped(due({}))

const purge = dedicatedConnection(
  statement(
    ({ id, limit }: Given<{ id: OrganizationId; limit: number }>) => sql<{ deleted: number | null }>`
      select purge_organization_rows(${id}, ${limit}::integer) as deleted`,
  ),
)

/** Deletes some rows and returns their number; 0 if none are left, null if the deletion was cancelled. */
export async function purgeRows(database: Database, id: OrganizationId, limit: number): Promise<number | null> {
  const [row] = await database.runUnscoped(purge({ id, limit }))
  return row?.deleted ?? null
}

const finish = dedicatedConnection(
  statement(
    ({ id }: Given<{ id: OrganizationId }>) => sql<{ isFinished: boolean }>`
      select finish_organization_deletion(${id}) as "isFinished"`,
  ),
)

/** Removes the suspension. Returns false if the organization still has rows. */
export async function finishDeletion(database: Database, id: OrganizationId): Promise<boolean> {
  const [row] = await database.runUnscoped(finish({ id }))
  return row?.isFinished ?? false
}
