/**
 * `node server/src/main/primary-url.ts`: prints `DATABASE_OWNER_URL` with only the server that accepts writes, for
 * programs that cannot use a URL with several servers.
 */
import { readAdminConfig } from '../platform/config/env.ts'
import { DatabaseServers } from '../platform/db/connections/database-servers.ts'
import { explain } from './process.ts'

try {
  const { url } = await new DatabaseServers(readAdminConfig().DATABASE_OWNER_URL).locate()
  process.stdout.write(url)
} catch (error) {
  process.stderr.write(`${explain(error)}\n`)
  process.exitCode = 1
}
