import type { Database } from '../platform/db/database.ts'
import { type DatabaseReadiness, readDatabaseReadiness } from '../platform/db/readiness.store.ts'
import { type Check, type CheckOutcome, failed, ok } from './checks.ts'
import { checkClock } from './clock-check.ts'

/** Postgres' error code for a missing table. */
const UNDEFINED_TABLE = '42P01'

/** Checks of the database; the names of the results begin with `prefix`. */
export function databaseChecks(prefix: string, database: Database): Check[] {
  const names = {
    connection: `${prefix}-database`,
    role: `${prefix}-database-role`,
    migrations: `${prefix}-migrations`,
    clock: `${prefix}-database-clock`,
  }
  const read = async () => (await readDatabaseReadiness(database)) ?? notReady
  return [
    { name: names.connection, run: () => connectionOutcome(read) },
    {
      name: names.migrations,
      needs: names.connection,
      run: async () => migrationsOutcome((await notReadyIfUnmigrated(read)).isMigrated),
    },
    {
      name: names.role,
      needs: names.migrations,
      run: async () => roleOutcome(await read()),
    },
    {
      name: names.clock,
      needs: names.migrations,
      run: async () => checkClock('Postgres', (await read()).epochSeconds - Date.now() / 1000),
    },
  ]
}

const notReady: DatabaseReadiness = {
  isMigrated: false,
  isReadOnly: false,
  isRowSecurityEnforced: false,
  role: '',
  epochSeconds: 0,
}

const isUnmigrated = (error: unknown) => (error as { code?: string }).code === UNDEFINED_TABLE

type ReadReadiness = () => Promise<DatabaseReadiness>

async function notReadyIfUnmigrated(read: ReadReadiness): Promise<DatabaseReadiness> {
  try {
    return await read()
  } catch (error) {
    if (isUnmigrated(error)) return notReady
    throw error
  }
}

async function connectionOutcome(read: ReadReadiness): Promise<CheckOutcome> {
  try {
    await notReadyIfUnmigrated(read)
    return ok('Postgres answers.')
  } catch (error) {
    return failed(
      `Postgres does not respond: ${(error as Error).message}`,
      'Check that Postgres runs and that DATABASE_URL (for a worker: DATABASE_WORKER_URL) has the right host, role and password.',
    )
  }
}

const migrationsOutcome = (isMigrated: boolean): CheckOutcome =>
  isMigrated
    ? ok('The database has every migration of this release.')
    : failed('The database lacks a migration of this release.', 'Run server/migrate with DATABASE_OWNER_URL set.')

const roleOutcome = ({ isRowSecurityEnforced, role }: DatabaseReadiness): CheckOutcome =>
  isRowSecurityEnforced
    ? ok(`Row-level security applies to the role ${role}.`)
    : failed(
        `The role ${role} bypasses row-level security.`,
        'Use the role reelkeep_api in DATABASE_URL and reelkeep_worker in DATABASE_WORKER_URL.',
      )
