import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { dedicatedConnection, type Given, statement } from '../../db/statement.ts'

/** Only the beginning of a longer queue is read; the jobs there wait long enough to be noticed. */
const LOOKED_AT_MAX = 1000

export type Backlog = { readonly queue: string; readonly seconds: number }

// A delayed job keeps its creation time but has been waiting only since its delay ended.
const oldest = dedicatedConnection(
  statement(
    ({ queues }: Given<{ queues: readonly string[] }>) => sql<Backlog>`
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

/** Seconds that the oldest startable job of each queue has been waiting; 0 for an empty queue. */
export function waitingJobs(database: Database, queues: readonly string[]) {
  return database.runUnscoped(oldest({ queues }))
}
