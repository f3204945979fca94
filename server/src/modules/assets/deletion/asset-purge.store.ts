/** Deletes the rows of assets, except for media that clips refer to. */
import { sql } from 'kysely'
import type { AssetId } from '../../../kernel/ids.ts'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import { dedicatedConnection, type Given, statement } from '../../../platform/db/statement.ts'
import type { AssetSummary } from '../assets.events.ts'
import { type ById, summaryColumns } from '../assets.store.ts'

type Ids = { readonly ids: readonly AssetId[] }

/**
 * Locks all rows whose media may be deleted or retained with these assets: their versions, and the media that they show
 * as clips. In the order of ids. A clip that is created at the same time waits, because it locks the row with its
 * media.
 */
const lockMedia = dedicatedConnection(
  statement(
    ({ organizationId, ids }: Given<Ids>) => sql<Media>`
      select id, version_of as "versionOfId", retained_at is not null as "isRetained" from assets
      where organization_id = ${organizationId} and (
        version_of = any (${ids}::uuid[]) or id = any (array(
          select media_id from asset_clips
          where asset_clips.organization_id = ${organizationId} and asset_id = any (${ids}::uuid[]))))
      order by id for update`,
  ),
)

export type Media = ById & { readonly versionOfId: AssetId | null; readonly isRetained: boolean }

const lockByIds = dedicatedConnection(
  statement(
    ({ organizationId, ids }: Given<Ids>) => sql`
      select from assets where organization_id = ${organizationId} and id = any (${ids}::uuid[])
      order by id for update`,
  ),
)

export async function lockRows(tx: OrganizationDb, ids: readonly AssetId[]): Promise<void> {
  await tx.run(lockByIds({ ids }))
}

/** The media among `ids` to which clips other than `clipIds` refer. */
const inUse = statement(
  ({ organizationId, ids, clipIds }: Given<Ids & { clipIds: readonly AssetId[] }>) => sql<ById>`
    select distinct media_id as id from asset_clips
    where organization_id = ${organizationId} and media_id = any (${ids}::uuid[])
      and asset_id <> all (${clipIds}::uuid[])`,
)

/** Runs before the deletion: every transaction locks asset_counts before the counters of usage. */
const subtractFromCount = statement(
  ({ organizationId, ids }: Given<Ids>) => sql`
    insert into asset_counts as counts (organization_id, slot, asset_count)
    select ${organizationId}, pg_backend_pid() % 16, -count(*) from assets
    where organization_id = ${organizationId} and id = any (${ids}::uuid[]) and deleted_at is null
    having count(*) > 0
    on conflict (organization_id, slot)
    do update set asset_count = counts.asset_count + excluded.asset_count`,
)

const summaries = statement(
  ({ organizationId, ids }: Given<Ids>) => sql<AssetSummary>`
    select ${summaryColumns} from assets where organization_id = ${organizationId} and id = any (${ids}::uuid[])`,
)

/**
 * Leaves nothing but the media: version 1 of the asset, whose images no longer matter. Fires the trigger that refuses
 * it under a legal hold.
 */
const retain = statement(
  ({ organizationId, ids }: Given<Ids>) => sql`
    update assets set retained_at = now(), version_of = null, is_listed = false, deleted_at = null, purge_at = null,
      deleted_with = null, title = '-', search_title = '', grams = '{}', description = '', tags = '{}',
      external_id = null, metadata = '{}', folder_uuid = null, legal_hold = false, cover_key = null,
      custom_cover_key = null, cover_request = null, thumbnail_keys = '{}', storyboard_key = null, filmstrip_key = null,
      waveform_key = null, bytes = coalesce(own_bytes, bytes), own_bytes = null, media_id = null, version = 1,
      updated_at = now()
    where organization_id = ${organizationId} and id = any (${ids}::uuid[])`,
)

const deleteFrom = (table: string) =>
  statement(
    ({ organizationId, ids }: Given<Ids>) => sql`
      delete from ${sql.table(table)} where organization_id = ${organizationId} and asset_id = any (${ids}::uuid[])`,
  )

/** The tables of what an asset has besides its media. */
const deletions = [
  ...['asset_versions', 'asset_trims', 'asset_tags', 'asset_happenings', 'chapters', 'chapter_sets'],
  ...['subtitle_versions', 'subtitle_tracks', 'access_tokens'],
].map(deleteFrom)

/** The files that clients added: covers and subtitles. */
const deleteAdded = statement(
  ({ organizationId, ids }: Given<Ids>) => sql`
    delete from published_files
    where organization_id = ${organizationId} and asset_id = any (${ids}::uuid[]) and step is null`,
)

const hideSessions = statement(
  ({ organizationId, ids }: Given<Ids>) => sql`
    update upload_sessions set is_listed = false
    where organization_id = ${organizationId} and asset_id = any (${ids}::uuid[])`,
)

/** Dependent rows are deleted by cascade, versions too. */
const remove = statement(
  ({ organizationId, ids }: Given<Ids>) => sql`
    delete from assets where organization_id = ${organizationId} and id = any (${ids}::uuid[])`,
)

export async function lockMediaOf(tx: OrganizationDb, ids: readonly AssetId[]): Promise<Media[]> {
  const [rows] = await tx.run(lockMedia({ ids }))
  return rows
}

export async function selectInUse(
  tx: OrganizationDb,
  ids: readonly AssetId[],
  clipIds: readonly AssetId[] = [],
): Promise<ReadonlySet<AssetId>> {
  const [rows] = await tx.run(inUse({ ids, clipIds }))
  return new Set(rows.map(({ id }) => id))
}

type Purge = {
  readonly ids: readonly AssetId[]
  /** Assets and versions of which the media stays. */
  readonly retained: readonly AssetId[]
  /** All rows to delete, retained media and versions included. */
  readonly removed: readonly AssetId[]
}

/** Returns the assets before their deletion. */
export async function writePurge(tx: OrganizationDb, { ids, retained, removed }: Purge): Promise<AssetSummary[]> {
  const [purged] = await tx.run(summaries({ ids }), subtractFromCount({ ids }))
  if (retained.length > 0) {
    await tx.send(
      hideSessions({ ids: retained }),
      deleteAdded({ ids: retained }),
      ...deletions.map((deletion) => deletion({ ids: retained })),
      retain({ ids: retained }),
    )
  }
  await tx.run(remove({ ids: removed }))
  return purged
}
