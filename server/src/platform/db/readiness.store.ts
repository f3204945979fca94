import { readdirSync } from 'node:fs'
import { sql } from 'kysely'
import type { Database } from './database.ts'
import { type Given, statement } from './statement.ts'

/** The newest migration that this release contains. */
const latestMigration = readdirSync(new URL('../../../migrations/', import.meta.url))
  .map((file) => file.split('_', 1)[0] ?? '')
  .sort()
  .at(-1)

export type DatabaseReadiness = {
  readonly isMigrated: boolean
  /** Whether row-level security applies to the role. */
  readonly isRowSecurityEnforced: boolean
  /** Whether the server is a standby or refuses writes for another reason. */
  readonly isReadOnly: boolean
  readonly role: string
  /** The database's clock. */
  readonly epochSeconds: number
}

/** A role that owns the tables or bypasses row-level security would read all organizations' rows. */
const readiness = statement(
  ({ version }: Given<{ version: string | undefined }>) => sql<DatabaseReadiness>`
    select
      exists (select from schema_migrations where version = ${version}) as "isMigrated",
      not (rolsuper or rolbypassrls or pg_has_role(oid, 'reelkeep_owner', 'member')) as "isRowSecurityEnforced",
      pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as "isReadOnly",
      rolname as role,
      extract(epoch from clock_timestamp())::float8 as "epochSeconds"
    from pg_roles where rolname = current_user`,
)

export async function readDatabaseReadiness(database: Database): Promise<DatabaseReadiness | undefined> {
  return (await database.runUnscoped(readiness({ version: latestMigration })))[0]
}

/** Why the service must not run with this database, as a message for the operator. */
export async function databaseReadinessError(database: Database): Promise<string | undefined> {
  const found = await readDatabaseReadiness(database)
  if (!found?.isRowSecurityEnforced)
    return 'the database URL must use the role reelkeep_api or reelkeep_worker, not a role that bypasses row-level security'
  if (found.isReadOnly) return 'the database server is read-only: it is a standby, or a failover has not finished'
  if (!found.isMigrated) return 'the database lacks a migration: run server/migrate'
  return undefined
}
