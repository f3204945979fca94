import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { dedicatedConnection, type Given, statement } from '../../db/statement.ts'

/** No queue gets more workers than this, so a higher count would only cost time. */
const COUNTED_MAX = 1000

// Running jobs count too; otherwise autoscaling would remove the workers that run them.
const open = dedicatedConnection(
  statement(
    ({ queues }: Given<{ queues: readonly string[] }>) => sql<{ queue: string; jobs: number }>`
    select queue, (
      select count(*)::int from (
        select from dbos.workflow_status
        where queue_name = queue and status in ('ENQUEUED', 'PENDING')
        limit ${sql.lit(COUNTED_MAX)}
      ) as counted
    ) as jobs
    from unnest(${queues}::text[]) as queue`,
  ),
)

/** Number of startable and running jobs of each queue, counted up to a thousand. Delayed ones are excluded. */
export function openJobs(database: Database, queues: readonly string[]) {
  return database.runUnscoped(open({ queues }))
}
