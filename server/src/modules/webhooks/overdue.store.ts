import { sql } from 'kysely'
import { isAlive } from '../../platform/db/claims.ts'
import type { Database } from '../../platform/db/database.ts'
import { dedicatedConnection, type Given, statement } from '../../platform/db/statement.ts'

// Excludes claimed webhooks, which may be due for as long as they are busy.
const overdue = dedicatedConnection(
  statement(
    (_: Given<object>) => sql<{ seconds: number }>`
    select coalesce(extract(epoch from now() - min(due_at)), 0)::float8 as seconds
    from due_webhooks as due where worker_id is null or not ${isAlive(sql`due.worker_id`)}`,
  ),
)

/** Returns the time since the most overdue unclaimed webhook became due, in seconds. Query it as a worker. */
export async function overdueWebhookSeconds(database: Database): Promise<number> {
  return (await database.runUnscoped(overdue({})))[0]?.seconds ?? 0
}
