import { DBOS } from '@dbos-inc/dbos-sdk'

/** As for our own migrations: better to give up than to queue everybody else behind a lock. */
const LOCK_TIMEOUT_SECONDS = 5

/** Brings the job engine's tables up to date. Who may use them is said by our own migrations. */
export async function migrateEngine(ownerUrl: string): Promise<void> {
  const url = new URL(ownerUrl)
  url.searchParams.set('options', `-c lock_timeout=${LOCK_TIMEOUT_SECONDS * 1000}`)
  await DBOS.migrate(url.href)
}
