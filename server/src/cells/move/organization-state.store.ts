/**
 * State of a database: whether organizations can be migrated from and to it, and whether it has a given organization.
 */
import { sql } from 'kysely'
import type { AssetId, OrganizationId } from '../../kernel/ids.ts'
import type { Timestamp } from '../../kernel/time.ts'
import type { Database } from '../../platform/db/database.ts'
import { type Given, statement } from '../../platform/db/statement.ts'
import type { DatabaseState } from './readiness/readiness.rules.ts'

const databaseState = statement(
  (_: Given<object>) => sql<DatabaseState>`
    select (select rolsuper from pg_roles where rolname = current_user) as "isSuperuser",
      current_setting('wal_level') as "walLevel",
      current_setting('max_replication_slots')::int - (select count(*)::int from pg_replication_slots) as "freeSlots",
      (select array_agg(version order by version) from schema_migrations) as migrations,
      extract(epoch from clock_timestamp())::float8 as "epochSeconds"`,
)

export async function selectDatabaseState(database: Database): Promise<DatabaseState> {
  const [row] = await database.runUnscoped(databaseState({}))
  if (!row) throw new Error('The query for the database state returned no row')
  return row
}

const keyIds = statement(
  ({ organizationId }: Given<object>) => sql<{ id: string }>`
    select key_encryption_id as id from organization_master_keys where organization_id = ${organizationId}
    union select secret_key_id from webhooks where organization_id = ${organizationId}
    union select previous_secret_key_id from webhooks
      where organization_id = ${organizationId} and previous_secret_key_id is not null`,
)

/** The operator's keys that wrap secrets of the organization. */
export async function selectKeyIds(database: Database, id: OrganizationId): Promise<string[]> {
  const [rows] = await database.forOrganization(id).run(keyIds({}))
  return rows.map((row) => row.id)
}

/** An asset that may have new objects, with a hash of the storage keys in its rows. */
export type ChangedAsset = { readonly id: AssetId; readonly published: string }

// The files of an attempt become visible when its step ends, and a subtitle track or a version of its text when its row
// is inserted. If the hash of all is unchanged, viewers can request no new objects.
const changed = statement(
  ({ organizationId, since }: Given<{ since: Timestamp }>) => sql<ChangedAsset>`
    with candidates as (
      select id from assets
      where organization_id = ${organizationId} and (updated_at >= ${since} or status in ('Queued', 'Processing'))
      union select asset_id from subtitle_tracks
        where organization_id = ${organizationId} and created_at >= ${since}
      union select asset_id from subtitle_versions
        where organization_id = ${organizationId} and created_at >= ${since}
      union select asset_id from asset_happenings
        where organization_id = ${organizationId} and at >= ${since}
    )
    select id, md5(concat(
      (select string_agg(concat_ws(' ', step, part, token), ',' order by step, part) from pipeline_steps
        where organization_id = ${organizationId} and asset_id = candidates.id and state = 'done'), '|',
      (select string_agg(storage_key, ',' order by storage_key) from subtitle_tracks
        where organization_id = ${organizationId} and asset_id = candidates.id), '|',
      (select string_agg(storage_key, ',' order by storage_key) from subtitle_versions
        where organization_id = ${organizationId} and asset_id = candidates.id))) as published
    from candidates`,
)

export async function selectChangedAssets(
  database: Database,
  id: OrganizationId,
  since: Timestamp,
): Promise<readonly ChangedAsset[]> {
  const [rows] = await database.forOrganization(id).run(changed({ since }))
  return rows
}

// Rows contain the start time of their transaction, which may commit much later. Transactions of superusers are
// ignored, as for suspensions, because the service does not run as a superuser.
const clock = statement(
  ({ marginSeconds }: Given<{ marginSeconds: number }>) => sql<{ now: Timestamp }>`
    select least(clock_timestamp(), (
      select min(xact_start) from pg_stat_activity
      join pg_roles roles on roles.oid = usesysid and not roles.rolsuper
      where datname = current_database()
    )) - make_interval(secs => ${marginSeconds}) as now`,
)

/**
 * Returns the database's time, or the start of its oldest running transaction if that is earlier, minus the margin.
 * Rows that are committed later have later times.
 */
export async function clockBefore(database: Database, marginSeconds: number): Promise<Timestamp> {
  const [row] = await database.runUnscoped(clock({ marginSeconds }))
  if (!row) throw new Error('The query for the database time returned no row')
  return row.now
}
