import type { Database } from '../db/database.ts'
import { type Fitness, readFitness } from '../db/fitness.store.ts'
import { type Examination, fault, fine, type Verdict } from './finding.ts'
import { judgeClock } from './judge-clock.ts'

/** A table that is not there: Postgres' own code for it. */
const UNDEFINED_TABLE = '42P01'

/** `who` asks: the names of the findings begin with it. */
export function databaseExaminations(who: string, database: Database): Examination[] {
  const names = {
    answers: `${who}-database`,
    role: `${who}-database-role`,
    migrations: `${who}-migrations`,
    clock: `${who}-database-clock`,
  }
  const found = async () => (await readFitness(database)) ?? never
  return [
    { name: names.answers, look: () => answers(found) },
    {
      name: names.migrations,
      needs: names.answers,
      look: async () => judgeMigrations((await orUnmigrated(found)).isMigrated),
    },
    {
      name: names.role,
      needs: names.migrations,
      look: async () => judgeRole(await found()),
    },
    {
      name: names.clock,
      needs: names.migrations,
      look: async () => judgeClock('Postgres', (await found()).epochSeconds - Date.now() / 1000),
    },
  ]
}

const never: Fitness = { isMigrated: false, isBound: false, role: '', epochSeconds: 0 }

const isUnmigrated = (error: unknown) => (error as { code?: string }).code === UNDEFINED_TABLE

async function orUnmigrated(found: () => Promise<Fitness>): Promise<Fitness> {
  try {
    return await found()
  } catch (error) {
    if (isUnmigrated(error)) return never
    throw error
  }
}

async function answers(found: () => Promise<Fitness>): Promise<Verdict> {
  try {
    await orUnmigrated(found)
    return fine('Postgres answers.')
  } catch (error) {
    return fault(
      `Postgres does not answer: ${(error as Error).message}`,
      'See that it runs, and that DATABASE_URL (of a worker: DATABASE_WORKER_URL) has its address, role and password.',
    )
  }
}

const judgeMigrations = (isMigrated: boolean): Verdict =>
  isMigrated
    ? fine('The database has every migration of this version.')
    : fault(
        'The database lacks a migration that this version needs.',
        'Run server/migrate with DATABASE_OWNER_URL set.',
      )

const judgeRole = ({ isBound, role }: Fitness): Verdict =>
  isBound
    ? fine(`The role ${role} is bound by row-level security.`)
    : fault(
        `The role ${role} sees the rows of every organization.`,
        'Name reelkeep_api in DATABASE_URL, and reelkeep_worker in DATABASE_WORKER_URL.',
      )
