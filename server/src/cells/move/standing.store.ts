/** How a database stands: whether organizations can be moved from it and to it, and whether one of them is there. */
import { sql } from 'kysely'
import type { HoldReason } from '../../capabilities/holds/holds.ts'
import type { AssetId, OrganizationId } from '../../kernel/ids.ts'
import type { Timestamp } from '../../kernel/time.ts'
import type { Database } from '../../platform/db/database.ts'
import { type Given, statement } from '../../platform/db/statement.ts'
import type { Standing } from './readiness/readiness.rules.ts'

const standing = statement(
  (_: Given<object>) => sql<Standing>`
    select (select rolsuper from pg_roles where rolname = current_user) as "isSuperuser",
      current_setting('wal_level') as "walLevel",
      current_setting('max_replication_slots')::int - (select count(*)::int from pg_replication_slots) as "freeSlots",
      (select array_agg(version order by version) from schema_migrations) as migrations,
      extract(epoch from clock_timestamp())::float8 as "epochSeconds"`,
)

export async function selectStanding(database: Database): Promise<Standing> {
  const [row] = await database.ask(standing({}))
  if (!row) throw new Error('The database does not say how it stands')
  return row
}

const keyIds = statement(
  ({ organizationId }: Given<object>) => sql<{ id: string }>`
    select key_encryption_id as id from organization_master_keys where organization_id = ${organizationId}
    union select secret_key_id from webhooks where organization_id = ${organizationId}
    union select previous_secret_key_id from webhooks
      where organization_id = ${organizationId} and previous_secret_key_id is not null`,
)

/** The keys of the operator's under which secrets of the organization are kept. */
export async function selectKeyIds(database: Database, id: OrganizationId): Promise<string[]> {
  const [rows] = await database.forOrganization(id).run(keyIds({}))
  return rows.map((row) => row.id)
}

export type Presence = {
  readonly isHere: boolean
  /** Null if it is not held. */
  readonly heldSince: Timestamp | null
  readonly why: HoldReason | null
}

const presence = statement(
  ({ organizationId }: Given<object>) => sql<Presence>`
    select exists (select from organizations where id = ${organizationId}) as "isHere",
      (select since from held_organizations where organization_id = ${organizationId}) as "heldSince",
      (select why from held_organizations where organization_id = ${organizationId}) as why`,
)

export async function selectPresence(database: Database, id: OrganizationId): Promise<Presence> {
  const [[row]] = await database.forOrganization(id).run(presence({}))
  if (!row) throw new Error('The database does not say whether the organization is there')
  return row
}

/** An asset of which something may have come into storage, and by what its rows point there, as a hash. */
export type ChangedAsset = { readonly id: AssetId; readonly published: string }

// Nothing is visible of an attempt but with the end of its step, and of a subtitle track but with
// its row: as long as these are the same, nothing has come that anybody could ask for.
const changed = statement(
  ({ organizationId, since }: Given<{ since: Timestamp }>) => sql<ChangedAsset>`
    with candidates as (
      select id from assets
      where organization_id = ${organizationId} and (updated_at >= ${since} or status in ('Queued', 'Processing'))
      union select asset_id from subtitle_tracks
        where organization_id = ${organizationId} and created_at >= ${since}
      union select asset_id from asset_happenings
        where organization_id = ${organizationId} and at >= ${since}
    )
    select id, md5(concat(
      (select string_agg(concat_ws(' ', step, part, token), ',' order by step, part) from pipeline_steps
        where organization_id = ${organizationId} and asset_id = candidates.id and state = 'done'), '|',
      (select string_agg(storage_key, ',' order by storage_key) from subtitle_tracks
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

// What is committed late bears the time of its beginning. A superuser's are left out, as when an
// organization is held: the service runs as none.
const clock = statement(
  ({ marginSeconds }: Given<{ marginSeconds: number }>) => sql<{ now: Timestamp }>`
    select least(clock_timestamp(), (
      select min(xact_start) from pg_stat_activity
      join pg_roles roles on roles.oid = usesysid and not roles.rolsuper
      where datname = current_database()
    )) - make_interval(secs => ${marginSeconds}) as now`,
)

/** The database's time, so much earlier, and as much before the beginning of whatever is under way there. */
export async function clockBefore(database: Database, marginSeconds: number): Promise<Timestamp> {
  const [row] = await database.ask(clock({ marginSeconds }))
  if (!row) throw new Error('The database does not tell its time')
  return row.now
}
