import { sql } from 'kysely'
import type { AssetId } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { dedicatedConnection, type Given, statement } from '../../platform/db/statement.ts'
import { type Asset, type ShownRange, shownRange } from '../assets/assets.ts'
import type { PlannedTrack, PlannedVideo, PublishedPart, Targets, TrackRates } from './playback.rules.ts'
import type { ProtectionState } from './protection/protected-viewing.rules.ts'

type OfAsset = { readonly assetId: AssetId }
/** `mediaId` names the version whose files are requested; null for the one that is shown. */
type OfMedia = OfAsset & { readonly mediaId: AssetId | null }

export type VideoState = Pick<Asset, 'status'> &
  ProtectionState & {
    readonly version: string
    readonly hasChapters: boolean
    /** The id under which the files are stored. */
    readonly mediaId: AssetId
    /** Number of the version that the asset shows, and the row with its media; null if it is the asset itself. */
    readonly shownVersion: number
    readonly shownMediaId: AssetId | null
    /** The part of the media that the asset shows; null for the whole. */
    readonly range: ShownRange | null
  }

const ofAsset = ({ organizationId, assetId }: Given<OfAsset>) =>
  sql<boolean>`organization_id = ${organizationId} and asset_id = ${assetId}`

/** Joins the id under which the files are stored. */
const media = ({ mediaId }: Given<OfMedia>) =>
  sql`lateral (select coalesce(${mediaId}::uuid, assets.media_id, assets.id) as id) as media`

const ofMedia = ({ organizationId }: Given<OfMedia>) =>
  sql<boolean>`organization_id = ${organizationId} and asset_id = media.id`

const rangeOfMedia = ({ organizationId, assetId }: Given<OfMedia>) =>
  shownRange(sql`${organizationId}`, sql`${assetId}::uuid`, sql`media.id`)

const protectionState = (given: Given<OfMedia>) => sql`
  content_protection_type as "contentProtection", exists (select from asset_protections where ${ofMedia(given)}) as "hasKeys"`

/**
 * State of a video. `version` changes whenever a manifest would change: the plan is rewritten, parts are published,
 * subtitles are added, replaced or removed, the first chapter is added or the last one removed. Runs for every manifest
 * request, so it is short.
 */
const videoState = statement(
  (given: Given<OfMedia>) => sql<VideoState>`
    select status, ${protectionState(given)}, has_chapters as "hasChapters", media.id as "mediaId",
      version as "shownVersion", media_id as "shownMediaId", shown.range,
      concat_ws(' ', status, has_chapters, media.id, shown.range,
        (select xmin::text from asset_plans where ${ofMedia(given)}),
        (select sum(segments_done) from renditions where ${ofMedia(given)}),
        (select string_agg(concat(subtitle_tracks.id, '.', subtitle_tracks.version), ' ' order by subtitle_tracks.id)
          from subtitle_tracks where ${ofAsset(given)})) as version
    from assets,
      lateral (select exists (select from chapters where ${ofAsset(given)}) as has_chapters) as contents,
      ${media(given)}, lateral (select ${rangeOfMedia(given)} as range) as shown
    where organization_id = ${given.organizationId} and assets.id = ${given.assetId}`,
)

/** `status` is that of the version that is shown. Processing of all others has ended. */
export async function findVideoState(
  db: OrganizationDb,
  assetId: AssetId,
  mediaId: AssetId | null = null,
): Promise<VideoState | undefined> {
  const [[state]] = await db.run(videoState({ assetId, mediaId }))
  return state
}

const versionMedia = statement(
  (given: Given<OfAsset & { number: number }>) => sql<{ mediaId: AssetId }>`
    select media_id as "mediaId" from asset_versions
    where ${ofAsset(given)} and number = ${given.number} and activated_at is not null
    union all
    select media_id from asset_clips where ${ofAsset(given)} and ${given.number} = 1`,
)

/** The id of a version that has been shown. */
export async function findVersionMedia(
  db: OrganizationDb,
  assetId: AssetId,
  number: number,
): Promise<AssetId | undefined> {
  const [[version]] = await db.run(versionMedia({ assetId, number }))
  return version?.mediaId
}

const shownMedia = statement(
  (given: Given<OfAsset>) => sql<{ mediaId: AssetId }>`
    select media_id as "mediaId" from asset_versions where ${ofAsset(given)} and activated_at is not null
    union all
    select media_id from asset_clips where ${ofAsset(given)}`,
)

/** The ids of all versions that have been shown. */
export async function selectMediaIds(db: OrganizationDb, assetId: AssetId): Promise<AssetId[]> {
  const [versions] = await db.run(shownMedia({ assetId }))
  return versions.length === 0 ? [assetId] : versions.map(({ mediaId }) => mediaId)
}

const planOf = statement(
  (given: Given<OfAsset>) => sql<PlannedVideo['plan']>`
    select plan -> 'durationSeconds' as "durationSeconds", plan -> 'frameRate' as "frameRate",
      plan -> 'segmentFrames' as "segmentFrames", plan -> 'gopFrames' as "gopFrames", plan -> 'audio' as audio
    from asset_plans where ${ofAsset(given)}`,
)

const tracksOf = statement(
  (given: Given<OfAsset>) => sql<PlannedTrack>`
    select name, width, height, bitrate_max as "bitrateMax", segments_total as "segmentsTotal",
      segments_done as "segmentsDone", codecs, init_key as "initKey"
    from renditions where ${ofAsset(given)} order by width::bigint * height nulls last, name`,
)

/** The segments of a long video are megabytes; for tracks that were not requested, their number is enough. */
const partsOf = dedicatedConnection(
  statement(
    (given: Given<OfAsset & { wanted: readonly string[] | null }>) => sql<PublishedPart>`
      select rendition, first_segment as "firstSegment", prefix, jsonb_array_length(segments) as count,
        case when ${given.wanted}::text[] is null or rendition = any (${given.wanted}::text[]) then segments end as segments
      from rendition_parts where ${ofAsset(given)} order by rendition, first_segment`,
  ),
)

export type OfMediaFile = OfMedia & {
  readonly key: string
  readonly prefix: string
  readonly track: string | null
  readonly segment: number | null
}

export type MediaFileState = ProtectionState & {
  readonly isPublished: boolean
  /** Storage has lost or damaged the file, and it is not repaired yet. */
  readonly isDamaged: boolean
  /** Size of the file, and its MD5 hash in hexadecimal digits; null if they are unknown. */
  readonly stored: { readonly bytes: number; readonly md5: string } | null
  /** Prefix under which a repair has stored the damaged file again. */
  readonly movedTo: string | null
  /** Duration of a segment; null for other files, and for audio that belongs to a video. */
  readonly seconds: number | null
}

/** Whether the segment contains a frame of the part that the asset shows. */
const isShown = ({ organizationId, assetId, segment }: Given<OfMediaFile>) => sql`not exists (
  select from asset_clips
  where organization_id = ${organizationId} and asset_id = ${assetId}
    and not (${segment}::integer >= start_frame / segment_frames
      and ${segment}::integer * segment_frames < end_frame)
  union all
  select from asset_trims
  where organization_id = ${organizationId} and asset_id = ${assetId} and media_id = media.id
    and not (${segment}::integer >= start_frame / segment_frames
      and ${segment}::integer * segment_frames < end_frame))`

/**
 * Runs for every media file, so it finds its rows by their keys. All files in the folder of a published image count
 * as published, because a storyboard names its sheets. So do the files that a repair has stored again under another
 * prefix, for viewers with an older playlist.
 */
const stateOf = statement(
  (given: Given<OfMediaFile>) => sql<MediaFileState>`
    select ${protectionState(given)}, case
        when ${given.track} <> 'audio' then part.seconds
        when not exists (select from renditions where ${ofMedia(given)} and width is not null) then part.seconds
      end as seconds,
      coalesce(part.is_published, false)
      or exists (select from renditions where ${ofMedia(given)} and init_key = ${given.key})
      or exists (
        select from subtitle_tracks
        where organization_id = ${given.organizationId} and asset_id in (assets.id, media.id)
          and storage_key = ${given.key})
      or exists (
        select from subtitle_versions
        where organization_id = ${given.organizationId} and asset_id = assets.id
          and ${given.key} in (storage_key, produced_key))
      or exists (
        select from unnest(thumbnail_keys || array[cover_key, storyboard_key, filmstrip_key, waveform_key]) as picture_key
        where starts_with(picture_key, ${given.prefix}))
      or exists (
        select from asset_versions, unnest(image_keys) as picture_key
        where organization_id = ${given.organizationId} and asset_versions.media_id = media.id
          and starts_with(picture_key, ${given.prefix}))
      or coalesce(custom_cover_key = ${given.key}, false)
      or (file.replaced_by is not null and (${given.segment}::integer is null or ${isShown(given)})) as "isPublished",
      coalesce(file.is_damaged, false) as "isDamaged",
      case when file.is_damaged then file.replaced_by end as "movedTo",
      case when file.bytes is not null then json_build_object('bytes', file.bytes, 'md5', file.md5) end as stored
    from assets cross join ${media(given)} left join lateral (
      select prefix = ${given.prefix} and first_segment + jsonb_array_length(segments) > ${given.segment}::integer
          and ${isShown(given)} as is_published,
        (segments -> (${given.segment}::integer - first_segment) ->> 'seconds')::double precision as seconds
      from rendition_parts
      where ${ofMedia(given)} and rendition = ${given.track} and first_segment <= ${given.segment}::integer
      order by first_segment desc limit 1
    ) as part on true left join lateral (
      select bytes[position] as bytes, encode(substr(md5, 16 * position - 15, 16), 'hex') as md5,
        name = any (damaged) as is_damaged, replaced_by
      from published_files, lateral (select substr(${given.key}, length(published_files.prefix) + 1) as name) as named,
        lateral (select array_position(names, name) as position) as found
      where organization_id = ${given.organizationId} and asset_id in (assets.id, media.id)
        and published_files.prefix in (${given.prefix}, ${given.key}) and position is not null
      limit 1
    ) as file on true
    where organization_id = ${given.organizationId} and assets.id = ${given.assetId}`,
)

export async function findMediaFileState(db: OrganizationDb, file: OfMediaFile): Promise<MediaFileState | undefined> {
  const [[state]] = await db.run(stateOf(file))
  return state
}

export type KeyState = ProtectionState & {
  /** Number of segments; 0 if the video is not planned yet. */
  readonly segmentsTotal: number
  /** The id under which the files are stored. */
  readonly mediaId: AssetId
  /** The part of the media that the asset shows; null for the whole. */
  readonly range: ShownRange | null
}

const keyState = statement(
  (given: Given<OfMedia>) => sql<KeyState>`
    select ${protectionState(given)}, (
      select coalesce(max(segments_total), 0) from renditions where ${ofMedia(given)}) as "segmentsTotal",
      media.id as "mediaId", ${rangeOfMedia(given)} as range
    from assets, ${media(given)}
    where organization_id = ${given.organizationId} and assets.id = ${given.assetId}`,
)

/** Undefined if there is no such asset. */
export async function findKeyState(db: OrganizationDb, { assetId, mediaId }: OfMedia): Promise<KeyState | undefined> {
  const [[state]] = await db.run(keyState({ assetId, mediaId }))
  return state
}

export async function findPlanned(db: OrganizationDb, assetId: AssetId): Promise<PlannedVideo | undefined> {
  const [[plan], tracks] = await db.run(planOf({ assetId }), tracksOf({ assetId }))
  return plan && { plan, tracks }
}

/** Reads the encoded parts with the segments of the given tracks; null for all tracks. */
export async function selectParts(
  db: OrganizationDb,
  assetId: AssetId,
  wanted: readonly string[] | null,
): Promise<PublishedPart[]> {
  const [parts] = await db.run(partsOf({ assetId, wanted }))
  return parts
}

/**
 * The peak bitrate is measured over segments that last between 0.5 and 1.5 target durations (RFC 8216, 4.3.4.2).
 * All of ours do, except the last one, which is counted together with the one before it.
 */
const ratesOf = dedicatedConnection(
  statement(
    (given: Given<OfAsset & Targets>) => sql<TrackRates>`
      with segment as (
        select rendition, first_segment + ordinal as number, value
        from rendition_parts, jsonb_array_elements(segments) with ordinality as listed (value, ordinal)
        where ${ofAsset(given)}
      ),
      sample as (
        select rendition, false as is_keyframe, number, 0 as ordinal, value,
          ${given.segmentTarget}::double precision as target
        from segment
        union all
        select rendition, true, number, listed.ordinal, listed.value, ${given.keyframeTarget}::double precision
        from segment, jsonb_array_elements(segment.value -> 'keyframes') with ordinality as listed (value, ordinal)
      ),
      single as (
        select rendition, is_keyframe, number, ordinal, target,
          (value -> 'bytes')::double precision as bytes, (value -> 'seconds')::double precision as seconds
        from sample
      ),
      pair as (
        select *, bytes + lag(bytes) over track as pair_bytes, seconds + lag(seconds) over track as pair_seconds
        from single window track as (partition by rendition, is_keyframe order by number, ordinal)
      ),
      rate as (
        select rendition, is_keyframe, ceil(sum(bytes) * 8 / nullif(sum(seconds), 0)) as average,
          ceil(greatest(
            max(bytes * 8 / seconds) filter (where seconds between target / 2 and target * 1.5),
            max(pair_bytes * 8 / pair_seconds) filter (where pair_seconds between target / 2 and target * 1.5)
          )) as peak
        from pair group by rendition, is_keyframe
      )
      select rendition, is_keyframe as "isKeyframe", greatest(1, average) as average,
        greatest(1, coalesce(peak, average)) as peak
      from rate`,
  ),
)

/** Parts and bitrates of all tracks, without the segments. */
export async function selectRates(
  db: OrganizationDb,
  assetId: AssetId,
  targets: Targets,
): Promise<{ parts: PublishedPart[]; rates: TrackRates[] }> {
  const wanted: string[] = []
  const [parts, rates] = await db.run(partsOf({ assetId, wanted }), ratesOf({ assetId, ...targets }))
  return { parts, rates }
}
