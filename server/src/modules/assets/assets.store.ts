import type { Proposals } from '@reelkeep/media'
import { type RawBuilder, sql } from 'kysely'
import type { AssetId, FolderUuid, TokenId, UploadSessionUuid } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { creating, dedicatedConnection, type Given, statement } from '../../platform/db/statement.ts'
import { creatorColumns } from '../grants/grants.ts'
import { TIMELINE_ENTRIES_MAX, type TimelineEntry } from './asset-timeline.rules.ts'
import type { AssetSummary } from './assets.events.ts'
import { type Asset, type Failure, mediaIdOf, type Probed, statusesLeadingTo } from './assets.rules.ts'
import { setClipImages, shownRange, trimmedDuration } from './range/shown-range.store.ts'

const columns = [
  'organization_id as organizationId',
  'id',
  'title',
  'folder_uuid as folderUuid',
  'description',
  'tags',
  'external_id as externalId',
  'metadata',
  'bytes',
  'status',
  'error_code as errorCode',
  'error_detail as errorDetail',
  'resolutions',
  'content_protection_type as contentProtection',
  'generate_subtitle as generateSubtitle',
  'duration_seconds as durationSeconds',
  'width',
  'height',
  'frame_rate as frameRate',
  'playable_at as playableAt',
  'cover_key as coverKey',
  'custom_cover_key as customCoverKey',
  'cover_request as coverRequest',
  'thumbnail_keys as thumbnailKeys',
  'storyboard_key as storyboardKey',
  'filmstrip_key as filmstripKey',
  'waveform_key as waveformKey',
  'legal_hold as legalHold',
  'created_at as createdAt',
  'updated_at as updatedAt',
  'deleted_at as deletedAt',
  'purge_at as purgeAt',
  'version_of as versionOfId',
  'version',
  'media_id as shownMediaId',
] as const

/** The asset columns for raw SQL: `tableColumns` without aliases, `ownColumns` with aliases. */
const tableColumns = sql.raw([...columns, 'created_by'].map((column) => column.split(' as ')[0]).join(', '))
const ownColumns = sql.raw(columns.map((column) => column.replace(/ as (.+)/, ' as "$1"')).join(', '))

/** The row whose media is shown. */
const mediaId = sql`coalesce(assets.media_id, assets.id)`

const segmentsUnderWay = sql`
  select coalesce(sum((under_way ->> rendition.name)::double precision), 0) from pipeline_steps as step
  where step.organization_id = rendition.organization_id and step.asset_id = rendition.asset_id
    and state = 'running'`

/** Subquery for the renditions: a few rows per asset, read by primary key. */
const renditions = sql`coalesce((
  select jsonb_agg(jsonb_build_object(
    'name', name, 'width', width, 'height', height, 'bitrateMax', bitrate_max, 'bytes', bytes,
    'segmentsTotal', segments_total, 'segmentsDone', segments_done, 'segmentsUnderWay', (${segmentsUnderWay}))
    order by width, name)
  from renditions as rendition
  where rendition.organization_id = assets.organization_id and rendition.asset_id = ${mediaId}
    and width is not null), '[]')`

/** Whether all tracks are complete, including audio. False if nothing is planned yet. */
const isWhole = sql`coalesce((
  select bool_and(segments_done = segments_total) from renditions as rendition
  where rendition.organization_id = assets.organization_id and rendition.asset_id = ${mediaId}), false)`

const subtitles = sql`coalesce((
  select jsonb_agg(jsonb_build_object(
    'id', track.id, 'language', language, 'label', label, 'origin', origin, 'key', storage_key) order by track.id)
  from subtitle_tracks as track
  where track.organization_id = assets.organization_id and track.asset_id = assets.id), '[]')`

/** A clip has none: the session of its media is that of another asset. */
const uploadSession = sql`(
  select uuid from upload_sessions as session
  where session.organization_id = assets.organization_id and session.asset_id = ${mediaId} and not exists (
    select from asset_clips as clip where clip.organization_id = assets.organization_id and clip.asset_id = assets.id))`

const range = shownRange(sql`assets.organization_id`, sql`assets.id`, mediaId)

export const rowColumns = sql`
  ${ownColumns}, ${creatorColumns('assets')}, ${uploadSession} as "uploadSessionUuid", ${renditions} as renditions,
  ${isWhole} as "isWhole", ${subtitles} as subtitles, ${range} as range`

/**
 * The same columns for lists whose responses show nothing of other tables, which are replaced by constants. The
 * progress of an asset that is not completed depends on its renditions.
 */
export const slimRowColumns = sql`
  ${ownColumns}, null as "createdBy", null as creator, null as "uploadSessionUuid",
  case when status = 'Completed' then '[]' else ${renditions} end as renditions,
  false as "isWhole", '[]'::jsonb as subtitles, null as range`

/** The columns of `AssetSummary`. */
export const summaryColumns = sql`
  id, title, folder_uuid as "folderUuid", external_id as "externalId", metadata, status,
  duration_seconds as "durationSeconds", error_code as "errorCode", error_detail as "errorDetail",
  purge_at as "purgeAt", version_of as "versionOfId", version`

export type ById = { readonly id: AssetId }

export const ofId = ({ organizationId, id }: Given<ById>) => sql`organization_id = ${organizationId} and id = ${id}`

export const byId = statement((given: Given<ById>) => sql<Asset>`select ${rowColumns} from assets where ${ofId(given)}`)

const byIds = dedicatedConnection(
  statement(
    ({ organizationId, ids }: Given<{ ids: readonly AssetId[] }>) => sql<Asset>`
      select ${rowColumns} from assets where organization_id = ${organizationId} and id = any (${ids}::uuid[])`,
  ),
)

/** Reads and locks an asset. Waits for concurrent changes and deletions. */
export const byIdForUpdate = dedicatedConnection(
  statement(
    (given: Given<ById>) => sql<Asset>`
      select ${rowColumns} from assets where ${ofId(given)} for no key update`,
  ),
)

/** Reads an asset and blocks its deletion. Waits only for concurrent deletions. */
const byIdForKeyShare = dedicatedConnection(
  statement(
    (given: Given<ById>) => sql<Asset>`
      select ${rowColumns} from assets where ${ofId(given)} for key share`,
  ),
)

export type NewAsset = {
  readonly id: AssetId
  readonly title: string
  readonly searchTitle: string
  readonly grams: readonly number[]
  /** Null for the organization's default resolutions. */
  readonly resolutions: readonly string[] | null
  /** Null for the organization's default content protection. */
  readonly contentProtection: string | null
  readonly generateSubtitle: boolean
  readonly description: string
  readonly tags: readonly string[]
  /** The tags in the form in which they are compared. */
  readonly tagKeys: readonly string[]
  readonly externalId: string | null
  /** Metadata as JSON. */
  readonly metadata: string
  readonly createdBy: TokenId | null
  readonly uploadSessionUuid: UploadSessionUuid
}

/**
 * Inserts the asset if the folder exists, no asset has its external id and its resolutions are known, increments the
 * counter shard and returns the asset.
 */
const insert = (asset: Given<NewAsset>, from: RawBuilder<unknown>) => sql<Asset>`
  with created as (
    insert into assets (
      organization_id, id, folder_uuid, title, search_title, grams,
      resolutions, content_protection_type, generate_subtitle, description, tags, external_id, metadata, created_by
    )
    select ${asset.organizationId}, ${asset.id}, folder.uuid, ${asset.title}, ${asset.searchTitle},
      ${asset.grams}::integer[], coalesce(${asset.resolutions}::text[], organization.default_resolutions),
      coalesce(${asset.contentProtection}, organization.content_protection_type), ${asset.generateSubtitle},
      ${asset.description}, ${asset.tags}::text[], ${asset.externalId}, ${asset.metadata}::jsonb, ${asset.createdBy}::uuid
    from ${from}, organizations as organization
    where organization.id = ${asset.organizationId}
      and coalesce(${asset.resolutions}::text[], organization.default_resolutions) is not null
    on conflict (organization_id, external_id) where external_id is not null do nothing
    returning ${tableColumns}
  ),
  tagged as (
    insert into asset_tags (organization_id, asset_id, tag_key)
    select organization_id, id, tag_key from created, unnest(${asset.tagKeys}::text[]) as tag_key
  ),
  counted as (
    insert into asset_counts as counts (organization_id, slot, asset_count)
    select organization_id, pg_backend_pid() % 16, 1 from created
    on conflict (organization_id, slot) do update set asset_count = counts.asset_count + 1
  )
  select ${ownColumns}, ${creatorColumns('created')}, ${asset.uploadSessionUuid}::uuid as "uploadSessionUuid",
    '[]'::jsonb as renditions, false as "isWhole", '[]'::jsonb as subtitles, null as range from created`

export const insertAtRoot = creating(
  'asset',
  'id',
  statement((asset: Given<NewAsset>) => insert(asset, sql`(select null::text as uuid) as folder`)),
)

/** The insert may wait for a concurrent insert of the same external id, so it needs its own connection. */
export const insertAtRootWithExternalId = dedicatedConnection(insertAtRoot)

/** The insert may wait for a concurrent deletion of the folder, so it needs its own connection. */
export const insertInFolder = dedicatedConnection(
  creating(
    'asset',
    'id',
    statement((asset: Given<NewAsset & { folderUuid: FolderUuid }>) =>
      insert(
        asset,
        sql`(
          select uuid from folders
          where organization_id = ${asset.organizationId} and uuid = ${asset.folderUuid}
          for key share
        ) as folder`,
      ),
    ),
  ),
)

/** A timeline entry: `what` is a code for programs, `detail` a sentence for people. */
export type NewTimelineEntry = { readonly what: string; readonly detail: string }

/**
 * Adds a timeline entry and deletes the oldest entries beyond the limit. The caller has locked the asset, so the entry
 * numbers are unique.
 */
export const insertTimelineEntry = statement(
  ({ organizationId, id, what, detail }: Given<ById & NewTimelineEntry>) => sql`
    with inserted as (
      insert into asset_happenings (organization_id, asset_id, number, what, detail)
      select ${organizationId}, ${id}, coalesce(max(number), 0) + 1, ${what}, ${detail}
      from asset_happenings where organization_id = ${organizationId} and asset_id = ${id}
      returning number
    )
    delete from asset_happenings
    where organization_id = ${organizationId} and asset_id = ${id}
      and number <= (select number from inserted) - ${sql.lit(TIMELINE_ENTRIES_MAX)}`,
)

export const timelineEntriesOf = statement(
  ({ organizationId, id }: Given<ById>) => sql<TimelineEntry>`
    select at, what, detail from asset_happenings
    where organization_id = ${organizationId} and asset_id = ${id}
    order by number limit ${sql.lit(TIMELINE_ENTRIES_MAX)}`,
)

const setStatus = statement(
  (given: Given<ById & { status: string; before: readonly string[] }>) => sql<Asset>`
    update assets set status = ${given.status}, error_code = null, error_detail = null, updated_at = now()
    where ${ofId(given)} and status = any (${given.before}::text[])
    returning ${rowColumns}`,
)

/** `Cancelled` if no file was uploaded. */
type FailedStatus = 'Error' | 'Cancelled'

const setError = statement(
  (given: Given<Failure & ById & { status: FailedStatus }>) => sql<AssetSummary>`
    update assets set status = ${given.status}, error_code = ${given.code}, error_detail = ${given.detail},
      updated_at = now()
    where ${ofId(given)}
    returning ${summaryColumns}`,
)

/** Removes what `setProbed` sets. */
export const notProbed = sql`duration_seconds = null, width = null, height = null, frame_rate = null`

const setProbed = statement(
  (given: Given<Pick<Probed, 'durationSeconds' | 'width' | 'height' | 'frameRate'> & ById>) => sql`
    update assets set duration_seconds = coalesce(${trimmedDuration(given)}, ${given.durationSeconds}),
      width = ${given.width}, height = ${given.height}, frame_rate = ${given.frameRate}, updated_at = now()
    where ${ofId(given)}`,
)

const setPlayable = statement(
  (given: Given<ById>) => sql`
    update assets set playable_at = now(), updated_at = now() where ${ofId(given)} and playable_at is null`,
)

export type AssetImages = Pick<
  Asset,
  'coverKey' | 'thumbnailKeys' | 'storyboardKey' | 'filmstripKey' | 'waveformKey'
> & { readonly proposals: Proposals }

const setImages = statement(
  (given: Given<ById & Omit<AssetImages, 'proposals'> & { proposals: string }>) => sql`
    update assets set cover_key = ${given.coverKey}, thumbnail_keys = ${given.thumbnailKeys}::text[],
      storyboard_key = ${given.storyboardKey}, filmstrip_key = ${given.filmstripKey},
      waveform_key = ${given.waveformKey}, chapter_proposals = ${given.proposals}::jsonb, updated_at = now()
    where ${ofId(given)}`,
)

const proposalsOf = statement(
  (given: Given<ById>) => sql<{ proposals: Proposals | null }>`
    select chapter_proposals as proposals from assets where ${ofId(given)}`,
)

export async function findProposals(db: OrganizationDb, id: AssetId): Promise<Proposals | null> {
  const [[row]] = await db.run(proposalsOf({ id }))
  return row?.proposals ?? null
}

const upsertProbe = statement(
  ({ organizationId, id, probe }: Given<ById & { probe: string }>) => sql`
    insert into asset_probes (organization_id, asset_id, probe)
    values (${organizationId}, ${id}, ${probe}::jsonb)
    on conflict (organization_id, asset_id) do update set probe = excluded.probe`,
)

const probeOf = statement(
  ({ organizationId, id }: Given<ById>) => sql<{ probe: Probed }>`
    select probe from asset_probes
    where organization_id = ${organizationId} and asset_id = ${id}`,
)

export async function findAsset(db: OrganizationDb, id: AssetId): Promise<Asset | undefined> {
  const [[asset]] = await db.run(byId({ id }))
  return asset
}

export async function selectByIds(db: OrganizationDb, ids: readonly AssetId[]): Promise<Asset[]> {
  const [rows] = await db.run(byIds({ ids }))
  return rows
}

/** Blocks the deletion of the asset until the transaction ends. */
export async function findAssetForKeyShare(tx: OrganizationDb, id: AssetId): Promise<Asset | undefined> {
  const [[asset]] = await tx.run(byIdForKeyShare({ id }))
  return asset
}

/** Blocks changes and the deletion of the asset until the transaction ends. */
export async function lockAsset(tx: OrganizationDb, id: AssetId): Promise<Asset | undefined> {
  const [[asset]] = await tx.run(byIdForUpdate({ id }))
  return asset
}

/** Undefined if the current status does not allow the change. */
export async function updateStatus(
  tx: OrganizationDb,
  { id }: Asset,
  status: Asset['status'],
  entry: NewTimelineEntry,
): Promise<Asset | undefined> {
  const [[asset]] = await tx.run(
    setStatus({ id, status, before: statusesLeadingTo(status) }),
    insertTimelineEntry({ id, ...entry }),
  )
  return asset
}

export async function writeTimelineEntry(tx: OrganizationDb, { id }: Asset, entry: NewTimelineEntry): Promise<void> {
  await tx.run(insertTimelineEntry({ id, ...entry }))
}

export async function setFailure(
  tx: OrganizationDb,
  id: AssetId,
  { status, code, detail }: Failure & { readonly status: FailedStatus },
): Promise<AssetSummary | undefined> {
  const [[asset]] = await tx.run(
    setError({ id, status, code, detail }),
    insertTimelineEntry({ id, what: code, detail }),
  )
  return asset
}

export async function writeProbed(
  tx: OrganizationDb,
  { id }: Asset,
  { durationSeconds, width, height, frameRate, ...more }: Probed,
  entry: NewTimelineEntry,
): Promise<void> {
  const probe = JSON.stringify({ durationSeconds, width, height, frameRate, ...more })
  await tx.run(
    setProbed({ id, durationSeconds, width, height, frameRate }),
    upsertProbe({ id, probe }),
    insertTimelineEntry({ id, ...entry }),
  )
}

export async function writePlayable(tx: OrganizationDb, { id }: Asset, entry: NewTimelineEntry): Promise<void> {
  await tx.run(setPlayable({ id }), insertTimelineEntry({ id, ...entry }))
}

export async function writeImages(
  tx: OrganizationDb,
  { id }: Asset,
  { proposals: found, ...images }: AssetImages,
): Promise<void> {
  const proposals = JSON.stringify(found)
  const detail = 'Cover, thumbnails and storyboard created.'
  await tx.run(
    setImages({ id, proposals, ...images }),
    setClipImages({ id, ...images }),
    insertTimelineEntry({ id, what: 'pictures_chosen', detail }),
  )
}

export async function findProbed(db: OrganizationDb, asset: Asset): Promise<Probed | undefined> {
  const [[row]] = await db.run(probeOf({ id: mediaIdOf(asset) }))
  return row?.probe
}
