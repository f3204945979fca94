import { type RawBuilder, sql } from 'kysely'
import type { AssetId, TokenId } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { dedicatedConnection, type Given, statement } from '../../platform/db/statement.ts'
import type { Asset } from '../assets/assets.ts'
import { unpublishSteps } from '../published-files/published-files.ts'
import type { ShownTrack } from '../subtitles/subtitles.ts'
import type { Version } from './versions.rules.ts'

type OfAsset = { readonly assetId: AssetId }
type OfVersion = OfAsset & { readonly number: number }
type OfMedia = OfVersion & { readonly mediaId: AssetId }

const ofAsset = ({ organizationId, assetId }: Given<OfAsset>) =>
  sql`organization_id = ${organizationId} and asset_id = ${assetId}`

/** The columns of an asset that describe the version that it shows, with their types. */
const mediaColumns = {
  bytes: 'bigint',
  status: 'text',
  error_code: 'text',
  error_detail: 'text',
  duration_seconds: 'double precision',
  width: 'integer',
  height: 'integer',
  frame_rate: 'double precision',
  playable_at: 'timestamptz',
  cover_key: 'text',
  thumbnail_keys: 'text[]',
  storyboard_key: 'text',
  filmstrip_key: 'text',
  waveform_key: 'text',
  chapter_proposals: 'jsonb',
}
const names = Object.keys(mediaColumns)
const columnList = sql.raw(names.join(', '))
const recordType = sql.raw(
  Object.entries(mediaColumns)
    .map((column) => column.join(' '))
    .join(', '),
)

const imageKeys = (table: string) =>
  sql.raw(
    `array_remove(${table}.thumbnail_keys || array[${['cover', 'storyboard', 'filmstrip', 'waveform']
      .map((name) => `${table}.${name}_key`)
      .join()}], null)`,
  )

/** Newest first. `saved` has the columns of version 1 while another version is shown. */
const versionsOf = dedicatedConnection(
  statement(
    (given: Given<OfAsset>) => sql<Version>`
      select number, version.media_id as "mediaId", version.created_at as "createdAt",
        activated_at as "activatedAt", number = shown.version as "isActive",
        coalesce(own.status, media.status) as status,
        case when saved is null then media.error_code else own.error_code end as "errorCode",
        case when saved is null then media.error_detail else own.error_detail end as "errorDetail",
        case when saved is null then media.bytes else own.bytes end as bytes,
        case when saved is null then media.duration_seconds else own.duration_seconds end as "durationSeconds",
        (select uuid from upload_sessions as session
          where session.organization_id = ${given.organizationId} and session.asset_id = version.media_id)
          as "uploadSessionUuid"
      from asset_versions as version
      join assets as shown on shown.organization_id = ${given.organizationId} and shown.id = version.asset_id
      join assets as media on media.organization_id = ${given.organizationId} and media.id = version.media_id
      left join lateral jsonb_to_record(saved) as own (${recordType}) on true
      where version.organization_id = ${given.organizationId} and version.asset_id = ${given.assetId}
      order by number desc`,
  ),
)

/** Requires a handle that sees the trash, as the rows of versions are hidden like it. */
export async function selectVersions(db: OrganizationDb, assetId: AssetId): Promise<Version[]> {
  const [versions] = await db.run(versionsOf({ assetId }))
  return versions
}

const retention = statement(
  ({ organizationId, assetId }: Given<OfAsset>) => sql<Retention>`
    select versions_kept as kept, legal_hold or legal_hold_of(organization_id, folder_uuid) is not null as "isOnHold"
    from assets join organizations on organizations.id = organization_id
    where organization_id = ${organizationId} and assets.id = ${assetId}`,
)

/** How many versions are kept, and whether a legal hold keeps all of them. */
export type Retention = { readonly kept: number; readonly isOnHold: boolean }

export async function findRetention(tx: OrganizationDb, assetId: AssetId): Promise<Retention> {
  const [[row]] = await tx.run(retention({ assetId }))
  if (!row) throw new Error(`Asset ${assetId} does not exist`)
  return row
}

const insertFirst = statement(
  ({ organizationId, assetId }: Given<OfAsset>) => sql`
    insert into asset_versions (organization_id, asset_id, number, media_id, created_at, activated_at)
    select organization_id, id, 1, id, created_at, created_at from assets
    where organization_id = ${organizationId} and id = ${assetId} and versions_made = 1
    on conflict do nothing`,
)

const takeNumber = statement(
  ({ organizationId, assetId }: Given<OfAsset>) => sql<{ number: number }>`
    update assets set versions_made = versions_made + 1
    where organization_id = ${organizationId} and id = ${assetId}
    returning versions_made as number`,
)

/** The row has the settings of the asset. It has no text to search for, and is in no folder. */
const insertMedia = statement(
  (given: Given<OfMedia & { createdBy: TokenId | null }>) => sql`
    insert into assets (
      organization_id, id, title, search_title, grams, resolutions, content_protection_type, generate_subtitle,
      created_by, is_listed, version_of, version)
    select organization_id, ${given.mediaId}, title, '', '{}', resolutions, content_protection_type, generate_subtitle,
      ${given.createdBy}::uuid, false, id, ${given.number}
    from assets where organization_id = ${given.organizationId} and id = ${given.assetId}`,
)

const insert = statement(
  (given: Given<OfMedia>) => sql`
    insert into asset_versions (organization_id, asset_id, number, media_id)
    values (${given.organizationId}, ${given.assetId}, ${given.number}, ${given.mediaId})`,
)

/** Adds a version without a file and returns its number. The caller has locked the asset. */
export async function insertVersion(
  tx: OrganizationDb,
  assetId: AssetId,
  media: { readonly mediaId: AssetId; readonly createdBy: TokenId | null },
): Promise<number> {
  const [, [taken]] = await tx.run(insertFirst({ assetId }), takeNumber({ assetId }))
  if (!taken) throw new Error(`Asset ${assetId} does not exist`)
  const { number } = taken
  await tx.run(insertMedia({ assetId, number, ...media }), insert({ assetId, number, mediaId: media.mediaId }))
  return number
}

const save = statement(
  (given: Given<OfAsset & { tracks: string }>) => sql`
    update asset_versions set image_keys = ${imageKeys('shown')},
      saved = to_jsonb(shown) || jsonb_build_object('tracks', ${given.tracks}::jsonb)
    from (
      select ${columnList} from assets where organization_id = ${given.organizationId} and id = ${given.assetId}
    ) as shown
    where ${ofAsset(given)} and number = 1`,
)

/** Keeps the columns of version 1, and its subtitles, before another version is shown. */
export async function saveFirst(tx: OrganizationDb, assetId: AssetId, tracks: readonly ShownTrack[]): Promise<void> {
  await tx.run(save({ assetId, tracks: JSON.stringify(tracks) }))
}

const show = (given: Given<OfAsset>, changes: RawBuilder<unknown>, from: RawBuilder<unknown>) => sql`
  update assets as shown set ${changes}, updated_at = now(), ${sql.raw(
    names.map((name) => `${name} = media.${name}`).join(', '),
  )}
  from ${from} as media
  where shown.organization_id = ${given.organizationId} and shown.id = ${given.assetId}`

const showMedia = statement((given: Given<OfMedia>) =>
  show(
    given,
    sql`media_id = ${given.mediaId}, version = ${given.number}, own_bytes = coalesce(shown.own_bytes, shown.bytes)`,
    sql`(select ${columnList} from assets where organization_id = ${given.organizationId} and id = ${given.mediaId})`,
  ),
)

const showFirst = statement((given: Given<OfAsset>) =>
  show(
    given,
    sql`media_id = null, version = 1, own_bytes = null`,
    sql`(
      select own.* from asset_versions, jsonb_to_record(saved) as own (${recordType})
      where ${ofAsset(given)} and number = 1)`,
  ),
)

/** The duration of the version that is shown, if the asset is trimmed. */
const applyTrim = statement(
  ({ organizationId, assetId }: Given<OfAsset>) => sql`
    update assets as shown
    set duration_seconds = (end_frame - start_frame)::double precision * rate_denominator / rate_numerator
    from asset_trims as trimmed
    where shown.organization_id = ${organizationId} and shown.id = ${assetId}
      and trimmed.organization_id = ${organizationId} and trimmed.asset_id = ${assetId}
      and trimmed.media_id = coalesce(shown.media_id, shown.id)`,
)

const markShown = statement(
  (given: Given<OfVersion>) => sql`
    update asset_versions set activated_at = coalesce(activated_at, now()), saved = null,
      image_keys = ${imageKeys('shown')}
    from assets as shown
    where shown.organization_id = ${given.organizationId} and shown.id = ${given.assetId}
      and asset_versions.organization_id = ${given.organizationId} and asset_id = ${given.assetId}
      and number = ${given.number}`,
)

/** Copies the columns of the version to the asset. The caller has locked the asset and called `saveFirst`. */
export async function showVersion(tx: OrganizationDb, assetId: AssetId, version: Version): Promise<void> {
  const { number, mediaId } = version
  await tx.run(
    number === 1 ? showFirst({ assetId }) : showMedia({ assetId, number, mediaId }),
    applyTrim({ assetId }),
    markShown({ assetId, number }),
  )
}

const savedTracks = statement(
  (given: Given<OfAsset>) => sql<{ tracks: readonly ShownTrack[] }>`
    select saved -> 'tracks' as tracks from asset_versions where ${ofAsset(given)} and number = 1 and saved is not null`,
)

/** The generated and embedded subtitles of version 1, which were kept by `saveFirst`. */
export async function findSavedTracks(tx: OrganizationDb, assetId: AssetId): Promise<readonly ShownTrack[]> {
  const [[row]] = await tx.run(savedTracks({ assetId }))
  return row?.tracks ?? []
}

const deleteMedia = statement(
  ({ organizationId, mediaId }: Given<{ mediaId: AssetId }>) => sql`
    delete from assets where organization_id = ${organizationId} and id = ${mediaId} and version_of is not null`,
)

/** Deletes the rows of a version other than the first. */
export async function deleteVersion(tx: OrganizationDb, mediaId: AssetId): Promise<void> {
  await tx.run(deleteMedia({ mediaId }))
}

const deleteFirst = statement(
  (given: Given<OfAsset>) => sql`delete from asset_versions where ${ofAsset(given)} and number = 1`,
)

const deleteFrom = (table: string) =>
  statement((given: Given<OfAsset>) => sql`delete from ${sql.table(table)} where ${ofAsset(given)}`)

/**
 * The tables with the media of an asset; others with media refer to these. What identifies the keys of a protected
 * video stays: the service has no right to delete it.
 */
const deletions = ['renditions', 'asset_plans', 'asset_probes', 'pipelines', 'upload_sessions'].map(deleteFrom)

/** The change of `source_key` fires the trigger that refuses it under a legal hold. */
const clearSource = statement(
  ({ organizationId, assetId }: Given<OfAsset>) => sql<{ key: string }>`
    with before as (
      select source_key, own_bytes from assets where organization_id = ${organizationId} and id = ${assetId}
    ),
    cleared as (
      update assets set source_key = null, source_version = null, source_etag = null, own_bytes = 0
      where organization_id = ${organizationId} and id = ${assetId} and media_id is not null
    )
    select source_key as key, count_usage(${organizationId}, -own_bytes, 0) from before where own_bytes > 0`,
)

/** Deletes the rows of version 1 while another one is shown, and returns the storage key of its file. */
export async function deleteFirstVersion(tx: OrganizationDb, { id: assetId }: Asset): Promise<string | undefined> {
  const [[file]] = await tx.run(
    clearSource({ assetId }),
    deleteFirst({ assetId }),
    unpublishSteps({ assetId }),
    ...deletions.map((remove) => remove({ assetId })),
  )
  return file?.key
}
