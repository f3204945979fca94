import { resetDatabase, Superuser, stackEnv, withDatabase } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { expect, it } from 'vitest'
import { Database } from './database.ts'
import { databaseFault } from './fitness.store.ts'

const superuser = await opened(Superuser.open())
const env = stackEnv()
const unfit = withDatabase(env, 'unfit')

async function faultAt(url: string): Promise<string | undefined> {
  await using database = new Database(
    { url, connectionsMax: 4, statementTimeoutSeconds: 10 },
    () => {},
  )
  return databaseFault(database)
}

it.each([
  ['the API', env.DATABASE_URL],
  ['a worker', env.DATABASE_WORKER_URL],
])('is fit with every migration and as %s, whom row-level security binds', async (_, url) => {
  expect(await faultAt(url)).toBeUndefined()
})

it.each([
  ['the owner', env.DATABASE_OWNER_URL],
  ['a superuser', env.DATABASE_SUPERUSER_URL],
])('is unfit as %s, who would see every row', async (_, url) => {
  expect(await faultAt(url)).toContain('must name reelkeep_api or reelkeep_worker')
})

it('is unfit while a migration is missing', async () => {
  await resetDatabase(unfit)
  const over = await Superuser.open(unfit)
  await over.query(
    'delete from schema_migrations where version = (select max(version) from schema_migrations)',
  )
  expect(await faultAt(unfit.DATABASE_URL)).toContain('run server/migrate')
  await over[Symbol.asyncDispose]()
  await superuser.query('drop database unfit with (force)')
})
