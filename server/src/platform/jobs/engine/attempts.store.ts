/** Recorded results of unfinished attempts, and delays of suspended organizations. */
import { sql } from 'kysely'
import type { OrganizationDb } from '../../db/database.ts'
import { type Given, statement } from '../../db/statement.ts'
import { suspendedQuery } from '../../db/suspension.ts'

/**
 * Minimum delay of a job while its organization is suspended. The delay equals the duration of the suspension so far,
 * so a short migration delays jobs only briefly.
 */
const DELAY_SECONDS_MIN = 2
/** Maximum delay of a job, so that it starts soon after the suspension of its organization ends. */
const DELAY_SECONDS_MAX = 10
/** Delay of jobs that were enqueued after the organization was migrated away. They never run in this cell. */
const MIGRATED_DELAY_SECONDS = 3600

/**
 * Maximum number of jobs that one statement delays. If more are waiting, the next job that a worker claims delays
 * further ones.
 */
const JOBS_MAX = 1000

const firstOperation = statement(
  ({ id }: Given<{ id: string }>) => sql<{ isFailure: boolean }>`
    select error is not null as "isFailure" from dbos.operation_outputs
    where workflow_uuid = ${id} and function_id = 0`,
)

/**
 * The result that an attempt recorded before its worker died: it failed, or was delayed by a suspension. Undefined if
 * it recorded none.
 */
type Recorded = 'failure' | 'delay' | undefined

/** Reads the recorded result of an attempt, and whether its organization is suspended. */
export async function findAttempt(db: OrganizationDb, id: string) {
  const [[operation], suspensions] = await db.run(firstOperation({ id }), suspendedQuery({}))
  const recorded: Recorded = operation && (operation.isFailure ? 'failure' : 'delay')
  return { recorded, isSuspended: suspensions.length > 0 }
}

const suspensionDelay = statement(
  ({ organizationId }: Given<object>) => sql<{ seconds: number }>`
    select case when is_gone then ${sql.lit(MIGRATED_DELAY_SECONDS)} else least(${sql.lit(DELAY_SECONDS_MAX)},
      greatest(${sql.lit(DELAY_SECONDS_MIN)}, extract(epoch from now() - since))) end::float8 as seconds
    from held_organizations where organization_id = ${organizationId}`,
)

const delay = statement(
  ({ organizationId, queue, until }: Given<{ queue: string; until: number }>) => sql<object>`
    update dbos.workflow_status set status = 'DELAYED', delay_until_epoch_ms = ${until}::bigint,
      updated_at = (extract(epoch from now()) * 1000)::bigint
    where workflow_uuid in (
      select workflow_uuid from dbos.workflow_status
      where queue_name = ${queue} and status = 'ENQUEUED' and queue_partition_key = ${organizationId}
      limit ${sql.lit(JOBS_MAX)} for update skip locked
    )`,
)

/** How long to delay a job of a suspended organization. */
export async function findDelaySeconds(db: OrganizationDb): Promise<number> {
  const [[found]] = await db.run(suspensionDelay({}))
  return found?.seconds ?? DELAY_SECONDS_MIN
}

/**
 * Delays the organization's waiting jobs in a queue, so that workers do not claim them again and again without effect.
 */
export async function delayWaitingJobs(db: OrganizationDb, queue: string, seconds: number): Promise<void> {
  // The engine ends delays by the clock of the workers, not of the database.
  await db.run(delay({ queue, until: Math.round(Date.now() + seconds * 1000) }))
}
