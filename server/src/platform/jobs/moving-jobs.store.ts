/** The jobs of one organization as the engine keeps them, to be read in one database and written in another. */
import { sql } from 'kysely'
import type { OrganizationId } from '../../kernel/ids.ts'
import type { Timestamp } from '../../kernel/time.ts'
import type { Database } from '../db/database.ts'
import { type Given, type Query, statement } from '../db/statement.ts'

/** An attempt that was promised and is not over: its row, its input, and what was noted of it. */
export type OpenJob = {
  readonly id: string
  readonly job: object
  readonly input: object | null
  readonly notes: readonly object[] | null
}

const isOpen = sql`status in ('ENQUEUED', 'DELAYED', 'PENDING')`
const ofOrganization = (id: unknown) => sql`queue_partition_key = ${id}`

type Stretch = {
  readonly ofId: OrganizationId
  readonly heldSince: Timestamp
}

/** Laid aside because the organization is held, however long: where it arrives it can be done at once. */
const isResting = ({ heldSince }: Given<Stretch>) => sql`status = 'DELAYED' and (
  workflow_uuid ~ '/rest-[0-9]+$' or (
    created_at < extract(epoch from ${heldSince}::timestamptz) * 1000
    and updated_at >= extract(epoch from ${heldSince}::timestamptz) * 1000))`

// One that is under way is nobody's where it arrives, as if its worker had given it back.
const open = statement(
  (given: Given<Stretch>) => sql<OpenJob>`
    select workflow_uuid as id,
      to_jsonb(one) || jsonb_build_object(
        'status', case when status = 'DELAYED' and not (${isResting(given)}) then status else 'ENQUEUED' end,
        'delay_until_epoch_ms', case when not (${isResting(given)}) then delay_until_epoch_ms end,
        'executor_id', null, 'owner_xid', null, 'creator_xid', null, 'started_at_epoch_ms', null) as job,
      (select to_jsonb(input) from dbos.workflow_input input where input.workflow_uuid = one.workflow_uuid) as input,
      (select jsonb_agg(to_jsonb(note)) from dbos.operation_outputs note where note.workflow_uuid = one.workflow_uuid) as notes
    from dbos.workflow_status one
    where ${ofOrganization(given.ofId)} and ${isOpen}`,
)

const command = <Row>(text: string): Query<Row> => ({ name: '', text, values: () => [] })

/**
 * All of them as they are at one moment, so many at a time. Workers go on meanwhile: an attempt that ends promises the next under an id that may come before its own, so whoever looked for them
 * by their ids, a stretch at a time, could find neither.
 */
export async function eachOpenJobs(
  database: Database,
  stretch: Stretch & { readonly limit: number },
  work: (jobs: readonly OpenJob[]) => Promise<void>,
): Promise<void> {
  const { text, values } = open(stretch)
  await database.forOrganization(stretch.ofId).transaction(async (tx) => {
    await tx.run({ name: '', text: `declare open_jobs no scroll cursor for ${text}`, values })
    const next = command<OpenJob>(`fetch ${stretch.limit} from open_jobs`)
    for (;;) {
      const [jobs] = await tx.run(next)
      if (jobs.length > 0) await work(jobs)
      if (jobs.length < stretch.limit) return
    }
  })
}

// What an earlier visit of the organization left under the same id makes room.
const enter = statement(
  ({ jobs }: Given<{ jobs: string }>) => sql<{ id: string }>`
    with given as materialized (
      select id, job, input, notes
      from jsonb_to_recordset(${jobs}::jsonb) as given (id text, job jsonb, input jsonb, notes jsonb)
    ),
    inputs as (
      insert into dbos.workflow_input
      select row.* from given, jsonb_populate_record(null::dbos.workflow_input, given.input) as row
      where given.input is not null
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
  jobs: readonly OpenJob[],
): Promise<void> {
  const ids = jobs.map(({ id }) => id)
  await database.forOrganization(ofId).run(remove({ ids }), enter({ jobs: JSON.stringify(jobs) }))
}

const cancel = statement(
  ({ ofId }: Given<{ ofId: OrganizationId }>) => sql<{ id: string }>`
    update dbos.workflow_status set status = 'CANCELLED',
      updated_at = (extract(epoch from now()) * 1000)::bigint,
      completed_at = (extract(epoch from now()) * 1000)::bigint
    where ${ofOrganization(ofId)} and ${isOpen}
    returning workflow_uuid as id`,
)

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
