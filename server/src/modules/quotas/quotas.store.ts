import { sql } from 'kysely'
import type { OrganizationId } from '../../kernel/ids.ts'
import { lockNumber } from '../../platform/db/advisory-locks.ts'
import type { Database, OrganizationDb } from '../../platform/db/database.ts'
import { dedicatedConnection, type Given, statement } from '../../platform/db/statement.ts'
import type { QuotaLevels, Quotas } from './quotas.rules.ts'

const lock = dedicatedConnection(
  statement(
    ({ organizationId }: Given<object>) =>
      sql`select from (select pg_advisory_xact_lock(${lockNumber('quotas', organizationId)})) as locked`,
  ),
)

type QuotaRow = {
  readonly storedBytesMax: number | null
  readonly assetsMax: number | null
  readonly encodedMinutesMax: number | null
  readonly openSessionsMax: number | null
  readonly storedBytes: number
  readonly reservedBytes: number
  readonly levels: QuotaLevels
  readonly assets: number
  readonly encodedMinutes: number
  readonly openSessions: number
}

const byOrganization = statement(
  ({ organizationId }: Given<object>) => sql<QuotaRow>`
    select quota_stored_bytes as "storedBytesMax", quota_assets as "assetsMax",
      quota_encoded_minutes as "encodedMinutesMax", quota_open_sessions as "openSessionsMax",
      (select coalesce(sum(stored_bytes), 0) from usage_counts where organization_id = ${organizationId})::bigint
        as "storedBytes",
      (select coalesce(sum(max_file_size_bytes), 0) from upload_sessions
            where organization_id = ${organizationId} and status in ('Created', 'Uploading'))::bigint as "reservedBytes",
      quota_levels as levels,
      (select coalesce(sum(asset_count), 0)::bigint from asset_counts
        where organization_id = ${organizationId}) as "assets",
      (select coalesce(sum(encoded_seconds), 0) / 60 from usage_counts
        where organization_id = ${organizationId}
          and month = to_char(now() at time zone 'utc', 'YYYY-MM')) as "encodedMinutes",
      (select count(*) from upload_sessions
        where organization_id = ${organizationId} and status in ('Created', 'Uploading')) as "openSessions"
    from organizations where id = ${organizationId}`,
)

export type QuotaLimits = Readonly<Record<keyof Quotas, number | null>>

const update = statement(
  ({ organizationId, storedBytes, assets, encodedMinutes, openSessions }: Given<QuotaLimits>) => sql`
    update organizations set quota_stored_bytes = ${storedBytes}, quota_assets = ${assets},
      quota_encoded_minutes = ${encodedMinutes}, quota_open_sessions = ${openSessions}
    where id = ${organizationId}`,
)

/** Serializes uploads of an organization that has quotas, so that concurrent requests cannot exceed them together. */
export async function lockQuotas(tx: OrganizationDb): Promise<Quotas> {
  const [, rows] = await tx.run(lock({}), byOrganization({}))
  return toQuotas(rows[0])
}

export async function findQuotas(db: OrganizationDb): Promise<Quotas> {
  const [rows] = await db.run(byOrganization({}))
  return toQuotas(rows[0])
}

export async function updateQuotas(db: OrganizationDb, limits: QuotaLimits): Promise<void> {
  await db.run(update(limits))
}

const setLevels = statement(
  ({ organizationId, levels }: Given<{ levels: string }>) => sql`
    update organizations set quota_levels = ${levels}::jsonb where id = ${organizationId}`,
)

/** The quotas, with the bytes of files only, and the levels for which events were recorded. */
export async function selectLevels(tx: OrganizationDb): Promise<{ quotas: Quotas; before: QuotaLevels }> {
  const [[row]] = await tx.run(byOrganization({}))
  const quotas = toQuotas(row)
  const storedBytes = { ...quotas.storedBytes, used: row?.storedBytes ?? 0 }
  return { quotas: { ...quotas, storedBytes }, before: row?.levels ?? {} }
}

export async function updateLevels(tx: OrganizationDb, levels: QuotaLevels): Promise<void> {
  await tx.run(setLevels({ levels: JSON.stringify(levels) }))
}

const withQuotas = statement(
  ({ after, limit }: Given<{ after: string; limit: number }>) => sql<{ id: OrganizationId }>`
    select organization_id as id from organizations_with_quotas
    where organization_id > ${after} order by organization_id limit ${limit}`,
)

/** Ids after `after`, in ascending order. Requires the worker role. */
export async function selectOrganizationsWithQuotas(database: Database, after: string, limit: number) {
  return (await database.runUnscoped(withQuotas({ after, limit }))).map(({ id }) => id)
}

function toQuotas(row: QuotaRow | undefined): Quotas {
  if (!row) throw new Error('The organization does not exist')
  return {
    storedBytes: { limit: row.storedBytesMax, used: row.storedBytes + row.reservedBytes },
    assets: { limit: row.assetsMax, used: row.assets },
    encodedMinutes: { limit: row.encodedMinutesMax, used: row.encodedMinutes },
    openSessions: { limit: row.openSessionsMax, used: row.openSessions },
  }
}
