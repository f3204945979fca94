import { prepareDatabases, resetDatabase, type StackEnv, startStack } from './processes/stack.ts'
import { externalService, markDatabasePrepared } from './settings.ts'
import { setUpUploads } from './storage/storage.ts'

/** Runs before the first test: starts the real servers, migrates an empty database and creates the bucket. */
export async function setup(): Promise<void> {
  if (externalService.baseUrl) return
  const env = await startStack()
  await Promise.all([setUpDatabases(env), setUpUploads(env)])
}

async function setUpDatabases(env: StackEnv): Promise<void> {
  await prepareDatabases(env)
  markDatabasePrepared()
  await resetDatabase(env)
}
