/** Due times and claims of schedules: one worker at a time runs a schedule. */
import { sql } from 'kysely'
import { isAlive } from '../db/claims.ts'
import type { Database } from '../db/database.ts'
import { type Given, statement } from '../db/statement.ts'

type ByWorker = { readonly workerId: string }

// A due time that is further away than the interval was set before the database's clock was set back.
// Every live worker may reclaim a schedule at once, also after an outage of Postgres: two concurrent runs do no harm.
const claim = statement(
  ({ workerId, names, seconds }: Given<ByWorker & { names: string[]; seconds: number[] }>) => sql<{
    name: string
  }>`
    update schedules set worker_id = ${workerId},
      due_at = clock_timestamp() + make_interval(secs => wanted.seconds)
    from unnest(${names}::text[], ${seconds}::float8[]) as wanted (name, seconds)
    where schedules.name = wanted.name
      and (due_at <= clock_timestamp() or due_at > clock_timestamp() + make_interval(secs => wanted.seconds))
      and (worker_id is null or worker_id = ${workerId} or not ${isAlive(sql`schedules.worker_id`)})
    returning schedules.name`,
)

type Claimable = { readonly name: string; readonly everySeconds: number }

/**
 * Claims the schedules that are due. A schedule that another live worker has claimed is not due, however long its run
 * takes. A worker keeps its claims between runs, because releasing them would cost a commit per run.
 */
export async function claimSchedules(
  database: Database,
  workerId: string,
  schedules: readonly Claimable[],
): Promise<string[]> {
  const names = schedules.map(({ name }) => name)
  const seconds = schedules.map(({ everySeconds }) => everySeconds)
  const claimed = await database.runUnscoped(claim({ workerId, names, seconds }))
  return claimed.map(({ name }) => name)
}

const release = statement(
  ({ workerId, names }: Given<ByWorker & { names: string[] }>) => sql<object>`
    update schedules set worker_id = null where name = any (${names}::text[]) and worker_id = ${workerId}`,
)

export async function releaseSchedules(database: Database, workerId: string, names: readonly string[]): Promise<void> {
  await database.runUnscoped(release({ workerId, names: [...names] }))
}

const insert = statement(
  ({ names }: Given<{ names: string[] }>) => sql<object>`
    insert into schedules (name, due_at) select unnest(${names}::text[]), clock_timestamp()
    on conflict do nothing`,
)

export async function insertSchedules(database: Database, schedules: readonly Claimable[]): Promise<void> {
  await database.runUnscoped(insert({ names: schedules.map(({ name }) => name) }))
}
