/**
 * Worker leases. The engine does not notice that a worker is gone, so each worker renews a lease, by the database's
 * clock, and jobs of workers with an expired lease are released.
 */
import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { type Given, statement } from '../db/statement.ts'
import { isAlive, mayDeclareDead } from '../db/worker-liveness.ts'

/** For leases of workers that never came back. */
const FORGOTTEN_AFTER_DAYS = 1

type ByWorker = { readonly workerId: string }

type Renewal = { readonly queues: string[]; readonly leaseSeconds: number }

const renew = statement(
  ({ workerId, queues, leaseSeconds }: Given<ByWorker & Renewal>) => sql<object>`
    insert into worker_leases as mine (worker_id, seen_at, steady_since, queues, lease_seconds)
    values (${workerId}, clock_timestamp(), clock_timestamp(), ${queues}::text[], ${leaseSeconds}::float8)
    on conflict (worker_id) do update set
      seen_at = excluded.seen_at, queues = excluded.queues, lease_seconds = excluded.lease_seconds,
      steady_since = case when mine.seen_at > excluded.seen_at - make_interval(secs => mine.lease_seconds)
        then mine.steady_since else excluded.seen_at end`,
)

/** `queues` are those that the worker serves. */
export async function renewLease(
  database: Database,
  workerId: string,
  queues: readonly string[],
  leaseSeconds: number,
): Promise<void> {
  await database.runUnscoped(renew({ workerId, queues: [...queues], leaseSeconds }))
}

/** Releases jobs as the engine does after a restart of their worker. Keeps the number of recoveries unless given. */
const giveBack = (takeUps = sql`recovery_attempts`) => sql`
  update dbos.workflow_status set status = 'ENQUEUED', owner_xid = null, started_at_epoch_ms = null,
    recovery_attempts = ${takeUps}, updated_at = (extract(epoch from now()) * 1000)::bigint
  where status = 'PENDING' and queue_name is not null`

const giveBackOfTheDead = statement(
  ({ workerId }: Given<ByWorker>) => sql<{ id: string; worker: string }>`
    ${giveBack()} and not ${isAlive(sql`executor_id`)} and ${mayDeclareDead(sql`${workerId}`)}
    returning workflow_uuid as id, executor_id as worker`,
)

/** Releases the jobs of workers with an expired lease. */
export function returnJobsOfTheDead(database: Database, workerId: string) {
  return database.runUnscoped(giveBackOfTheDead({ workerId }))
}

const ownJobs = statement(
  ({ workerId }: Given<ByWorker>) => sql<{ id: string }>`
    select workflow_uuid as id from dbos.workflow_status
    where status = 'PENDING' and queue_name is not null and executor_id = ${workerId}`,
)

/** The jobs that the engine has assigned to this worker. */
export async function selectOwnJobs(database: Database, workerId: string): Promise<string[]> {
  return (await database.runUnscoped(ownJobs({ workerId }))).map(({ id }) => id)
}

type Strays = { readonly ids: string[]; readonly knownNames: string[] }

// A job that this worker does not know was not started, so it must not count as a recovery: otherwise the job would
// be given up before a newer worker, which knows it, could start it.
const giveBackSome = statement(
  ({ workerId, ids, knownNames }: Given<ByWorker & Strays>) => sql<object>`
    ${giveBack(sql`recovery_attempts - (name <> all (${knownNames}::text[]))::int`)}
      and executor_id = ${workerId} and workflow_uuid = any (${ids}::text[])`,
)

/** Releases jobs that this worker does not run; `knownNames` are the jobs that it can run. */
export async function returnOwnJobs(
  database: Database,
  workerId: string,
  strays: Strays,
): Promise<void> {
  await database.runUnscoped(giveBackSome({ workerId, ...strays }))
}

const giveBackOwn = statement(
  ({ workerId }: Given<ByWorker>) => sql<object>`
    with left_off as (delete from worker_leases where worker_id = ${workerId})
    ${giveBack()} and executor_id = ${workerId}`,
)

/** Ends the lease and releases the unfinished jobs, so that other workers run them at once. */
export async function endLease(database: Database, workerId: string): Promise<void> {
  await database.runUnscoped(giveBackOwn({ workerId }))
}

const forget = statement(
  (_: Given<object>) => sql<object>`
    delete from worker_leases
    where seen_at < clock_timestamp() - make_interval(days => ${sql.lit(FORGOTTEN_AFTER_DAYS)})`,
)

export async function forgetOldLeases(database: Database): Promise<void> {
  await database.runUnscoped(forget({}))
}
