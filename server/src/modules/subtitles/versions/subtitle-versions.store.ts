import { sql } from 'kysely'
import type { AssetId, SubtitleId } from '../../../kernel/ids.ts'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import { type Given, statement } from '../../../platform/db/statement.ts'
import type { SubtitleOrigin } from '../subtitles.rules.ts'
import type { TrackVersion } from './subtitle-versions.rules.ts'

export type OfTrack = { readonly assetId: AssetId; readonly id: SubtitleId }

const ofTrack = ({ organizationId, assetId, id }: Given<OfTrack>) =>
  sql<boolean>`organization_id = ${organizationId} and asset_id = ${assetId} and subtitle_id = ${id}`

const versionsOf = statement(
  (given: Given<OfTrack>) => sql<TrackVersion>`
    select number, origin, storage_key as key, produced_key as "producedKey", last_cue_seconds as "lastCueSeconds",
      created_at as "createdAt"
    from subtitle_versions where ${ofTrack(given)} order by number desc`,
)

/** Newest first; empty if the track was never replaced. */
export async function selectVersions(db: OrganizationDb, track: OfTrack): Promise<TrackVersion[]> {
  const [versions] = await db.run(versionsOf(track))
  return versions
}

type Kept = { readonly key: string; readonly producedKey: string | null }

const keepFirst = statement(
  (given: Given<OfTrack & Kept>) => sql`
    insert into subtitle_versions (organization_id, asset_id, subtitle_id, number, origin, storage_key, produced_key,
      last_cue_seconds, created_at)
    select organization_id, asset_id, id, version, origin, ${given.key}, ${given.producedKey}::text, last_cue_seconds,
      created_at
    from subtitle_tracks
    where organization_id = ${given.organizationId} and asset_id = ${given.assetId} and id = ${given.id}
    on conflict do nothing`,
)

/** Keeps the text of a track that is replaced for the first time. Does nothing if it is kept already. */
export async function insertFirst(tx: OrganizationDb, first: OfTrack & Kept): Promise<void> {
  await tx.run(keepFirst(first))
}

type NewVersion = {
  readonly origin: SubtitleOrigin
  readonly key: string
  readonly lastCueSeconds: number | null
}

const add = statement(
  (given: Given<OfTrack & NewVersion>) => sql<{ number: number }>`
    insert into subtitle_versions (organization_id, asset_id, subtitle_id, number, origin, storage_key,
      last_cue_seconds)
    select ${given.organizationId}, ${given.assetId}::uuid, ${given.id}::uuid, max(number) + 1, ${given.origin},
      ${given.key}, ${given.lastCueSeconds}::double precision
    from subtitle_versions where ${ofTrack(given)}
    returning number`,
)

/** Returns the number of the version. The newest version is never deleted, so numbers are not used again. */
export async function insertVersion(tx: OrganizationDb, version: OfTrack & NewVersion): Promise<number> {
  const [[row]] = await tx.run(add(version))
  if (!row) throw new Error('The insert returned no row')
  return row.number
}

// The origin of the track decides where its file is and whether processing replaces it: from now on it belongs to
// clients, whatever the origin of the version is.
const show = statement(
  (given: Given<OfTrack & { number: number }>) => sql`
    update subtitle_tracks set version = shown.number, storage_key = shown.storage_key,
      last_cue_seconds = shown.last_cue_seconds, origin = 'uploaded'
    from subtitle_versions as shown
    where subtitle_tracks.organization_id = ${given.organizationId} and subtitle_tracks.asset_id = ${given.assetId}
      and subtitle_tracks.id = ${given.id}
      and shown.organization_id = ${given.organizationId} and shown.asset_id = ${given.assetId}
      and shown.subtitle_id = ${given.id} and number = ${given.number}`,
)

export async function showVersion(tx: OrganizationDb, version: OfTrack & { readonly number: number }): Promise<void> {
  await tx.run(show(version))
}

const removeNumbers = statement(
  (given: Given<OfTrack & { numbers: readonly number[] }>) => sql`
    delete from subtitle_versions where ${ofTrack(given)} and number = any (${given.numbers}::integer[])`,
)

export async function deleteVersions(
  tx: OrganizationDb,
  versions: OfTrack & { readonly numbers: readonly number[] },
): Promise<void> {
  await tx.run(removeNumbers(versions))
}

const keysOf = statement(
  ({ organizationId, assetId }: Given<{ assetId: AssetId }>) => sql<{ key: string }>`
    select storage_key as key from subtitle_versions where organization_id = ${organizationId} and asset_id = ${assetId}`,
)

/** The keys of all versions of all tracks. */
export async function selectKeys(db: OrganizationDb, assetId: AssetId): Promise<string[]> {
  const [rows] = await db.run(keysOf({ assetId }))
  return rows.map(({ key }) => key)
}
