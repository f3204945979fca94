/**
 * Who works. The engine does not notice that a worker is gone, so each one gives a sign of life, by the
 * database's clock, and jobs of those that fell silent are given back.
 */
import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { type Given, statement } from '../db/statement.ts'
import { isAlive, lease, mayJudge } from '../db/worker-life.ts'

/** Leases of workers that never came back. */
const FORGOTTEN_AFTER_DAYS = 1

type ByWorker = { readonly workerId: string }

const renew = statement(
  ({ workerId, queues }: Given<ByWorker & { readonly queues: string[] }>) => sql<object>`
    insert into worker_leases as mine (worker_id, seen_at, steady_since, queues)
    values (${workerId}, clock_timestamp(), clock_timestamp(), ${queues}::text[])
    on conflict (worker_id) do update set
      seen_at = excluded.seen_at, queues = excluded.queues,
      steady_since = case when mine.seen_at > excluded.seen_at - ${lease}
        then mine.steady_since else excluded.seen_at end`,
)

/** `queues` are those that it takes up. */
export async function renewLease(
  database: Database,
  workerId: string,
  queues: readonly string[],
): Promise<void> {
  await database.ask(renew({ workerId, queues: [...queues] }))
}

/**
 * As the engine itself gives back what a worker left before a restart: how often a job was taken up
 * is kept, unless told.
 */
const giveBack = (takeUps = sql`recovery_attempts`) => sql`
  update dbos.workflow_status set status = 'ENQUEUED', owner_xid = null, started_at_epoch_ms = null,
    recovery_attempts = ${takeUps}, updated_at = (extract(epoch from now()) * 1000)::bigint
  where status = 'PENDING' and queue_name is not null`

const giveBackOfTheDead = statement(
  ({ workerId }: Given<ByWorker>) => sql<{ id: string; worker: string }>`
    ${giveBack()} and not ${isAlive(sql`executor_id`)} and ${mayJudge(sql`${workerId}`)}
    returning workflow_uuid as id, executor_id as worker`,
)

/** Gives back the jobs of workers that fell silent. */
export function returnJobsOfTheDead(database: Database, workerId: string) {
  return database.ask(giveBackOfTheDead({ workerId }))
}

const ownJobs = statement(
  ({ workerId }: Given<ByWorker>) => sql<{ id: string }>`
    select workflow_uuid as id from dbos.workflow_status
    where status = 'PENDING' and queue_name is not null and executor_id = ${workerId}`,
)

/** What the engine believes that this worker has in hand. */
export async function selectOwnJobs(database: Database, workerId: string): Promise<string[]> {
  return (await database.ask(ownJobs({ workerId }))).map(({ id }) => id)
}

type Strays = { readonly ids: string[]; readonly knownNames: string[] }

// One that this worker does not know was not taken up: with each round it would come closer to being given up, and the
// newer worker that knows it would never begin it.
const giveBackSome = statement(
  ({ workerId, ids, knownNames }: Given<ByWorker & Strays>) => sql<object>`
    ${giveBack(sql`recovery_attempts - (name <> all (${knownNames}::text[]))::int`)}
      and executor_id = ${workerId} and workflow_uuid = any (${ids}::text[])`,
)

/** Gives back jobs that this worker has not in hand; `knownNames` are those of the jobs that it can do. */
export async function returnOwnJobs(
  database: Database,
  workerId: string,
  strays: Strays,
): Promise<void> {
  await database.ask(giveBackSome({ workerId, ...strays }))
}

const giveBackOwn = statement(
  ({ workerId }: Given<ByWorker>) => sql<object>`
    with left_off as (delete from worker_leases where worker_id = ${workerId})
    ${giveBack()} and executor_id = ${workerId}`,
)

/** Says good-bye: what this worker leaves unfinished is taken up by another at once. */
export async function endLease(database: Database, workerId: string): Promise<void> {
  await database.ask(giveBackOwn({ workerId }))
}

const forget = statement(
  (_: Given<object>) => sql<object>`
    delete from worker_leases
    where seen_at < clock_timestamp() - make_interval(days => ${sql.lit(FORGOTTEN_AFTER_DAYS)})`,
)

export async function forgetOldLeases(database: Database): Promise<void> {
  await database.ask(forget({}))
}
