/** Delays jobs of suspended organizations, so that workers do not claim them in vain again and again. */
import { sql } from 'kysely'
import type { OrganizationDb } from '../../db/database.ts'
import { type Given, statement } from '../../db/statement.ts'

/** The delay equals the duration of the suspension so far: a short migration delays jobs briefly. */
const REST_SECONDS_MIN = 2
/** Longest delay before jobs resume after the suspension ends. */
const REST_SECONDS_MAX = 10
/** After a migration, the organization's jobs here are cancelled; jobs enqueued since will never run here. */
const GONE_REST_SECONDS = 3600

/** Per statement; the next job that is claimed in vain delays more. */
const JOBS_MAX = 1000

const rest = statement(
  ({ organizationId }: Given<object>) => sql<{ seconds: number }>`
    select case when is_gone then ${sql.lit(GONE_REST_SECONDS)} else least(${sql.lit(REST_SECONDS_MAX)},
      greatest(${sql.lit(REST_SECONDS_MIN)}, extract(epoch from now() - since))) end::float8 as seconds
    from held_organizations where organization_id = ${organizationId}`,
)

const delay = statement(
  ({ organizationId, queue, seconds }: Given<{ queue: string; seconds: number }>) => sql<object>`
    update dbos.workflow_status set status = 'DELAYED',
      delay_until_epoch_ms = ((extract(epoch from now()) + ${seconds}::float8) * 1000)::bigint,
      updated_at = (extract(epoch from now()) * 1000)::bigint
    where workflow_uuid in (
      select workflow_uuid from dbos.workflow_status
      where queue_name = ${queue} and status = 'ENQUEUED' and queue_partition_key = ${organizationId}
      limit ${sql.lit(JOBS_MAX)} for update skip locked
    )`,
)

/** How long to delay a job of a suspended organization. */
export async function findRestSeconds(db: OrganizationDb): Promise<number> {
  const [[found]] = await db.run(rest({}))
  return found?.seconds ?? REST_SECONDS_MIN
}

/** Delays the waiting jobs of a queue. */
export async function delayWaiting(
  db: OrganizationDb,
  queue: string,
  seconds: number,
): Promise<void> {
  await db.run(delay({ queue, seconds }))
}
