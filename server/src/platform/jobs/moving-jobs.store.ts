/** The jobs of one organization as the engine keeps them, to be read in one database and written in another. */
import { sql } from 'kysely'
import type { OrganizationId } from '../../kernel/ids.ts'
import type { Timestamp } from '../../kernel/time.ts'
import type { Database } from '../db/database.ts'
import { type Given, type Query, statement } from '../db/statement.ts'
import { hasFailed } from './finished-jobs.store.ts'

/** An attempt as the engine keeps it: its row, its input, how it ended, and what was noted of it. */
export type CarriedJob = {
  readonly id: string
  readonly job: object
  readonly input: object | null
  readonly output: object | null
  readonly notes: readonly object[] | null
}

/**
 * Said in two halves, because the engine has an index for each. The jobs of a week, of everybody,
 * are not to be read while callers wait.
 */
const isOpen = sql`(status in ('ENQUEUED', 'PENDING') or status = 'DELAYED')`
const ofOrganization = (id: unknown) => sql`queue_partition_key = ${id}`

export type Move = {
  readonly ofId: OrganizationId
  /** Where it is read. */
  readonly heldSince: Timestamp
  /** Since when objects of the organization have been copied. */
  readonly copiedSince: Timestamp
  /** The jobs that free what lies in storage. */
  readonly freeing: string[]
}

/** Laid aside because the organization is held, however long: where it arrives it can be done at once. */
const isResting = ({ heldSince }: Given<Move>) => sql`status = 'DELAYED' and (
  workflow_uuid ~ '/rest-[0-9]+$' or (
    created_at < extract(epoch from ${heldSince}::timestamptz) * 1000
    and updated_at >= extract(epoch from ${heldSince}::timestamptz) * 1000))`

/** Two databases differ by a second at most, and what is committed late bears the time of its beginning. */
const CLOCKS_SECONDS = 60

/**
 * It was done here, maybe after a copy was made of what it freed. An attempt of which something is
 * noted has failed or rested, and freed nothing.
 */
const hasFreed = ({ freeing, copiedSince }: Given<Move>) => sql`(
  status = 'SUCCESS' and name = any (${freeing}::text[])
  and completed_at >= ((extract(epoch from ${copiedSince}::timestamptz) - ${sql.lit(CLOCKS_SECONDS)}) * 1000)::bigint
  and not exists (select from dbos.operation_outputs note where note.workflow_uuid = one.workflow_uuid))`

const promisedAnew = sql`jsonb_build_object('status', 'ENQUEUED', 'delay_until_epoch_ms', null)`

// What is under way is nobody's where it arrives, as if its worker had given it back. Of an attempt
// that is carried those before it are as well: an id that were free there could be promised again,
// and what follows from it would be taken for this one.
const carried = statement(
  (given: Given<Move>) => sql<CarriedJob>`
    with recursive wanted as (
      select workflow_uuid as id, parent_workflow_id as before, case
          when ${hasFreed(given)} then ${promisedAnew}
            || '{"completed_at": null, "recovery_attempts": 0}'
          when status = 'PENDING' or ${isResting(given)} then ${promisedAnew}
          else '{}' end as changed
      from dbos.workflow_status one
      where ${ofOrganization(given.ofId)} and (${isOpen} or ${hasFailed} or ${hasFreed(given)})
      union
      select workflow_uuid, parent_workflow_id, '{}' from wanted
      join dbos.workflow_status on workflow_uuid = wanted.before
      where ${ofOrganization(given.ofId)} and status in ('SUCCESS', 'CANCELLED')
    )
    select wanted.id,
      to_jsonb(one) || changed || '{"executor_id": null, "owner_xid": null, "creator_xid": null, "started_at_epoch_ms": null}' as job,
      (select to_jsonb(input) from dbos.workflow_input input where input.workflow_uuid = wanted.id) as input,
      (select to_jsonb(ended) from dbos.workflow_output ended
        where ended.workflow_uuid = wanted.id and not changed ? 'status') as output,
      (select jsonb_agg(to_jsonb(note)) from dbos.operation_outputs note where note.workflow_uuid = wanted.id) as notes
    from wanted join dbos.workflow_status one on one.workflow_uuid = wanted.id`,
)

const command = <Row>(text: string): Query<Row> => ({ name: '', text, values: () => [] })

/**
 * All of them as they are at one moment, so many at a time. Workers go on meanwhile: an attempt
 * that ends promises the next under an id that may come before its own, so whoever looked for them
 * by their ids, a stretch at a time, could find neither.
 */
export async function eachCarriedJobs(
  database: Database,
  move: Move,
  limit: number,
  work: (jobs: readonly CarriedJob[]) => Promise<void>,
): Promise<void> {
  const { text, values } = carried(move)
  await database.forOrganization(move.ofId).transaction(async (tx) => {
    await tx.run({ name: '', text: `declare carried_jobs no scroll cursor for ${text}`, values })
    const next = command<CarriedJob>(`fetch ${limit} from carried_jobs`)
    for (;;) {
      const [jobs] = await tx.run(next)
      if (jobs.length > 0) await work(jobs)
      if (jobs.length < limit) return
    }
  })
}

// What an earlier visit of the organization left under the same id makes room.
const enter = statement(
  ({ jobs }: Given<{ jobs: string }>) => sql<{ id: string }>`
    with given as materialized (
      select id, job, input, output, notes
      from jsonb_to_recordset(${jobs}::jsonb) as given (id text, job jsonb, input jsonb, output jsonb, notes jsonb)
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
    notes as (
      insert into dbos.operation_outputs
      select row.* from given, jsonb_populate_recordset(null::dbos.operation_outputs, given.notes) as row
      where given.notes is not null
    )
    insert into dbos.workflow_status
    select row.* from given, jsonb_populate_record(null::dbos.workflow_status, given.job) as row
    returning workflow_uuid as id`,
)

const remove = statement(
  ({ ids }: Given<{ ids: string[] }>) => sql<object>`
    with inputs as (delete from dbos.workflow_input where workflow_uuid = any (${ids}::text[])),
    notes as (delete from dbos.operation_outputs where workflow_uuid = any (${ids}::text[])),
    outputs as (delete from dbos.workflow_output where workflow_uuid = any (${ids}::text[]))
    delete from dbos.workflow_status where workflow_uuid = any (${ids}::text[])`,
)

export async function replaceJobs(
  database: Database,
  ofId: OrganizationId,
  jobs: readonly CarriedJob[],
): Promise<void> {
  const ids = jobs.map(({ id }) => id)
  await database.forMover(ofId).run(remove({ ids }), enter({ jobs: JSON.stringify(jobs) }))
}

const cancel = statement(
  ({ ofId }: Given<{ ofId: OrganizationId }>) => sql<{ id: string }>`
    update dbos.workflow_status set status = 'CANCELLED',
      updated_at = (extract(epoch from now()) * 1000)::bigint,
      completed_at = (extract(epoch from now()) * 1000)::bigint
    where ${ofOrganization(ofId)} and (${isOpen} or ${hasFailed})
    returning workflow_uuid as id`,
)

/** Those that failed for good as well: whoever has them repeated has it done where they are now. */
export async function cancelOpenJobs(database: Database, ofId: OrganizationId): Promise<number> {
  return (await database.ask(cancel({ ofId }))).length
}

const some = statement(
  ({ ofId, limit }: Given<{ ofId: OrganizationId; limit: number }>) => sql<{ id: string }>`
    select workflow_uuid as id from dbos.workflow_status where ${ofOrganization(ofId)} limit ${limit}`,
)

/** Deletes some, whatever became of them; answers how many. */
export async function deleteSomeJobs(
  database: Database,
  ofId: OrganizationId,
  limit: number,
): Promise<number> {
  const ids = (await database.ask(some({ ofId, limit }))).map(({ id }) => id)
  if (ids.length > 0) await database.ask(remove({ ids }))
  return ids.length
}
