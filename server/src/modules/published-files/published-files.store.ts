import { sql } from 'kysely'
import type { AssetId, OrganizationId } from '../../kernel/ids.ts'
import type { Database, OrganizationDb } from '../../platform/db/database.ts'
import { type Given, statement } from '../../platform/db/statement.ts'

type OfAsset = { readonly assetId: AssetId }

const ofAsset = ({ organizationId, assetId }: Given<OfAsset>) =>
  sql`organization_id = ${organizationId} and asset_id = ${assetId}`

type Row = {
  readonly prefix: string
  readonly step: string | null
  readonly part: string | null
  readonly names: readonly string[]
  readonly bytes: readonly number[]
  readonly md5: Buffer
}

// An attempt at storing a cover may run twice and store the same file.
const insert = statement(
  (given: Given<OfAsset & Row>) => sql`
    insert into published_files (organization_id, asset_id, prefix, step, part, names, bytes, md5)
    values (${given.organizationId}, ${given.assetId}, ${given.prefix}, ${given.step}, ${given.part},
      ${given.names}::text[], ${given.bytes}::bigint[], ${given.md5}::bytea)
    on conflict (organization_id, asset_id, prefix)
      do update set names = excluded.names, bytes = excluded.bytes, md5 = excluded.md5, damaged = '{}'`,
)

export type NewFiles = Pick<Row, 'prefix' | 'step' | 'part'> & {
  readonly files: readonly { readonly name: string; readonly bytes: number; readonly md5: Buffer }[]
}

export async function insertFiles(tx: OrganizationDb, assetId: AssetId, { files, ...row }: NewFiles): Promise<void> {
  const names = files.map(({ name }) => name)
  const bytes = files.map((file) => file.bytes)
  await tx.run(insert({ assetId, ...row, names, bytes, md5: Buffer.concat(files.map(({ md5 }) => md5)) }))
}

const removeName = statement(
  (given: Given<OfAsset & { key: string }>) => sql`
    update published_files as files set names = array_remove(names, name), damaged = array_remove(damaged, name),
      bytes = bytes[:position - 1] || bytes[position + 1:],
      md5 = substr(md5, 1, 16 * (position - 1)) || substr(md5, 16 * position + 1)
    from (
      select prefix as of_prefix, name, array_position(names, name) as position
      from published_files, lateral (
        select coalesce(replaced_by, prefix) as current) as stored, lateral (
        select substr(${given.key}, length(current) + 1) as name) as named
      where ${ofAsset(given)} and starts_with(${given.key}, current)
    ) as found
    where ${ofAsset(given)} and files.prefix = found.of_prefix and position is not null`,
)

const removeEmpty = statement(
  (given: Given<OfAsset>) => sql`delete from published_files where ${ofAsset(given)} and names = '{}'`,
)

/** Removes one file from the row that lists it, and from the rows that were replaced by it. */
export async function deleteFile(tx: OrganizationDb, assetId: AssetId, key: string): Promise<void> {
  await tx.run(removeName({ assetId, key }), removeEmpty({ assetId }))
}

export const deleteOfSteps = statement(
  (given: Given<OfAsset>) => sql`delete from published_files where ${ofAsset(given)} and step is not null`,
)

const prefixesOf = statement(
  (given: Given<OfAsset>) => sql<{ prefix: string }>`
    select prefix from published_files where ${ofAsset(given)}
    union all
    select repair_prefix from published_files where ${ofAsset(given)} and repair_prefix is not null and damaged <> '{}'`,
)

export async function selectPrefixes(db: OrganizationDb, assetId: AssetId): Promise<string[]> {
  const [rows] = await db.run(prefixesOf({ assetId }))
  return rows.map(({ prefix }) => prefix)
}

/** Files under one prefix, as stored in a row. */
export type FilesRow = Row & {
  readonly assetId: AssetId
  readonly damaged: readonly string[]
  /** Prefix under which a repair stored the files again. */
  readonly replacedBy: string | null
  /** Id of the job that encodes the files again. */
  readonly repairId: string | null
  /** When the files were last checked, as text with microseconds. */
  readonly checkedAt: string
}

const columns = sql`asset_id as "assetId", prefix, step, part, names, bytes::float8[] as bytes, md5, damaged,
  replaced_by as "replacedBy", repair_id as "repairId", checked_at::text as "checkedAt"`

const ofPrefix = statement(
  (given: Given<OfAsset & { prefix: string }>) => sql<FilesRow>`
    select ${columns} from published_files where ${ofAsset(given)} and prefix = ${given.prefix}`,
)

export async function findRow(db: OrganizationDb, assetId: AssetId, prefix: string): Promise<FilesRow | undefined> {
  const [[row]] = await db.run(ofPrefix({ assetId, prefix }))
  return row
}

/** Position in the order of the scrub: after the last row that was read. */
export type ScrubCursor = Pick<FilesRow, 'checkedAt' | 'assetId' | 'prefix'>

const FIRST: ScrubCursor = {
  checkedAt: '-infinity',
  assetId: '00000000-0000-0000-0000-000000000000' as AssetId,
  prefix: '',
}

const oldestChecked = statement(
  (given: Given<ScrubCursor & { before: string; limit: number }>) => sql<FilesRow>`
    select ${columns} from published_files
    where organization_id = ${given.organizationId} and checked_at < ${given.before}::timestamptz
      and (checked_at, asset_id, prefix)
        > (${given.checkedAt}::timestamptz, ${given.assetId}::uuid, ${given.prefix})
      and replaced_by is null
    order by checked_at, asset_id, prefix limit ${given.limit}`,
)

export type OldestChecked = {
  readonly before: Date
  readonly limit: number
  readonly after: ScrubCursor | undefined
}

export async function selectOldestChecked(
  db: OrganizationDb,
  { before, limit, after = FIRST }: OldestChecked,
): Promise<FilesRow[]> {
  const { checkedAt, assetId, prefix } = after
  const [rows] = await db.run(oldestChecked({ before: before.toISOString(), limit, checkedAt, assetId, prefix }))
  return rows
}

const newestChecked = statement(
  (given: Given<object>) => sql<FilesRow>`
    select ${columns} from published_files
    where organization_id = ${given.organizationId} and damaged = '{}' and replaced_by is null
    order by checked_at desc, asset_id desc, prefix desc limit 1`,
)

/** The files that were found intact, or published, most recently. */
export async function findNewestChecked(db: OrganizationDb): Promise<FilesRow | undefined> {
  const [[row]] = await db.run(newestChecked({}))
  return row
}

const organizationsBefore = statement(
  ({ before }: Given<{ before: string }>) => sql<OrganizationToCheck>`
    select organization_id as id, oldest_check_at::text as "oldestCheckAt" from scrubbed_organizations
    where oldest_check_at < ${before}::timestamptz
    order by oldest_check_at, organization_id`,
)

export type OrganizationToCheck = { readonly id: OrganizationId; readonly oldestCheckAt: string }

/** All organizations with files that were not checked since `before`, the longest unchecked first. */
export async function selectOrganizations(database: Database, before: Date): Promise<OrganizationToCheck[]> {
  return [...(await database.runUnscoped(organizationsBefore({ before: before.toISOString() })))]
}

const damagedCount = statement((_: Given<object>) => sql<{ files: number }>`select files from damaged_file_counts`)

export async function countDamaged(database: Database): Promise<number> {
  const [row] = await database.runUnscoped(damagedCount({}))
  return Number(row?.files ?? 0)
}

type Check = {
  readonly prefix: string
  readonly damaged: readonly string[]
  /** Start of the scrub. The time of the check is not before it, whatever the clock of the database says. */
  readonly since: string | null
}

/** The names of a list that the row has; a file may have been removed since the row was read. */
const stillListed = (names: readonly string[]) =>
  sql`array(select name from unnest(${names}::text[]) as name where name = any (names))`

const check = statement(
  (given: Given<OfAsset & Check>) => sql<{ prefix: string }>`
    update published_files
    set checked_at = greatest(clock_timestamp(), ${given.since}::timestamptz), damaged = ${stillListed(given.damaged)},
      repair_due_at = case when damaged = '{}' then '-infinity' else repair_due_at end,
      repairs_failed = case when damaged = '{}' then 0 else repairs_failed end
    where ${ofAsset(given)} and prefix = ${given.prefix} returning prefix`,
)

/** Records the result of reading all files. Returns false if the files are no longer published. */
export async function updateCheck(
  tx: OrganizationDb,
  { since, ...result }: OfAsset & Omit<Check, 'since'> & { readonly since?: Date },
): Promise<boolean> {
  const [rows] = await tx.run(check({ ...result, since: since?.toISOString() ?? null }))
  return rows.length > 0
}

const addDamaged = statement(
  (given: Given<OfAsset & Pick<Check, 'prefix' | 'damaged'>>) => sql<{ prefix: string }>`
    update published_files
    set damaged = array(select unnest(damaged) union select unnest(${stillListed(given.damaged)})),
      repair_due_at = case when damaged = '{}' then '-infinity' else repair_due_at end,
      repairs_failed = case when damaged = '{}' then 0 else repairs_failed end
    where ${ofAsset(given)} and prefix = ${given.prefix} returning prefix`,
)

/** Adds damaged files. All others were not read. Returns false if the files are no longer published. */
export async function insertDamaged(
  tx: OrganizationDb,
  result: OfAsset & Pick<Check, 'prefix' | 'damaged'>,
): Promise<boolean> {
  const [rows] = await tx.run(addDamaged(result))
  return rows.length > 0
}

const postpone = statement(
  (given: Given<OfAsset & { prefix: string; before: string }>) => sql`
    update published_files set checked_at = greatest(checked_at, ${given.before}::timestamptz + interval '1 day')
    where ${ofAsset(given)} and prefix = ${given.prefix}`,
)

/** The next scrubs read the files again only when `before` is a day later. */
export async function postponeCheck(
  db: OrganizationDb,
  assetId: AssetId,
  { prefix, before }: { readonly prefix: string; readonly before: Date },
): Promise<void> {
  await db.run(postpone({ assetId, prefix, before: before.toISOString() }))
}

const checkNext = statement(
  (given: Given<SuspectedFile>) => sql`
    update published_files set checked_at = '-infinity'
    where organization_id = ${given.organizationId} and asset_id in (${given.assetId}, ${given.mediaId})
      and prefix in (${given.prefix}, ${given.key}) and checked_at > '-infinity'`,
)

type SuspectedFile = {
  readonly assetId: AssetId
  readonly mediaId: AssetId | null
  readonly prefix: string
  readonly key: string
}

/** The next scrub reads the files under the prefix first. */
export async function checkSoon(db: OrganizationDb, { assetId, mediaId, prefix, key }: SuspectedFile): Promise<void> {
  await db.run(checkNext({ assetId, mediaId, prefix, key }))
}

const damagedKey = statement(
  (given: Given<{ key: string }>) => sql<{ prefix: string }>`
    select prefix from published_files
    where organization_id = ${given.organizationId} and damaged <> '{}' and replaced_by is null
      and starts_with(${given.key}, prefix)
      and substr(${given.key}, length(prefix) + 1) = any (damaged)
    limit 1`,
)

export async function isDamaged(db: OrganizationDb, key: string): Promise<boolean> {
  const [rows] = await db.run(damagedKey({ key }))
  return rows.length > 0
}

const damagedOf = statement(
  (given: Given<OfAsset>) => sql<{ prefix: string }>`
    select prefix from published_files where ${ofAsset(given)} and damaged <> '{}' and replaced_by is null limit 1`,
)

export async function hasDamage(db: OrganizationDb, assetId: AssetId): Promise<boolean> {
  const [rows] = await db.run(damagedOf({ assetId }))
  return rows.length > 0
}

const ofOneAsset = statement(
  (given: Given<OfAsset>) => sql<FilesRow>`select ${columns} from published_files where ${ofAsset(given)}`,
)

export async function selectRows(db: OrganizationDb, assetId: AssetId): Promise<FilesRow[]> {
  const [rows] = await db.run(ofOneAsset({ assetId }))
  return rows
}

const organizationsAfter = statement(
  ({ after, limit }: Given<{ after: string; limit: number }>) => sql<{ id: OrganizationId }>`
    select organization_id as id from scrubbed_organizations where organization_id > ${after}
    order by organization_id limit ${limit}`,
)

/** All organizations that are not suspended, in order. */
export async function pageOrganizations(database: Database, after: string, limit: number): Promise<OrganizationId[]> {
  const rows = await database.runUnscoped(organizationsAfter({ after, limit }))
  return rows.map(({ id }) => id)
}
