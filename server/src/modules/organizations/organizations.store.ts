import type { OrganizationId } from '../../kernel/ids.ts'
import type { Database, OrganizationDb } from '../../platform/db/database.ts'
import { build, type Given, statement } from '../../platform/db/statement.ts'
import type { Organization } from './organizations.rules.ts'

const insert = statement(({ organizationId, name }: Given<{ name: string }>) =>
  build
    .insertInto('organizations')
    .values({ id: organizationId, name })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id'),
)

const byId = statement(({ organizationId }: Given<object>) =>
  build.selectFrom('organizations').select('id').where('id', '=', organizationId),
)

const trashDays = statement(({ organizationId }: Given<object>) =>
  build.selectFrom('organizations').select('trash_days as trashDays').where('id', '=', organizationId),
)

const setIsOpen = statement(({ organizationId, isOpen }: Given<{ isOpen: boolean }>) =>
  build.updateTable('organizations').set({ is_open: isOpen }).where('id', '=', organizationId).returning('id'),
)

const selectAll = statement(({ limit }: Given<{ limit: number }>) =>
  build
    .selectFrom('organizations')
    .select(['id', 'name', 'is_open as isOpen', 'created_at as createdAt'])
    .orderBy('created_at')
    .limit(limit),
)

const selectIdPage = statement(({ after, limit }: Given<{ after: string; limit: number }>) =>
  build
    .selectFrom('organizations')
    .select('id')
    .where('id', '>', after as OrganizationId)
    .orderBy('id')
    .limit(limit),
)

/** Returns false if the id is already in use. */
export async function insertOrganization(db: OrganizationDb, name: string): Promise<boolean> {
  const [rows] = await db.run(insert({ name }))
  return rows.length > 0
}

export async function isOrganization(db: OrganizationDb): Promise<boolean> {
  const [rows] = await db.run(byId({}))
  return rows.length > 0
}

export async function selectTrashDays(db: OrganizationDb): Promise<number> {
  const [[row]] = await db.run(trashDays({}))
  return row?.trashDays ?? 0
}

export async function updateIsOpen(db: OrganizationDb, isOpen: boolean): Promise<void> {
  await db.run(setIsOpen({ isOpen }))
}

export function selectOrganizations(database: Database, limit: number): Promise<Organization[]> {
  return database.runUnscoped(selectAll({ limit }))
}

/** Ids after `after`, in ascending order. */
export async function selectIds(database: Database, after: string, limit: number): Promise<OrganizationId[]> {
  const rows = await database.runUnscoped(selectIdPage({ after, limit }))
  return rows.map(({ id }) => id)
}
