import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { type Given, statement } from '../../db/statement.ts'
import { isAlive } from '../../db/worker-liveness.ts'

/** Beyond this, the polling interval stays the same. */
const ORGANIZATIONS_COUNTED_MAX = 10_000

// As the engine does it: seeks the next organization after each, by the index used for claiming jobs.
const waiting = statement(
  ({ queue }: Given<{ queue: string }>) => sql<{ count: number }>`
    with recursive organizations as (
      select min(queue_partition_key) as id, 1 as number from dbos.workflow_status
      where queue_name = ${queue} and status = 'ENQUEUED'
      union all
      select (select min(queue_partition_key) from dbos.workflow_status
        where queue_name = ${queue} and status = 'ENQUEUED' and queue_partition_key > organizations.id), number + 1
      from organizations where id is not null and number < ${sql.lit(ORGANIZATIONS_COUNTED_MAX)}
    )
    select count(id)::int as count from organizations`,
)

/** Number of organizations with startable jobs in the queue. */
export async function countWaitingOrganizations(
  database: Database,
  queue: string,
): Promise<number> {
  return (await database.runUnscoped(waiting({ queue })))[0]?.count ?? 0
}

export type LivingWorker = {
  readonly id: string
  /** Null for a worker of an earlier version, which does not store them. */
  readonly queues: readonly string[] | null
}

/** More than any installation runs. */
const WORKERS_LISTED_MAX = 1000

const living = statement(
  (_: Given<object>) => sql<LivingWorker>`
    select worker_id as id, queues from worker_leases
    where ${isAlive(sql`worker_id`)} order by worker_id limit ${sql.lit(WORKERS_LISTED_MAX)}`,
)

export const listWorkers = (database: Database): Promise<LivingWorker[]> =>
  database.runUnscoped(living({}))

const alive = statement(
  (_: Given<object>) => sql<{ count: number }>`
    select count(*)::int as count from worker_leases where ${isAlive(sql`worker_id`)}`,
)

export async function countWorkers(database: Database): Promise<number> {
  return (await database.runUnscoped(alive({})))[0]?.count ?? 0
}
