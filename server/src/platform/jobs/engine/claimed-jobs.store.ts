/** Jobs that the engine has assigned to a worker. The engine does not detect that a worker has died. */
import { sql } from 'kysely'
import { type Claims, isAbandoned, isOwnedBy, release } from '../../db/claims.ts'
import type { Database } from '../../db/database.ts'
import { type Given, statement } from '../../db/statement.ts'

type ByWorker = { readonly workerId: string }

/** Releases jobs in the same way as the engine after a restart of the worker; the number of recoveries is kept. */
const jobs: Claims = {
  table: sql`dbos.workflow_status`,
  owner: sql`executor_id`,
  isClaimed: sql`status = 'PENDING' and queue_name is not null`,
  released: sql`status = 'ENQUEUED', owner_xid = null, started_at_epoch_ms = null,
    updated_at = (extract(epoch from now()) * 1000)::bigint`,
}

const releaseAbandoned = statement(
  ({ workerId }: Given<ByWorker>) => sql<{ id: string; worker: string }>`
    ${release(jobs, isAbandoned(jobs.owner, workerId))}
    returning workflow_uuid as id, executor_id as worker`,
)

/** Releases the jobs of workers with an expired lease. */
export function releaseJobsOfDeadWorkers(database: Database, workerId: string) {
  return database.runUnscoped(releaseAbandoned({ workerId }))
}

const leaveStatement = statement(
  ({ workerId }: Given<ByWorker>) => sql<object>`
    with ended as (delete from worker_leases where worker_id = ${workerId})
    ${release(jobs, sql`executor_id = ${workerId}`)}`,
)

/** Ends the lease of this worker and releases its unfinished jobs, so that other workers run them at once. */
export async function leave(database: Database, workerId: string): Promise<void> {
  await database.runUnscoped(leaveStatement({ workerId }))
}

const claimed = statement(
  ({ workerId }: Given<ByWorker>) => sql<{ id: string }>`
    select workflow_uuid as id from dbos.workflow_status where ${isOwnedBy(jobs, workerId)}`,
)

/** The jobs that the engine has assigned to this worker. */
export async function selectClaimedJobs(database: Database, workerId: string): Promise<string[]> {
  return (await database.runUnscoped(claimed({ workerId }))).map(({ id }) => id)
}

type LostJobs = { readonly ids: string[]; readonly knownNames: string[] }

// A job without a handler in this worker was not started, so it must not count as a recovery: otherwise the job would
// fail permanently before a newer worker, which has the handler, could start it.
const releaseLost = statement(({ workerId, ids, knownNames }: Given<ByWorker & LostJobs>) => {
  const released = sql`${jobs.released},
    recovery_attempts = recovery_attempts - (name <> all (${knownNames}::text[]))::int`
  return sql<object>`${release(
    { ...jobs, released },
    sql`executor_id = ${workerId} and workflow_uuid = any (${ids}::text[])`,
  )}`
})

/** Releases jobs that this worker does not run; `knownNames` are the jobs that it can run. */
export async function releaseLostJobs(database: Database, workerId: string, lost: LostJobs): Promise<void> {
  await database.runUnscoped(releaseLost({ workerId, ...lost }))
}
