/** All references to the files of a prefix, for files that were stored again under another prefix. */
import { sql } from 'kysely'
import type { AssetId } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { type Given, statement } from '../../platform/db/statement.ts'

type Move = { readonly assetId: AssetId; readonly from: string; readonly to: string }

const ofAsset = ({ organizationId, assetId }: Given<Move>) =>
  sql`organization_id = ${organizationId} and asset_id = ${assetId}`

/** The key under the new prefix, if it has the old one. */
const moved = (column: string, { from, to }: Given<Move>) => {
  const key = sql.ref(column)
  return sql`case when starts_with(${key}, ${from}) then ${to} || substr(${key}, length(${from}) + 1) else ${key} end`
}

const moveParts = statement(
  (given: Given<Move>) => sql`
    update rendition_parts set prefix = ${given.to} where ${ofAsset(given)} and prefix = ${given.from}`,
)

const moveInits = statement(
  (given: Given<Move>) => sql`
    update renditions set init_key = ${moved('init_key', given)}
    where ${ofAsset(given)} and starts_with(init_key, ${given.from})`,
)

// An asset that shows a version has copies of its keys.
const moveImages = statement(
  (given: Given<Move>) => sql<{ id: AssetId }>`
    update assets set cover_key = ${moved('cover_key', given)}, storyboard_key = ${moved('storyboard_key', given)},
      filmstrip_key = ${moved('filmstrip_key', given)}, waveform_key = ${moved('waveform_key', given)},
      thumbnail_keys = array(
        select ${moved('key', given)} from unnest(thumbnail_keys) with ordinality as listed (key, number)
        order by number),
      updated_at = now()
    where organization_id = ${given.organizationId} and (id = ${given.assetId} or media_id = ${given.assetId})
      and exists (
        select from unnest(thumbnail_keys || array[cover_key, storyboard_key, filmstrip_key, waveform_key]) as key
        where starts_with(key, ${given.from}))
    returning id`,
)

const moveSubtitles = statement(
  (given: Given<Move>) => sql<{ id: AssetId }>`
    update subtitle_tracks set storage_key = ${moved('storage_key', given)}
    where organization_id = ${given.organizationId} and starts_with(storage_key, ${given.from})
      and asset_id in (
        select id from assets
        where organization_id = ${given.organizationId} and (id = ${given.assetId} or media_id = ${given.assetId}))
    returning asset_id as id`,
)

/** The files of steps of which versions of tracks are copies. */
const moveProduced = statement(
  (given: Given<Move>) => sql`
    update subtitle_versions set produced_key = ${moved('produced_key', given)}
    where organization_id = ${given.organizationId} and starts_with(produced_key, ${given.from})
      and asset_id in (
        select id from assets
        where organization_id = ${given.organizationId} and (id = ${given.assetId} or media_id = ${given.assetId}))`,
)

const moveVersions = statement(
  (given: Given<Move>) => sql`
    update asset_versions set saved = replace(saved::text, ${given.from}, ${given.to})::jsonb,
      image_keys = array(
        select ${moved('key', given)} from unnest(image_keys) with ordinality as listed (key, number)
        order by number)
    where organization_id = ${given.organizationId} and media_id = ${given.assetId}`,
)

// Changes the version of the video, so that cached manifests are written again.
const touchPlan = statement((given: Given<Move>) => sql`update asset_plans set plan = plan where ${ofAsset(given)}`)

/** Changes all references. Returns the assets whose URLs have changed. The caller has locked the asset. */
export async function moveReferences(tx: OrganizationDb, move: Move): Promise<AssetId[]> {
  const [, , images, subtitles] = await tx.run(
    moveParts(move),
    moveInits(move),
    moveImages(move),
    moveSubtitles(move),
    moveProduced(move),
    moveVersions(move),
    touchPlan(move),
  )
  return [...new Set([...images, ...subtitles].map(({ id }) => id))]
}
