/**
 * `node server/src/main/migrate.ts`: migrates the job engine's tables. `server/migrate` runs it before our own
 * migrations.
 */

import { retryWhile } from '../kernel/retry.ts'
import { readAdminConfig } from '../platform/config/env.ts'
import { isDatabaseUnavailable } from '../platform/db/errors/availability.ts'
import { migrateEngine } from '../platform/jobs/engine/engine.ts'
import { explain } from './process.ts'

/** A database that restarts, or a name server that does, is back within this time. */
const RETRY_SECONDS = 60

try {
  const url = readAdminConfig().DATABASE_OWNER_URL
  await retryWhile(isDatabaseUnavailable, RETRY_SECONDS, () => migrateEngine(url))
} catch (error) {
  process.stderr.write(`${explain(error)}\n`)
  process.exitCode = 1
}
