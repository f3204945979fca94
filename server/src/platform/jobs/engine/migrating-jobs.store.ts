/** The jobs of one organization as the engine stores them, read from one database and written to another. */
import { sql } from 'kysely'
import type { OrganizationId } from '../../../kernel/ids.ts'
import type { Timestamp } from '../../../kernel/time.ts'
import type { Database } from '../../db/database.ts'
import { type Given, type Query, statement } from '../../db/statement.ts'
import { hasFailed } from './finished-jobs.store.ts'

/** An attempt as the engine stores it: row, input, result, and recorded steps. */
type CopiedJob = {
  readonly id: string
  readonly job: object
  readonly input: object | null
  readonly output: object | null
  readonly steps: readonly object[] | null
}

/**
 * Whether a job is open. Written as two conditions, because the engine has an index for each. Scanning a week of jobs
 * of all organizations would take too long while callers wait.
 */
const isOpen = sql`(status in ('ENQUEUED', 'PENDING') or status = 'DELAYED')`
const ofOrganization = (id: unknown) => sql`queue_partition_key = ${id}`

export type Move = {
  readonly organizationId: OrganizationId
  /** Start of the suspension in the source database. */
  readonly suspendedSince: Timestamp
  /** When copying objects of the organization started. */
  readonly copiedSince: Timestamp
  /** Names of the jobs that delete objects from storage. */
  readonly deletionJobs: string[]
}

/**
 * Whether the job was delayed only because the organization is suspended, so that it can start at once in the target.
 */
const isDelayedBySuspension = ({ suspendedSince }: Given<Move>) => sql`status = 'DELAYED' and (
  workflow_uuid ~ '/rest-[0-9]+$' or (
    created_at < extract(epoch from ${suspendedSince}::timestamptz) * 1000
    and updated_at >= extract(epoch from ${suspendedSince}::timestamptz) * 1000))`

/**
 * Tolerance for comparing times of two databases: their clocks differ by up to a second, and a transaction that commits
 * late has the time of its start.
 */
const CLOCKS_SECONDS = 60

/**
 * Whether the job was completed here, possibly after the objects it deleted were copied. An attempt with recorded steps
 * has failed or was delayed, and deleted nothing.
 */
const hasDeletedObjects = ({ deletionJobs, copiedSince }: Given<Move>) => sql`(
  status = 'SUCCESS' and name = any (${deletionJobs}::text[])
  and completed_at >= ((extract(epoch from ${copiedSince}::timestamptz) - ${sql.lit(CLOCKS_SECONDS)}) * 1000)::bigint
  and not exists (select from dbos.operation_outputs step where step.workflow_uuid = one.workflow_uuid))`

const enqueuedAgain = sql`jsonb_build_object('status', 'ENQUEUED', 'delay_until_epoch_ms', null)`

// Running jobs arrive unclaimed, as if their worker had released them. The attempts before a copied attempt are copied
// too: otherwise their ids could be enqueued again, and the copied attempt would be mistaken for the next attempt of
// the new job.
const copied = statement(
  (given: Given<Move>) => sql<CopiedJob>`
    with recursive wanted as (
      select workflow_uuid as id, parent_workflow_id as before, case
          when ${hasDeletedObjects(given)} then ${enqueuedAgain}
            || '{"completed_at": null, "recovery_attempts": 0}'
          when status = 'PENDING' or ${isDelayedBySuspension(given)} then ${enqueuedAgain}
          else '{}' end as changed
      from dbos.workflow_status one
      where ${ofOrganization(given.organizationId)} and (${isOpen} or ${hasFailed} or ${hasDeletedObjects(given)})
      union
      select workflow_uuid, parent_workflow_id, '{}' from wanted
      join dbos.workflow_status on workflow_uuid = wanted.before
      where ${ofOrganization(given.organizationId)} and status in ('SUCCESS', 'CANCELLED')
    )
    select wanted.id,
      to_jsonb(one) || changed || '{"executor_id": null, "owner_xid": null, "creator_xid": null, "started_at_epoch_ms": null}' as job,
      (select to_jsonb(input) from dbos.workflow_input input where input.workflow_uuid = wanted.id) as input,
      (select to_jsonb(ended) from dbos.workflow_output ended
        where ended.workflow_uuid = wanted.id and not changed ? 'status') as output,
      (select jsonb_agg(to_jsonb(step)) from dbos.operation_outputs step where step.workflow_uuid = wanted.id) as steps
    from wanted join dbos.workflow_status one on one.workflow_uuid = wanted.id`,
)

const command = <Row>(text: string): Query<Row> => ({ name: '', text, values: () => [] })

/**
 * Reads all jobs from one snapshot, in batches, with a cursor. Workers keep running jobs meanwhile: an attempt that
 * ends enqueues the next one under an id that may sort before its own, so paging by id could miss both.
 */
export async function eachCopiedJobs(
  database: Database,
  { limit, ...move }: Move & { readonly limit: number },
  work: (jobs: readonly CopiedJob[]) => Promise<void>,
): Promise<void> {
  const { text, values } = copied(move)
  await database.forOrganization(move.organizationId).transaction(async (tx) => {
    await tx.run({ name: '', text: `declare copied_jobs no scroll cursor for ${text}`, values })
    const next = command<CopiedJob>(`fetch ${limit} from copied_jobs`)
    for (;;) {
      const [jobs] = await tx.run(next)
      if (jobs.length > 0) await work(jobs)
      if (jobs.length < limit) return
    }
  })
}

const insert = statement(
  ({ jobs }: Given<{ jobs: string }>) => sql<{ id: string }>`
    with given as materialized (
      select id, job, input, output, steps
      from jsonb_to_recordset(${jobs}::jsonb) as given (id text, job jsonb, input jsonb, output jsonb, steps jsonb)
    ),
    inputs as (
      insert into dbos.workflow_input
      select row.* from given, jsonb_populate_record(null::dbos.workflow_input, given.input) as row
      where given.input is not null
    ),
    outputs as (
      insert into dbos.workflow_output
      select row.* from given, jsonb_populate_record(null::dbos.workflow_output, given.output) as row
      where given.output is not null
    ),
    steps as (
      insert into dbos.operation_outputs
      select row.* from given, jsonb_populate_recordset(null::dbos.operation_outputs, given.steps) as row
      where given.steps is not null
    )
    insert into dbos.workflow_status
    select row.* from given, jsonb_populate_record(null::dbos.workflow_status, given.job) as row
    returning workflow_uuid as id`,
)

const remove = statement(
  ({ ids }: Given<{ ids: string[] }>) => sql<object>`
    with inputs as (delete from dbos.workflow_input where workflow_uuid = any (${ids}::text[])),
    steps as (delete from dbos.operation_outputs where workflow_uuid = any (${ids}::text[])),
    outputs as (delete from dbos.workflow_output where workflow_uuid = any (${ids}::text[]))
    delete from dbos.workflow_status where workflow_uuid = any (${ids}::text[])`,
)

/** Replaces jobs with the same ids, left from an earlier time when this cell hosted the organization. */
export async function replaceJobs(
  database: Database,
  organizationId: OrganizationId,
  jobs: readonly CopiedJob[],
): Promise<void> {
  const ids = jobs.map(({ id }) => id)
  await database.forMigration(organizationId).run(remove({ ids }), insert({ jobs: JSON.stringify(jobs) }))
}

const cancel = statement(
  ({ id }: Given<{ id: OrganizationId }>) => sql<{ id: string }>`
    update dbos.workflow_status set status = 'CANCELLED',
      updated_at = (extract(epoch from now()) * 1000)::bigint,
      completed_at = (extract(epoch from now()) * 1000)::bigint
    where ${ofOrganization(id)} and (${isOpen} or ${hasFailed})
    returning workflow_uuid as id`,
)

/** Cancels open and failed jobs. The failed ones can be retried in the organization's new cell. */
export async function cancelOpenJobs(database: Database, id: OrganizationId): Promise<number> {
  return (await database.runUnscoped(cancel({ id }))).length
}

const some = statement(
  ({ id, limit }: Given<{ id: OrganizationId; limit: number }>) => sql<{ id: string }>`
    select workflow_uuid as id from dbos.workflow_status where ${ofOrganization(id)} limit ${limit}`,
)

const someEnded = statement(
  ({ id, limit }: Given<{ id: OrganizationId; limit: number }>) => sql<{ id: string }>`
    select workflow_uuid as id from dbos.workflow_status
    where ${ofOrganization(id)} and status <> 'PENDING' limit ${limit} for update skip locked`,
)

/** Deletes some of the organization's jobs that are not running. Returns their number. */
export async function deleteSomeEndedJobs(database: Database, id: OrganizationId, limit: number): Promise<number> {
  return database.forOrganization(id).transaction(async (tx) => {
    const [jobs] = await tx.run(someEnded({ id, limit }))
    if (jobs.length > 0) await tx.run(remove({ ids: jobs.map((job) => job.id) }))
    return jobs.length
  })
}

/** Whether the engine has stored anything for the organization. */
export async function hasJobs(database: Database, id: OrganizationId): Promise<boolean> {
  return (await database.runUnscoped(some({ id, limit: 1 }))).length > 0
}

/** Deletes some of the organization's jobs, in any state. Returns their number. */
export async function deleteSomeJobs(database: Database, id: OrganizationId, limit: number): Promise<number> {
  const ids = (await database.runUnscoped(some({ id, limit }))).map((job) => job.id)
  if (ids.length > 0) await database.runUnscoped(remove({ ids }))
  return ids.length
}
