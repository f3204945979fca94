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
