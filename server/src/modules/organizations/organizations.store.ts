import { sql } from 'kysely'
import type { OrganizationId } from '../../kernel/ids.ts'
import type { Database, OrganizationDb } from '../../platform/db/database.ts'
import { build, dedicatedConnection, type Given, statement } from '../../platform/db/statement.ts'
import type { Organization, OrganizationWithSettings, Settings } from './organizations.rules.ts'

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

const settingsColumns = sql`
  id, created_at as "createdAt", name, content_protection_type as "contentProtection",
  default_resolutions as "defaultResolutions", trash_days as "trashDays", abandoned_days as "abandonedDays",
  versions_kept as "versionsKept", embed_origins as "embedOrigins"`

const settings = statement(
  ({ organizationId }: Given<object>) => sql<OrganizationWithSettings>`
    select ${settingsColumns} from organizations where id = ${organizationId}`,
)

/** Waits for a concurrent change of the settings. */
const settingsForUpdate = dedicatedConnection(
  statement(
    ({ organizationId }: Given<object>) => sql<OrganizationWithSettings>`
      select ${settingsColumns} from organizations where id = ${organizationId} for no key update`,
  ),
)

const setSettings = statement(
  (given: Given<Settings>) => sql<OrganizationWithSettings>`
    update organizations set name = ${given.name}, content_protection_type = ${given.contentProtection},
      default_resolutions = ${given.defaultResolutions}::text[], trash_days = ${given.trashDays},
      abandoned_days = ${given.abandonedDays}, versions_kept = ${given.versionsKept},
      embed_origins = ${given.embedOrigins}::text[]
    where id = ${given.organizationId}
    returning ${settingsColumns}`,
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

export async function findSettings(db: OrganizationDb): Promise<OrganizationWithSettings | undefined> {
  const [[row]] = await db.run(settings({}))
  return row
}

export const selectSettings = async (db: OrganizationDb) => existing(await findSettings(db))

export async function lockSettings(tx: OrganizationDb): Promise<OrganizationWithSettings> {
  const [[row]] = await tx.run(settingsForUpdate({}))
  return existing(row)
}

export async function updateSettings(tx: OrganizationDb, changed: Settings): Promise<OrganizationWithSettings> {
  const [[row]] = await tx.run(setSettings(changed))
  return existing(row)
}

function existing(row: OrganizationWithSettings | undefined): OrganizationWithSettings {
  if (!row) throw new Error('The organization does not exist')
  return row
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
