/** Jobs of organizations that are held: they rest, so that nobody takes them up in vain again and again. */
import { sql } from 'kysely'
import type { OrganizationDb } from '../db/database.ts'
import { type Given, statement } from '../db/statement.ts'

/** As long as it has been held: a move that takes a moment delays a job by a moment. */
const REST_SECONDS_MIN = 2
/** So long jobs wait at most, once it is released. */
const REST_SECONDS_MAX = 10
/** Whoever moved the organization has cancelled its jobs here; what was promised since has nobody to wait for. */
const GONE_REST_SECONDS = 3600

/** At a time; the next that is taken up in vain has more laid aside. */
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

/** For how long a job of the organization is to rest, if it is held. */
export async function findRestSeconds(db: OrganizationDb): Promise<number> {
  const [[found]] = await db.run(rest({}))
  return found?.seconds ?? REST_SECONDS_MIN
}

/** Lays aside what waits in a queue. */
export async function delayWaiting(
  db: OrganizationDb,
  queue: string,
  seconds: number,
): Promise<void> {
  await db.run(delay({ queue, seconds }))
}
