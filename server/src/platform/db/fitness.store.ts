import { readdirSync } from 'node:fs'
import { sql } from 'kysely'
import type { Database } from './database.ts'
import { type Given, statement } from './statement.ts'

/** The last step that this version of the service was written for. */
const newestMigration = readdirSync(new URL('../../../migrations/', import.meta.url))
  .map((file) => file.split('_', 1)[0] ?? '')
  .sort()
  .at(-1)

export type Fitness = {
  readonly isMigrated: boolean
  /** By row-level security. */
  readonly isBound: boolean
  readonly role: string
  /** Of the database's clock. */
  readonly epochSeconds: number
}

/** A role that owns the tables or bypasses row-level security would see every organization's rows. */
const fitness = statement(
  ({ version }: Given<{ version: string | undefined }>) => sql<Fitness>`
    select
      exists (select from schema_migrations where version = ${version}) as "isMigrated",
      not (rolsuper or rolbypassrls or pg_has_role(oid, 'reelkeep_owner', 'member')) as "isBound",
      rolname as role,
      extract(epoch from clock_timestamp())::float8 as "epochSeconds"
    from pg_roles where rolname = current_user`,
)

export async function readFitness(database: Database): Promise<Fitness | undefined> {
  return (await database.ask(fitness({ version: newestMigration })))[0]
}

/** Why the service must not be used with this database, in words for the operator. */
export async function databaseFault(database: Database): Promise<string | undefined> {
  const found = await readFitness(database)
  if (!found?.isBound)
    return 'the address of the database must name reelkeep_api or reelkeep_worker, not a role that sees all rows'
  if (!found.isMigrated) return 'the database lacks a migration: run server/migrate'
  return undefined
}
