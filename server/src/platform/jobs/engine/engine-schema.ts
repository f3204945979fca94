import { DBOS } from '@dbos-inc/dbos-sdk'

/** As for our own migrations: fail rather than block other sessions behind a lock. */
const LOCK_TIMEOUT_SECONDS = 5

/** Migrates the job engine's tables. Our own migrations grant access to them. */
export async function migrateEngine(ownerUrl: string): Promise<void> {
  const url = new URL(ownerUrl)
  url.searchParams.set('options', `-c lock_timeout=${LOCK_TIMEOUT_SECONDS * 1000}`)
  await DBOS.migrate(url.href)
}
