import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { type Given, statement, takesLong } from '../db/statement.ts'

/** Nobody starts more workers than this for one queue; beyond it counting would only cost. */
const COUNTED_MAX = 1000

// What runs counts as well: if it did not, workers would be taken away from the jobs that they are at.
const open = takesLong(
  statement(
    ({ queues }: Given<{ queues: string[] }>) => sql<{ queue: string; jobs: number }>`
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

/**
 * How many jobs of each queue could start or run, counted up to a thousand; those in a delay or a
 * pause are not among them.
 */
export function openJobs(database: Database, queues: string[]) {
  return database.ask(open({ queues }))
}
