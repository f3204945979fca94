/** How many jobs and organizations wait in the queues, and how long. */
import { sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { dedicatedConnection, type Given, statement } from '../../../db/statement.ts'

/**
 * Maximum number of jobs to count per queue. No queue gets more workers than this, so a higher count would only cost
 * time.
 */
const JOBS_COUNTED_MAX = 1000

/**
 * Maximum number of jobs to read per queue. In a longer queue, the jobs at the head have waited long enough for an
 * alert.
 */
const JOBS_READ_MAX = 1000

/** Maximum number of organizations to count. A higher number would not change the polling interval. */
const ORGANIZATIONS_COUNTED_MAX = 10_000

type Queues = { readonly queues: readonly string[] }
type QueueValue = { readonly queue: string; readonly value: number }

// Running jobs count too; otherwise autoscaling would remove the workers that run them.
const open = dedicatedConnection(
  statement(
    ({ queues }: Given<Queues>) => sql<QueueValue>`
    select queue, (
      select count(*)::int from (
        select from dbos.workflow_status
        where queue_name = queue and status in ('ENQUEUED', 'PENDING')
        limit ${sql.lit(JOBS_COUNTED_MAX)}
      ) as counted
    ) as value
    from unnest(${queues}::text[]) as queue`,
  ),
)

/** Number of startable and running jobs of each queue, counted up to a thousand. Delayed ones are excluded. */
export function countOpenJobs(database: Database, queues: readonly string[]) {
  return database.runUnscoped(open({ queues }))
}

// A delayed job keeps its creation time but has been waiting only since its delay ended.
const oldest = dedicatedConnection(
  statement(
    ({ queues }: Given<Queues>) => sql<QueueValue>`
    select queue, coalesce(extract(epoch from clock_timestamp()) - oldest.since / 1000.0, 0)::float8 as value
    from unnest(${queues}::text[]) as queue
    left join lateral (
      select min(greatest(created_at, delay_until_epoch_ms)) as since from (
        select created_at, delay_until_epoch_ms from dbos.workflow_status
        where queue_name = queue and status = 'ENQUEUED'
        order by priority, created_at limit ${sql.lit(JOBS_READ_MAX)}
      ) as first
    ) as oldest on true`,
  ),
)

/** Seconds that the oldest startable job of each queue has been waiting; 0 for an empty queue. */
export function oldestWaits(database: Database, queues: readonly string[]) {
  return database.runUnscoped(oldest({ queues }))
}

// Like the engine, seeks the next organization after each one, with the index for claiming jobs.
const waiting = statement(
  ({ queues }: Given<Queues>) => sql<QueueValue>`
    select queue, (
      with recursive organizations as (
        select min(queue_partition_key) as id, 1 as number from dbos.workflow_status
        where queue_name = queue and status = 'ENQUEUED'
        union all
        select (select min(queue_partition_key) from dbos.workflow_status
          where queue_name = queue and status = 'ENQUEUED' and queue_partition_key > organizations.id), number + 1
        from organizations where id is not null and number < ${sql.lit(ORGANIZATIONS_COUNTED_MAX)}
      )
      select count(id)::int from organizations
    ) as value
    from unnest(${queues}::text[]) as queue`,
)

/** Number of organizations with startable jobs, by queue. */
export function countWaitingOrganizations(database: Database, queues: readonly string[]) {
  return database.runUnscoped(waiting({ queues }))
}

// The limits make Postgres stop at the first entry of an index, however many jobs wait.
const startable = statement(
  ({ queues, now }: Given<Queues & { readonly now: number }>) => sql<object>`
    select where (select true from unnest(${queues}::text[]) as queue
        where (select true from dbos.workflow_status where queue_name = queue and status = 'ENQUEUED' limit 1) limit 1)
      or (select true from dbos.workflow_status
        where status = 'DELAYED' and delay_until_epoch_ms <= ${now}::bigint limit 1)`,
)

/** Whether a job in one of the queues can be started, or the delay of a job in any queue has ended. */
export async function hasStartableJobs(database: Database, queues: readonly string[]): Promise<boolean> {
  // The engine ends delays by the clock of the workers, not of the database.
  return (await database.runUnscoped(startable({ queues, now: Date.now() }))).length > 0
}
