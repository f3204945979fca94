import { sql } from 'kysely'
import type { AssetId, SubtitleId } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { dedicatedConnection, type Given, statement } from '../../platform/db/statement.ts'

type OfAsset = { readonly assetId: AssetId }
type OfTrack = OfAsset & { readonly subtitleId: SubtitleId; readonly language: string }

/** A transcript in columns. */
type Columns = {
  readonly starts: readonly number[]
  readonly ends: readonly number[]
  readonly texts: readonly string[]
  /** As JSON. */
  readonly cues: readonly string[]
}

const removeTranscript = statement(
  ({ organizationId, assetId, subtitleId }: Given<OfTrack>) => sql`
    delete from moments
    where organization_id = ${organizationId} and asset_id = ${assetId} and source = ${subtitleId}`,
)

const addTranscript = statement(
  ({ organizationId, assetId, subtitleId, language, starts, ends, texts, cues }: Given<OfTrack & Columns>) => sql`
    insert into moments (organization_id, asset_id, source, number, kind, start_ms, end_ms, text, cues,
      language, words)
    select ${organizationId}, ${assetId}::uuid, ${subtitleId}, number, 'transcript', start_ms, end_ms, text, cues::jsonb,
      ${language}, moment_words(${organizationId}, ${language}, text)
    from unnest(${starts}::integer[], ${ends}::integer[], ${texts}::text[], ${cues}::text[]) with ordinality
      as given (start_ms, end_ms, text, cues, number)`,
)

const addConfiguration = statement(
  ({ organizationId, language }: Given<OfTrack>) => sql`
    insert into search_configurations (organization_id, configuration)
    values (${organizationId}, search_configuration(${language})) on conflict do nothing`,
)

export async function replaceTranscript(tx: OrganizationDb, transcript: OfTrack & Columns): Promise<void> {
  await tx.send(removeTranscript(transcript), addTranscript(transcript), addConfiguration(transcript))
}

// A chapter ends where the next one starts. Rows that do not change are not written.
const syncChapters = statement(
  ({ organizationId, assetId }: Given<OfAsset>) => sql`
    with given as (
      select chapter.id, normalize(chapter.title, NFC) as text,
        chapter.start_seconds * 1000 + chapter.start_milliseconds as start_ms,
        coalesce(
          lead(chapter.start_seconds * 1000 + chapter.start_milliseconds)
            over (order by chapter.start_seconds, chapter.start_milliseconds),
          -- The times are those of the whole video, also of a trimmed one.
          (select round((trimmed.whole_end_frame - trimmed.whole_start_frame)::numeric * 1000 *
              trimmed.rate_denominator / trimmed.rate_numerator)::integer
            from asset_trims as trimmed
            where trimmed.organization_id = ${organizationId} and trimmed.asset_id = asset.id
              and trimmed.media_id = coalesce(asset.media_id, asset.id)),
          (asset.duration_seconds * 1000)::integer) as end_ms
      from chapters as chapter join assets as asset
        on asset.organization_id = ${organizationId} and asset.id = chapter.asset_id
      where chapter.organization_id = ${organizationId} and chapter.asset_id = ${assetId}
    ), removed as (
      delete from moments
      where organization_id = ${organizationId} and asset_id = ${assetId} and source = 'chapter'
        and number not in (select id from given)
    )
    insert into moments (organization_id, asset_id, source, number, kind, start_ms, end_ms, text, words)
    select ${organizationId}, ${assetId}::uuid, 'chapter', id, 'chapter', start_ms, end_ms, text,
      moment_words(${organizationId}, '', text)
    from given
    where not exists (
      select from moments as same
      where same.organization_id = ${organizationId} and same.asset_id = ${assetId} and same.source = 'chapter'
        and same.number = given.id and same.text = given.text and same.start_ms = given.start_ms
        and same.end_ms is not distinct from given.end_ms)
    on conflict (organization_id, asset_id, source, number)
      do update set start_ms = excluded.start_ms, end_ms = excluded.end_ms, text = excluded.text,
        words = excluded.words`,
)

export async function syncChapterMoments(tx: OrganizationDb, assetId: AssetId): Promise<void> {
  await tx.send(syncChapters({ assetId }))
}

const writeTitle = statement(
  ({ organizationId, assetId }: Given<OfAsset>) => sql`
    select write_title_moments(organization_id, id, title, description, tags)
    from assets where organization_id = ${organizationId} and id = ${assetId}`,
)

export async function syncTitleMoments(tx: OrganizationDb, assetId: AssetId): Promise<void> {
  await tx.send(writeTitle({ assetId }))
}

export type UnindexedTrack = { readonly subtitleId: SubtitleId; readonly language: string; readonly key: string }

const unindexedTracks = dedicatedConnection(
  statement(
    ({ organizationId, assetId }: Given<OfAsset>) => sql<UnindexedTrack>`
      select id as "subtitleId", language, storage_key as key from subtitle_tracks as track
      where organization_id = ${organizationId} and asset_id = ${assetId}
        and not exists (
          select from moments
          where organization_id = ${organizationId} and asset_id = ${assetId} and source = track.id::text)
      order by id`,
  ),
)

/** The tracks of an asset that have no moments. */
export async function selectUnindexedTracks(db: OrganizationDb, assetId: AssetId): Promise<UnindexedTrack[]> {
  const [tracks] = await db.run(unindexedTracks({ assetId }))
  return tracks
}

// An indexed asset has a moment of its title, which is never empty.
const unindexedAssets = dedicatedConnection(
  statement(
    ({ organizationId, after, limit }: Given<{ after: string; limit: number }>) => sql<{ id: AssetId }>`
      select id from assets
      where organization_id = ${organizationId} and id > ${after}::uuid and version_of is null and (
        not exists (
          select from moments
          where organization_id = ${organizationId} and asset_id = assets.id and source = 'title' and number = 0)
        or exists (
          select from chapters as chapter
          where organization_id = ${organizationId} and asset_id = assets.id and not exists (
            select from moments
            where organization_id = ${organizationId} and asset_id = assets.id and source = 'chapter'
              and number = chapter.id))
        or exists (
          select from subtitle_tracks as track
          where organization_id = ${organizationId} and asset_id = assets.id and not exists (
            select from moments
            where organization_id = ${organizationId} and asset_id = assets.id and source = track.id::text)))
      order by id limit ${limit}`,
  ),
)

/** Ids of assets with texts that have no moments, also in the trash, in their order. */
export async function selectUnindexedAssets(db: OrganizationDb, after: string, limit: number): Promise<AssetId[]> {
  const [rows] = await db.run(unindexedAssets({ after, limit }))
  return rows.map(({ id }) => id)
}

export type SpokenPart = {
  readonly startMs: number
  readonly endMs: number
  readonly text: string
  /** BCP 47 tag. */
  readonly language: string
  /** Bits of the meaning of each sentence; null unless all meanings are of the same model. */
  readonly fingerprints: readonly string[] | null
}

const spokenParts = statement(
  ({ organizationId, assetId }: Given<OfAsset>) => sql<SpokenPart>`
    with longest as (
      select source from moments
      where organization_id = ${organizationId} and asset_id = ${assetId} and kind = 'transcript'
      group by source order by sum(length(text)) desc, source limit 1)
    select start_ms as "startMs", coalesce(end_ms, start_ms) as "endMs", text, language,
      case when min(meaning.first_model) over () = max(meaning.last_model) over () then meaning.fingerprints end
        as fingerprints
    from moments left join lateral (
      select min(model) as first_model, max(model) as last_model,
        array_agg(fingerprint::text order by sentence) as fingerprints
      from moment_embeddings as embedded
      where embedded.organization_id = ${organizationId} and embedded.asset_id = ${assetId}
        and embedded.source = moments.source and embedded.number = moments.number) as meaning on true
    where organization_id = ${organizationId} and asset_id = ${assetId} and source = (select source from longest)
    order by number`,
)

/** The parts of the longest transcript of an asset, in their order. */
export async function selectSpokenParts(db: OrganizationDb, assetId: AssetId): Promise<SpokenPart[]> {
  const [rows] = await db.run(spokenParts({ assetId }))
  return rows
}
