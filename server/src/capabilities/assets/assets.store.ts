import { type RawBuilder, sql } from 'kysely'
import type { AssetId, FolderUuid } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { type Given, statement, takesLong } from '../../platform/db/statement.ts'
import { HAPPENINGS_KEPT_MAX, type Happening } from './asset-timeline.rules.ts'
import type { ToldAsset } from './assets.events.ts'
import { type Asset, type Failure, type Probed, statusesBefore } from './assets.rules.ts'

const columns = [
  'organization_id as organizationId',
  'id',
  'title',
  'folder_uuid as folderUuid',
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
  'playable_at as playableAt',
  'cover_key as coverKey',
  'thumbnail_keys as thumbnailKeys',
  'storyboard_key as storyboardKey',
  'created_at as createdAt',
  'updated_at as updatedAt',
] as const

/** The same in SQL that is written out: the columns of the table, and their names in a row. */
const tableColumns = sql.raw(columns.map((column) => column.split(' as ')[0]).join(', '))
const ownColumns = sql.raw(
  columns.map((column) => column.replace(/ as (.+)/, ' as "$1"')).join(', '),
)

const segmentsUnderWay = sql`
  select coalesce(sum((under_way ->> rendition.name)::double precision), 0) from pipeline_steps as step
  where step.organization_id = rendition.organization_id and step.asset_id = rendition.asset_id
    and state = 'running'`

/** Few, and read off their key, for each asset that is shown. */
const renditions = sql`coalesce((
  select jsonb_agg(jsonb_build_object(
    'name', name, 'width', width, 'height', height, 'bitrateMax', bitrate_max, 'bytes', bytes,
    'segmentsTotal', segments_total, 'segmentsDone', segments_done, 'segmentsUnderWay', (${segmentsUnderWay}))
    order by width, name)
  from renditions as rendition
  where rendition.organization_id = assets.organization_id and rendition.asset_id = assets.id
    and width is not null), '[]')`

/** With the sound. Nothing is whole of which nothing is planned. */
const isWhole = sql`coalesce((
  select bool_and(segments_done = segments_total) from renditions as rendition
  where rendition.organization_id = assets.organization_id and rendition.asset_id = assets.id), false)`

const subtitles = sql`coalesce((
  select jsonb_agg(jsonb_build_object(
    'id', track.id, 'language', language, 'label', label, 'origin', origin, 'key', storage_key) order by track.id)
  from subtitle_tracks as track
  where track.organization_id = assets.organization_id and track.asset_id = assets.id), '[]')`

export const rowColumns = sql`
  ${ownColumns}, ${renditions} as renditions, ${isWhole} as "isWhole", ${subtitles} as subtitles`

/** What is told of an asset: `ToldAsset`. */
export const toldColumns = sql`
  id, title, folder_uuid as "folderUuid", status, duration_seconds as "durationSeconds",
  error_code as "errorCode", error_detail as "errorDetail"`

export type ById = { readonly id: AssetId }

export const ofId = ({ organizationId, id }: Given<ById>) =>
  sql`organization_id = ${organizationId} and id = ${id}`

export const byId = statement(
  (given: Given<ById>) => sql<Asset>`select ${rowColumns} from assets where ${ofId(given)}`,
)

/** Waits for whoever is changing or deleting it. */
export const lock = takesLong(
  statement(
    (given: Given<ById>) => sql<Asset>`
      select ${rowColumns} from assets where ${ofId(given)} for no key update`,
  ),
)

/** Waits for whoever is deleting it, and nobody else. */
const keep = takesLong(
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
  readonly resolutions: readonly string[]
  /** Null: as the organization has it. */
  readonly contentProtection: string | null
  readonly generateSubtitle: boolean
}

/** Writes the asset if the folder is there, counts it, and answers it. */
const insert = (asset: Given<NewAsset>, from: RawBuilder<unknown>) => sql<Asset>`
  with created as (
    insert into assets (
      organization_id, id, folder_uuid, title, search_title, grams,
      resolutions, content_protection_type, generate_subtitle
    )
    select ${asset.organizationId}, ${asset.id}, folder.uuid, ${asset.title}, ${asset.searchTitle},
      ${asset.grams}::integer[], ${asset.resolutions}::text[],
      coalesce(${asset.contentProtection}, organization.content_protection_type), ${asset.generateSubtitle}
    from ${from}, organizations as organization
    where organization.id = ${asset.organizationId}
    returning ${tableColumns}
  ),
  counted as (
    insert into asset_counts as counts (organization_id, slot, asset_count)
    select organization_id, pg_backend_pid() % 16, 1 from created
    on conflict (organization_id, slot) do update set asset_count = counts.asset_count + 1
  )
  select ${ownColumns}, '[]'::jsonb as renditions, false as "isWhole", '[]'::jsonb as subtitles from created`

export const insertAtRoot = statement((asset: Given<NewAsset>) =>
  insert(asset, sql`(select null::text as uuid) as folder`),
)

/** Waits for whoever is deleting the folder, so it does not share a connection. */
export const insertInFolder = takesLong(
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
)

/** Named for programs, told for people. */
export type News = { readonly what: string; readonly detail: string }

/**
 * Whoever changes an asset holds its row, so no two happenings get the same number. The oldest makes room:
 * an asset may be renamed every second for years.
 */
export const note = statement(
  ({ organizationId, id, what, detail }: Given<ById & News>) => sql`
    with noted as (
      insert into asset_happenings (organization_id, asset_id, number, what, detail)
      select ${organizationId}, ${id}, coalesce(max(number), 0) + 1, ${what}, ${detail}
      from asset_happenings where organization_id = ${organizationId} and asset_id = ${id}
      returning number
    )
    delete from asset_happenings
    where organization_id = ${organizationId} and asset_id = ${id}
      and number <= (select number from noted) - ${sql.lit(HAPPENINGS_KEPT_MAX)}`,
)

export const happeningsOf = statement(
  ({ organizationId, id }: Given<ById>) => sql<Happening>`
    select at, what, detail from asset_happenings
    where organization_id = ${organizationId} and asset_id = ${id}
    order by number limit ${sql.lit(HAPPENINGS_KEPT_MAX)}`,
)

const setStatus = statement(
  (given: Given<ById & { status: string; before: readonly string[] }>) => sql<Asset>`
    update assets set status = ${given.status}, error_code = null, error_detail = null, updated_at = now()
    where ${ofId(given)} and status = any (${given.before}::text[])
    returning ${rowColumns}`,
)

const setError = statement(
  (given: Given<Failure & ById>) => sql<ToldAsset>`
    update assets set status = 'Error', error_code = ${given.code}, error_detail = ${given.detail},
      updated_at = now()
    where ${ofId(given)}
    returning ${toldColumns}`,
)

const setProbed = statement(
  (given: Given<Pick<Probed, 'durationSeconds' | 'width' | 'height'> & ById>) => sql`
    update assets set duration_seconds = ${given.durationSeconds}, width = ${given.width},
      height = ${given.height}, updated_at = now()
    where ${ofId(given)}`,
)

const setPlayable = statement(
  (given: Given<ById>) => sql`
    update assets set playable_at = now(), updated_at = now() where ${ofId(given)} and playable_at is null`,
)

export type Pictures = Pick<Asset, 'coverKey' | 'thumbnailKeys' | 'storyboardKey'>

const setPictures = statement(
  (given: Given<ById & Pictures>) => sql`
    update assets set cover_key = ${given.coverKey}, thumbnail_keys = ${given.thumbnailKeys}::text[],
      storyboard_key = ${given.storyboardKey}, updated_at = now()
    where ${ofId(given)}`,
)

const keepProbe = statement(
  ({ organizationId, id, probe }: Given<ById & { probe: string }>) => sql`
    insert into asset_probes as kept (organization_id, asset_id, probe)
    values (${organizationId}, ${id}, ${probe}::jsonb)
    on conflict (organization_id, asset_id) do update set probe = excluded.probe`,
)

const probeOf = statement(
  ({ organizationId, id }: Given<ById>) => sql<{ probe: Probed }>`
    select probe from asset_probes
    where organization_id = ${organizationId} and asset_id = ${id}`,
)

type Title = Pick<NewAsset, 'title' | 'searchTitle' | 'grams'>

const setTitle = statement(
  (given: Given<Title & ById>) => sql<Asset>`
    update assets set title = ${given.title}, search_title = ${given.searchTitle},
      grams = ${given.grams}::integer[], updated_at = now()
    where ${ofId(given)}
    returning ${rowColumns}`,
)

const setFolder = statement(
  (given: Given<ById & { folderUuid: FolderUuid | null }>) => sql<Asset>`
    update assets set folder_uuid = ${given.folderUuid}, updated_at = now()
    where ${ofId(given)}
    returning ${rowColumns}`,
)

const failedWith = takesLong(
  statement(
    ({
      organizationId,
      codes,
      limit,
    }: Given<{ codes: readonly string[]; limit: number }>) => sql<ById>`
      select id from assets
      where organization_id = ${organizationId} and status = 'Error' and error_code = any (${codes}::text[])
      order by id limit ${limit}`,
  ),
)

export async function selectFailed(
  db: OrganizationDb,
  codes: readonly string[],
  limit: number,
): Promise<AssetId[]> {
  const [rows] = await db.run(failedWith({ codes, limit }))
  return rows.map(({ id }) => id)
}

export async function findAsset(db: OrganizationDb, id: AssetId): Promise<Asset | undefined> {
  const [[asset]] = await db.run(byId({ id }))
  return asset
}

/** Nobody deletes it until the transaction ends. */
export async function findAndKeepAsset(
  tx: OrganizationDb,
  id: AssetId,
): Promise<Asset | undefined> {
  const [[asset]] = await tx.run(keep({ id }))
  return asset
}

/** Nobody else changes or deletes it until the transaction ends. */
export async function lockAsset(tx: OrganizationDb, id: AssetId): Promise<Asset | undefined> {
  const [[asset]] = await tx.run(lock({ id }))
  return asset
}

export async function updateTitle(
  tx: OrganizationDb,
  { id }: Asset,
  title: Title,
  news: News,
): Promise<Asset | undefined> {
  const [[asset]] = await tx.run(setTitle({ id, ...title }), note({ id, ...news }))
  return asset
}

export async function updateFolder(
  tx: OrganizationDb,
  { id }: Asset,
  folderUuid: FolderUuid | null,
  news: News,
): Promise<Asset | undefined> {
  const [[asset]] = await tx.run(setFolder({ id, folderUuid }), note({ id, ...news }))
  return asset
}

/** Undefined if its status does not allow it. */
export async function updateStatus(
  tx: OrganizationDb,
  { id }: Asset,
  status: Asset['status'],
  news: News,
): Promise<Asset | undefined> {
  const [[asset]] = await tx.run(
    setStatus({ id, status, before: statusesBefore(status) }),
    note({ id, ...news }),
  )
  return asset
}

export async function addHappening(tx: OrganizationDb, { id }: Asset, news: News): Promise<void> {
  await tx.run(note({ id, ...news }))
}

export async function setFailure(
  tx: OrganizationDb,
  id: AssetId,
  failure: Failure,
): Promise<ToldAsset | undefined> {
  const { code, detail } = failure
  const [[asset]] = await tx.run(setError({ id, code, detail }), note({ id, what: code, detail }))
  return asset
}

export async function writeProbed(
  tx: OrganizationDb,
  { id }: Asset,
  { durationSeconds, width, height, ...more }: Probed,
  news: News,
): Promise<void> {
  const probe = JSON.stringify({ durationSeconds, width, height, ...more })
  await tx.run(
    setProbed({ id, durationSeconds, width, height }),
    keepProbe({ id, probe }),
    note({ id, ...news }),
  )
}

export async function writePlayable(tx: OrganizationDb, { id }: Asset, news: News): Promise<void> {
  await tx.run(setPlayable({ id }), note({ id, ...news }))
}

export async function writePictures(
  tx: OrganizationDb,
  { id }: Asset,
  pictures: Pictures,
): Promise<void> {
  const detail = 'Cover, thumbnails and storyboard have been chosen.'
  await tx.run(setPictures({ id, ...pictures }), note({ id, what: 'pictures_chosen', detail }))
}

export async function findProbed(db: OrganizationDb, { id }: Asset): Promise<Probed | undefined> {
  const [[row]] = await db.run(probeOf({ id }))
  return row?.probe
}
