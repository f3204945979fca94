/** Finished attempts, as the engine stores them. */
import { sql } from 'kysely'
import type { Database, OrganizationDb } from '../../db/database.ts'
import { type Given, statement } from '../../db/statement.ts'

/** Completed jobs are kept for diagnosis; afterwards the id may be enqueued again. */
const KEPT_DAYS = 7

/** Failed jobs are kept so that operators can retry them after fixing the cause. */
const FAILED_KEPT_DAYS = 30

/** Statuses of jobs that have used all their attempts or crashed their worker too often. */
export const permanentFailures = ['ERROR', 'MAX_RECOVERY_ATTEMPTS_EXCEEDED'] as const

export const hasFailed = sql`status in (${sql.join(permanentFailures.map((status) => sql.lit(status)))})`

const millisecondsNow = sql`(extract(epoch from now()) * 1000)::bigint`
const daysAgo = (days: number) => sql`${millisecondsNow} - ${sql.lit(days * 86_400_000)}`

// An attempt is kept as long as the one after it. Otherwise its id could be enqueued again, and the second attempt
// of that job would be mistaken for the old one.
const expired = statement(
  ({ limit }: Given<{ limit: number }>) => sql<{ id: string }>`
    select workflow_uuid as id from dbos.workflow_status as one
    where completed_at < ${daysAgo(KEPT_DAYS)}
      and (not ${hasFailed} or completed_at < ${daysAgo(FAILED_KEPT_DAYS)})
      and not exists (select from dbos.workflow_status next where next.parent_workflow_id = one.workflow_uuid)
    order by completed_at limit ${limit}`,
)

export async function selectExpired(database: Database, limit: number): Promise<string[]> {
  return (await database.runUnscoped(expired({ limit }))).map(({ id }) => id)
}

/** Cancels a failed job. Keeps its row, because the id must stay reserved while the job runs again. */
const cancelFailed = statement(
  ({ id }: Given<{ id: string }>) => sql<{ id: string }>`
    update dbos.workflow_status set status = 'CANCELLED', updated_at = ${millisecondsNow}
    where workflow_uuid = ${id} and ${hasFailed}
    returning workflow_uuid as id`,
)

/** Marks a failed job as retried. Returns false if a concurrent call has already done that. */
export async function markRetried(tx: OrganizationDb, id: string): Promise<boolean> {
  const [rows] = await tx.run(cancelFailed({ id }))
  return rows.length > 0
}

const clock = statement(
  (_: Given<object>) => sql<{ now: string }>`
    select to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as now`,
)

/** Returns the database's time, which is also used for the end of jobs. */
export async function readClock(database: Database): Promise<string | undefined> {
  return (await database.runUnscoped(clock({})))[0]?.now
}
