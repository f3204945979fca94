import { sql } from 'kysely'
import type { AssetId } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { type Given, statement, takesLong } from '../../platform/db/statement.ts'
import type { Asset } from '../assets/assets.ts'
import type { MadeVideo, PlannedTrack, PublishedPart } from './playback.rules.ts'

type OfAsset = { readonly assetId: AssetId }

const ofAsset = ({ organizationId, assetId }: Given<OfAsset>) =>
  sql<boolean>`organization_id = ${organizationId} and asset_id = ${assetId}`

const planOf = statement(
  (given: Given<OfAsset>) => sql<MadeVideo['plan']>`
    select plan -> 'durationSeconds' as "durationSeconds", plan -> 'frameRate' as "frameRate",
      plan -> 'segmentFrames' as "segmentFrames", plan -> 'gopFrames' as "gopFrames", plan -> 'audio' as audio
    from asset_plans where ${ofAsset(given)}`,
)

const tracksOf = statement(
  (given: Given<OfAsset>) => sql<PlannedTrack>`
    select name, width, height, bitrate_max as "bitrateMax", segments_total as "segmentsTotal", codecs,
      init_key as "initKey"
    from renditions where ${ofAsset(given)} order by width::bigint * height nulls last, name`,
)

/** The segments of a long video are megabytes; of tracks that nobody asked about their number is enough. */
const partsOf = takesLong(
  statement(
    (given: Given<OfAsset & { wanted: readonly string[] | null }>) => sql<PublishedPart>`
      select rendition, first_segment as "firstSegment", prefix, jsonb_array_length(segments) as count,
        case when ${given.wanted}::text[] is null or rendition = any (${given.wanted}::text[]) then segments end as segments
      from rendition_parts where ${ofAsset(given)} order by rendition, first_segment`,
  ),
)

type OfPiece = OfAsset & {
  readonly key: string
  readonly prefix: string
  readonly track: string | null
  readonly segment: number | null
}

export type PieceState = Pick<Asset, 'contentProtection'> & { readonly isPublished: boolean }

/**
 * Read for every piece that is sent, so it finds its rows by their keys and reads nothing else. What lies beside a picture that is shown is
 * shown as well: a storyboard names its sheets.
 */
const stateOf = statement(
  (given: Given<OfPiece>) => sql<PieceState>`
    select content_protection_type as "contentProtection",
      coalesce((
        select prefix = ${given.prefix} and first_segment + jsonb_array_length(segments) > ${given.segment}::integer
        from rendition_parts
        where ${ofAsset(given)} and rendition = ${given.track} and first_segment <= ${given.segment}::integer
        order by first_segment desc limit 1), false)
      or exists (select from renditions where ${ofAsset(given)} and init_key = ${given.key})
      or exists (select from subtitle_tracks where ${ofAsset(given)} and storage_key = ${given.key})
      or exists (
        select from unnest(thumbnail_keys || cover_key || storyboard_key) as picture_key
        where starts_with(picture_key, ${given.prefix})) as "isPublished"
    from assets where organization_id = ${given.organizationId} and id = ${given.assetId}`,
)

/** Undefined if there is no such asset. */
export async function findPieceState(
  db: OrganizationDb,
  piece: OfPiece,
): Promise<PieceState | undefined> {
  const [[state]] = await db.run(stateOf(piece))
  return state
}

/** With the segments of the wanted tracks, or of all for null. Undefined until it is planned. */
export async function findMade(
  db: OrganizationDb,
  { id: assetId }: Asset,
  wanted: readonly string[] | null,
): Promise<Omit<MadeVideo, 'hasEnded'> | undefined> {
  const [[plan], tracks, parts] = await db.run(
    planOf({ assetId }),
    tracksOf({ assetId }),
    partsOf({ assetId, wanted }),
  )
  return plan && { plan, tracks, parts }
}
