import type { PartPeaks, Plan } from '@reelkeep/media'
import { sql } from 'kysely'
import type { AssetId } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { dedicatedConnection, type Given, statement } from '../../platform/db/statement.ts'
import type { Asset } from '../assets/assets.ts'
import type { NewRendition, PublishedTrack } from './renditions.rules.ts'

type OfAsset = { readonly assetId: AssetId }

const ofAsset = ({ organizationId, assetId }: Given<OfAsset>) =>
  sql`organization_id = ${organizationId} and asset_id = ${assetId}`

const upsertPlan = statement(
  (given: Given<OfAsset & { plan: string }>) => sql`
    insert into asset_plans (organization_id, asset_id, plan)
    values (${given.organizationId}, ${given.assetId}, ${given.plan}::jsonb)
    on conflict (organization_id, asset_id) do update set plan = excluded.plan`,
)

const deleteRenditions = statement((given: Given<OfAsset>) => sql`delete from renditions where ${ofAsset(given)}`)

const insertRenditions = statement(
  (given: Given<OfAsset & { renditions: string }>) => sql`
    insert into renditions (organization_id, asset_id, name, width, height, bitrate_max, segments_total)
    select ${given.organizationId}, ${given.assetId}, name, width, height, "bitrateMax", "segmentsTotal"
    from jsonb_to_recordset(${given.renditions}::jsonb)
      as planned (name text, width integer, height integer, "bitrateMax" integer, "segmentsTotal" integer)`,
)

const countEncoded = statement(
  ({ organizationId, seconds }: Given<{ seconds: number }>) =>
    sql`select from (select count_usage(${organizationId}, 0, ${seconds})) as counted`,
)

/** Replaces an earlier plan and its renditions. Counts what is encoded, for the quota. */
export async function writePlan(
  tx: OrganizationDb,
  { id: assetId }: Asset,
  {
    plan,
    renditions,
    encodedSeconds: seconds,
  }: { readonly plan: Plan; readonly renditions: readonly NewRendition[]; readonly encodedSeconds: number },
): Promise<void> {
  await tx.run(
    upsertPlan({ assetId, plan: JSON.stringify(plan) }),
    countEncoded({ seconds }),
    deleteRenditions({ assetId }),
    insertRenditions({ assetId, renditions: JSON.stringify(renditions) }),
  )
}

const planOf = statement(
  (given: Given<OfAsset>) => sql<{ plan: Plan }>`
    select plan from asset_plans where ${ofAsset(given)}`,
)

export async function findPlan(db: OrganizationDb, { id }: Pick<Asset, 'id'>): Promise<Plan | undefined> {
  const [[row]] = await db.run(planOf({ assetId: id }))
  return row?.plan
}

/** A track after one of its parts was published. */
type TrackProgress = {
  readonly name: string
  /** A video track, which the API lists as a rendition. The API does not list the audio track. */
  readonly isVideo: boolean
  readonly segmentsDone: number
  readonly segmentsTotal: number
  /** The part has the same codecs and init segment as the parts published before. */
  readonly matches: boolean
}

const publish = statement(
  (given: Given<OfAsset & { prefix: string; tracks: string }>) => sql<TrackProgress>`
    with encoded as (
      select * from jsonb_to_recordset(${given.tracks}::jsonb) as encoded (
        name text, "firstSegment" integer, "segmentCount" integer, bytes bigint, codecs text, "initHash" text,
        segments jsonb, peaks text)
    ),
    inserted as (
      insert into rendition_parts (organization_id, asset_id, rendition, first_segment, prefix, segments, peaks)
      select ${given.organizationId}, ${given.assetId}, name, "firstSegment", ${given.prefix}, segments,
        decode(peaks, 'base64')
      from encoded
    )
    update renditions as mine set segments_done = segments_done + "segmentCount", bytes = mine.bytes + encoded.bytes,
      codecs = coalesce(mine.codecs, encoded.codecs), init_hash = coalesce(init_hash, decode("initHash", 'hex')),
      init_key = coalesce(init_key, ${given.prefix} || encoded.name || '/init.mp4')
    from encoded
    where ${ofAsset(given)} and mine.name = encoded.name
    returning mine.name, width is not null as "isVideo", segments_done as "segmentsDone",
      segments_total as "segmentsTotal",
      mine.codecs = encoded.codecs and init_hash = decode("initHash", 'hex') as "matches"`,
)

export async function publishTracks(
  tx: OrganizationDb,
  { id: assetId }: Asset,
  { prefix, tracks }: { readonly prefix: string; readonly tracks: readonly PublishedTrack[] },
): Promise<TrackProgress[]> {
  const [rows] = await tx.run(publish({ assetId, prefix, tracks: JSON.stringify(tracks) }))
  return rows
}

const updateParts = statement(
  (given: Given<OfAsset & { tracks: string }>) => sql<Pick<TrackProgress, 'name' | 'matches'>>`
    with encoded as (
      select * from jsonb_to_recordset(${given.tracks}::jsonb) as encoded (
        name text, "firstSegment" integer, bytes bigint, codecs text, "initHash" text, segments jsonb)
    ),
    before as (
      select encoded.name,
        (select sum((segment ->> 'bytes')::bigint) from jsonb_array_elements(parts.segments) as segment) as bytes
      from encoded, rendition_parts as parts
      where ${ofAsset(given)} and rendition = encoded.name and first_segment = "firstSegment"
    ),
    updated as (
      update rendition_parts as parts set segments = encoded.segments
      from encoded where ${ofAsset(given)} and rendition = encoded.name and first_segment = "firstSegment"
    )
    update renditions as mine set bytes = mine.bytes + encoded.bytes - before.bytes
    from encoded, before
    where ${ofAsset(given)} and mine.name = encoded.name and before.name = encoded.name
    returning mine.name, mine.codecs = encoded.codecs and init_hash = decode("initHash", 'hex') as "matches"`,
)

/** Replaces the segments of a part. Returns the tracks whose part exists. */
export async function updateTracks(tx: OrganizationDb, { id: assetId }: Asset, tracks: readonly PublishedTrack[]) {
  const [rows] = await tx.run(updateParts({ assetId, tracks: JSON.stringify(tracks) }))
  return rows
}

export type PartRow = {
  readonly initKey: string
  readonly firstSegment: number
  readonly prefix: string
  readonly segments: PublishedTrack['segments']
}

const partsOf = statement(
  (given: Given<OfAsset & { name: string }>) => sql<PartRow>`
    select init_key as "initKey", first_segment as "firstSegment", prefix, segments
    from renditions join rendition_parts using (organization_id, asset_id)
    where ${ofAsset(given)} and name = ${given.name} and rendition = ${given.name}
    order by first_segment`,
)

export async function selectParts(
  db: OrganizationDb,
  { id: assetId }: Pick<Asset, 'id'>,
  name: string,
): Promise<PartRow[]> {
  const [rows] = await db.run(partsOf({ assetId, name }))
  return rows
}

const peaksOf = dedicatedConnection(
  statement(
    (given: Given<OfAsset>) => sql<PartPeaks>`
      select first_segment as "firstSegment", peaks from rendition_parts
      where ${ofAsset(given)} and rendition = 'audio' and peaks is not null
      order by first_segment`,
  ),
)

/** The peaks of the audio by part. Parts of older releases have none. */
export async function selectPeaks(db: OrganizationDb, { id }: Pick<Asset, 'id'>): Promise<PartPeaks[]> {
  const [rows] = await db.run(peaksOf({ assetId: id }))
  return rows
}

const started = statement(
  (given: Given<OfAsset>) => sql<{ rendition: string }>`
    select rendition from rendition_parts where ${ofAsset(given)} and first_segment = 0`,
)

/** Names of the tracks whose first segment is published. */
export async function selectStarted(tx: OrganizationDb, { id }: Asset): Promise<string[]> {
  const [rows] = await tx.run(started({ assetId: id }))
  return rows.map(({ rendition }) => rendition)
}

export type PublishedPart = {
  readonly rendition: string
  readonly firstSegment: number
  readonly count: number
  readonly prefix: string
}

const inits = statement(
  (given: Given<OfAsset>) => sql<{ key: string }>`
    select init_key as key from renditions where ${ofAsset(given)} and init_key is not null`,
)

const publishedParts = dedicatedConnection(
  statement(
    (given: Given<OfAsset>) => sql<PublishedPart>`
      select rendition, first_segment as "firstSegment", jsonb_array_length(segments) as count, prefix
      from rendition_parts where ${ofAsset(given)}`,
  ),
)

/** Init segments and parts of everything that can be played. */
export async function selectStoredObjects(db: OrganizationDb, assetId: AssetId) {
  const [initKeys, parts] = await db.run(inits({ assetId }), publishedParts({ assetId }))
  return { initKeys: initKeys.map(({ key }) => key), parts }
}
