/** Which damaged files are repaired when, and the rows of files that a repair has stored again. */
import { sql } from 'kysely'
import type { AssetId, OrganizationId } from '../../kernel/ids.ts'
import type { Database, OrganizationDb } from '../../platform/db/database.ts'
import { type Given, statement } from '../../platform/db/statement.ts'

type OfFiles = { readonly assetId: AssetId; readonly prefix: string }

const ofFiles = ({ organizationId, assetId, prefix }: Given<OfFiles>) =>
  sql`organization_id = ${organizationId} and asset_id = ${assetId} and prefix = ${prefix}`

const dueIn = sql`damaged_files where repair_due_at <= clock_timestamp()
  and coalesce(repair_until <= clock_timestamp(), true)`

const organizationsDue = statement(
  ({ after, limit }: Given<{ after: string; limit: number }>) => sql<{ id: OrganizationId }>`
    select distinct organization_id as id from ${dueIn} and organization_id > ${after}
    order by organization_id limit ${limit}`,
)

/** Organizations with files to repair, in order. */
export async function selectDueOrganizations(
  database: Database,
  after: string,
  limit: number,
): Promise<OrganizationId[]> {
  const rows = await database.runUnscoped(organizationsDue({ after, limit }))
  return rows.map(({ id }) => id)
}

const running = statement(
  (_: Given<object>) => sql<{ count: number }>`
    select count(*)::integer as count from damaged_files where repair_until > clock_timestamp()`,
)

/** Number of jobs that encode damaged files again, waiting ones included. */
export async function countRunning(database: Database): Promise<number> {
  const [row] = await database.runUnscoped(running({}))
  return row?.count ?? 0
}

const claim = statement(
  (given: Given<{ seconds: number }>) => sql<OfFiles>`
    update published_files set repair_due_at = clock_timestamp() + make_interval(secs => ${given.seconds}),
      repair_id = null, repair_until = null
    where (organization_id, asset_id, prefix) in (
      select organization_id, asset_id, prefix from published_files
      where organization_id = ${given.organizationId} and damaged <> '{}' and replaced_by is null
        and repair_due_at <= clock_timestamp() and coalesce(repair_until <= clock_timestamp(), true)
      order by repair_due_at limit 1 for update skip locked)
    returning asset_id as "assetId", prefix`,
)

/** Claims the files of the organization whose repair is due for the longest time. */
export async function claimDue(db: OrganizationDb, seconds: number): Promise<OfFiles | undefined> {
  const [[row]] = await db.run(claim({ seconds }))
  return row
}

const removeDamaged = statement(
  (given: Given<OfFiles & { intact: readonly string[] }>) => sql<{ damaged: readonly string[] }>`
    update published_files
    set damaged = array(select name from unnest(damaged) as name where name <> all (${given.intact}::text[]))
    where ${ofFiles(given)} returning damaged`,
)

/** Returns the files that are still damaged; undefined if the files are no longer published. */
export async function updateIntact(
  db: OrganizationDb,
  { intact, ...files }: OfFiles & { readonly intact: readonly string[] },
): Promise<readonly string[] | undefined> {
  const [[row]] = await db.run(removeDamaged({ ...files, intact }))
  return row?.damaged
}

const start = statement(
  (given: Given<OfFiles & { repairId: string; seconds: number }>) => sql`
    update published_files set repair_id = ${given.repairId},
      repair_until = clock_timestamp() + make_interval(secs => ${given.seconds})
    where ${ofFiles(given)}`,
)

type RepairJob = OfFiles & { readonly repairId: string; readonly seconds: number }

/** Records the job that encodes the files again, which no other job does until the time is up. */
export async function writeJob(tx: OrganizationDb, job: RepairJob): Promise<void> {
  await tx.run(start(job))
}

const fail = statement(
  (given: Given<FailedRepair & Backoff>) => sql`
    update published_files set repair_id = null, repair_until = null, repairs_failed = repairs_failed + 1,
      repair_due_at = clock_timestamp() + make_interval(
        secs => least(${given.firstSeconds} * 2 ^ least(repairs_failed, 20), ${given.secondsMax}))
    where ${ofFiles(given)} and repair_id is not distinct from ${given.repairId}::uuid`,
)

type Backoff = { readonly firstSeconds: number; readonly secondsMax: number }

/** `repairId` is that of the job; null if there was none. */
export type FailedRepair = OfFiles & { readonly repairId: string | null }

/** The repair is made again after a delay that grows with each failure, unless another job has started one. */
export async function writeFailure(
  db: OrganizationDb,
  { assetId, prefix, repairId }: FailedRepair,
  backoff: Backoff,
): Promise<void> {
  await db.run(fail({ assetId, prefix, repairId, ...backoff }))
}

const prepare = statement(
  (given: Given<OfFiles & { repairId: string; repairPrefix: string }>) => sql<{ prefix: string }>`
    update published_files set repair_prefix = ${given.repairPrefix}
    where ${ofFiles(given)} and repair_id = ${given.repairId} and damaged <> '{}' returning prefix`,
)

export type PreparedRepair = OfFiles & { readonly repairId: string; readonly repairPrefix: string }

/** Returns false if the files are no longer published or damaged, or if another job repairs them. */
export async function updateRepairPrefix(tx: OrganizationDb, repair: PreparedRepair): Promise<boolean> {
  const [rows] = await tx.run(prepare(repair))
  return rows.length > 0
}

const replace = statement(
  (given: Given<OfFiles & { to: string }>) => sql<{ prefix: string }>`
    update published_files set replaced_by = ${given.to}, replaced_at = clock_timestamp(), repair_prefix = null,
      repair_id = null, repair_until = null
    where ${ofFiles(given)} and repair_prefix = ${given.to} and damaged <> '{}' returning prefix`,
)

const replaceEarlier = statement(
  (given: Given<OfFiles & { to: string }>) => sql`
    update published_files set replaced_by = ${given.to}
    where organization_id = ${given.organizationId} and asset_id = ${given.assetId}
      and replaced_by = ${given.prefix}`,
)

/** Returns false if the files were replaced or deleted, are intact, or another repair was started. */
export async function updateReplaced(tx: OrganizationDb, files: OfFiles, to: string): Promise<boolean> {
  const [rows] = await tx.run(replace({ ...files, to }), replaceEarlier({ ...files, to }))
  return rows.length > 0
}

const removeReplaced = statement(
  (given: Given<{ assetId: AssetId; seconds: number }>) => sql`
    delete from published_files
    where organization_id = ${given.organizationId} and asset_id = ${given.assetId}
      and replaced_at < clock_timestamp() - make_interval(secs => ${given.seconds})`,
)

/** Deletes the rows of files that were replaced longer ago. */
export async function deleteReplaced(db: OrganizationDb, assetId: AssetId, seconds: number): Promise<void> {
  await db.run(removeReplaced({ assetId, seconds }))
}
