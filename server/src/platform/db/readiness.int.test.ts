import { resetDatabase, Superuser, stackEnv, withDatabase } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { expect, it } from 'vitest'
import { Database } from './database.ts'
import { databaseReadinessError } from './readiness.store.ts'

const superuser = await opened(Superuser.open())
const env = stackEnv()
const unready = withDatabase(env, 'unready')

async function errorAt(url: string): Promise<string | undefined> {
  await using database = new Database({ url, connectionsMax: 4, statementTimeoutSeconds: 10 }, () => {})
  return databaseReadinessError(database)
}

it.each([
  ['the API', env.DATABASE_URL],
  ['a worker', env.DATABASE_WORKER_URL],
])('the database is ready for %s: fully migrated, and row-level security applies', async (_, url) => {
  expect(await errorAt(url)).toBeUndefined()
})

it.each([
  ['the owner', env.DATABASE_OWNER_URL],
  ['a superuser', env.DATABASE_SUPERUSER_URL],
])('the database is not ready for %s, which bypasses row-level security', async (_, url) => {
  expect(await errorAt(url)).toContain('must use the role reelkeep_api or reelkeep_worker')
})

it('the database is not ready while a migration is missing', async () => {
  await resetDatabase(unready)
  const over = await Superuser.open(unready)
  await over.query('delete from schema_migrations where version = (select max(version) from schema_migrations)')
  expect(await errorAt(unready.DATABASE_URL)).toContain('run server/migrate')
  await over[Symbol.asyncDispose]()
  await superuser.query('drop database unready with (force)')
})
