/**
 * `node server/src/main/migrate.ts`: migrates the job engine's tables. `server/migrate` runs it before our own
 * migrations.
 */
import { readAdminConfig } from '../platform/config/env.ts'
import { migrateEngine } from '../platform/jobs/engine/engine.ts'
import { explain } from './process.ts'

try {
  await migrateEngine(readAdminConfig().DATABASE_OWNER_URL)
} catch (error) {
  process.stderr.write(`${explain(error)}\n`)
  process.exitCode = 1
}
