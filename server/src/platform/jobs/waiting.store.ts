import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { type Given, statement, takesLong } from '../db/statement.ts'

/** Of a longer queue only its beginning is looked at; what stands there waits long enough to be noticed. */
const LOOKED_AT_MAX = 1000

export type Backlog = { readonly queue: string; readonly seconds: number }

// A job that was delayed keeps the time of its promise. It has been waiting only since its delay was over.
const oldest = takesLong(
  statement(
    ({ queues }: Given<{ queues: string[] }>) => sql<Backlog>`
    select queue, coalesce(extract(epoch from clock_timestamp()) - oldest.since / 1000.0, 0)::float8 as seconds
    from unnest(${queues}::text[]) as queue
    left join lateral (
      select min(greatest(created_at, delay_until_epoch_ms)) as since from (
        select created_at, delay_until_epoch_ms from dbos.workflow_status
        where queue_name = queue and status = 'ENQUEUED'
        order by priority, created_at limit ${sql.lit(LOOKED_AT_MAX)}
      ) as first
    ) as oldest on true`,
  ),
)

/** How long the oldest job of each queue that could start has been waiting, in seconds; an empty queue's waits 0. */
export function waitingJobs(database: Database, queues: string[]) {
  return database.ask(oldest({ queues }))
}
