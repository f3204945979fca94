import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { type Given, statement } from '../db/statement.ts'

const oldest = statement(
  ({ queues }: Given<{ queues: string[] }>) => sql<{ queue: string; seconds: number }>`
    select queue, coalesce(extract(epoch from clock_timestamp()) - first.created_at / 1000.0, 0)::float8 as seconds
    from unnest(${queues}::text[]) as queue
    left join lateral (
      select created_at from dbos.workflow_status
      where queue_name = queue and status = 'ENQUEUED'
      order by priority, created_at limit 1
    ) as first on true`,
)

/** How long the first job of each queue has been waiting, in seconds; an empty queue's waits 0. */
export function waitingSeconds(database: Database, queues: string[]) {
  return database.ask(oldest({ queues }))
}
