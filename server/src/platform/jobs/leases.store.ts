/** Worker leases, renewed by heartbeats, by the database's clock. db/claims.ts has the conditions on them. */
import { sql } from 'kysely'
import { isAlive } from '../db/claims.ts'
import type { Database } from '../db/database.ts'
import { type Given, statement } from '../db/statement.ts'

/** How long leases of dead workers are kept. */
const KEPT_DAYS = 1

/** Upper limit of listed workers; no installation runs more. */
const WORKERS_LISTED_MAX = 1000

type Lease = {
  readonly workerId: string
  /** The queues that the worker serves. */
  readonly queues: readonly string[]
  readonly leaseSeconds: number
}

const renew = statement(
  ({ workerId, queues, leaseSeconds }: Given<Lease>) => sql<object>`
    insert into worker_leases as mine (worker_id, seen_at, steady_since, queues, lease_seconds)
    values (${workerId}, clock_timestamp(), clock_timestamp(), ${queues}::text[], ${leaseSeconds}::float8)
    on conflict (worker_id) do update set
      seen_at = excluded.seen_at, queues = excluded.queues, lease_seconds = excluded.lease_seconds,
      steady_since = case when mine.seen_at > excluded.seen_at - make_interval(secs => mine.lease_seconds)
          and mine.seen_at < excluded.seen_at + make_interval(secs => mine.lease_seconds)
        then least(mine.steady_since, excluded.seen_at) else excluded.seen_at end`,
)

export async function renewLease(database: Database, lease: Lease): Promise<void> {
  await database.runUnscoped(renew({ ...lease, queues: [...lease.queues] }))
}

const deleteOld = statement(
  (_: Given<object>) => sql<object>`
    delete from worker_leases
    where seen_at < clock_timestamp() - make_interval(days => ${sql.lit(KEPT_DAYS)})`,
)

export async function deleteOldLeases(database: Database): Promise<void> {
  await database.runUnscoped(deleteOld({}))
}

export type LiveWorker = {
  readonly id: string
  /** Queues that the worker serves; null for a worker of an earlier version, which does not store them. */
  readonly queues: readonly string[] | null
}

const live = statement(
  (_: Given<object>) => sql<LiveWorker>`
    select worker_id as id, queues from worker_leases
    where ${isAlive(sql`worker_leases.worker_id`)} order by worker_id limit ${sql.lit(WORKERS_LISTED_MAX)}`,
)

export const listWorkers = (database: Database): Promise<LiveWorker[]> => database.runUnscoped(live({}))
