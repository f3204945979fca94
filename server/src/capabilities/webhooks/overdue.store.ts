import { sql } from 'kysely'
import type { Database } from '../../platform/db/database.ts'
import { type Given, statement, takesLong } from '../../platform/db/statement.ts'
import { isAlive } from '../../platform/db/worker-life.ts'

// One that somebody has in hand may be due for as long as it is busy.
const overdue = takesLong(
  statement(
    (_: Given<object>) => sql<{ seconds: number }>`
    select coalesce(extract(epoch from now() - min(due_at)), 0)::float8 as seconds
    from due_webhooks as due where worker_id is null or not ${isAlive(sql`due.worker_id`)}`,
  ),
)

/** For how long the webhook has been left alone that is longest due; to be asked as a worker. */
export async function overdueWebhookSeconds(database: Database): Promise<number> {
  return (await database.ask(overdue({})))[0]?.seconds ?? 0
}
