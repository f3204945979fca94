import { sql } from 'kysely'
import type { AssetId, SubtitleId } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import type { PageRequest } from '../../platform/db/paging/keyset.ts'
import { keysetQuery, type Order, type RowsWithCount, toRowsWithCount } from '../../platform/db/paging/keyset-query.ts'
import { creating, type Given, statement } from '../../platform/db/statement.ts'
import type { Asset } from '../assets/assets.ts'
import type { SubtitleOrigin, SubtitleTrack } from './subtitles.rules.ts'

type OfAsset = { readonly assetId: AssetId }
type OfTrack = OfAsset & { readonly id: SubtitleId }
export type NewTrack = Omit<SubtitleTrack, 'createdAt' | 'version'>

const oldestFirst: Order = { columns: ['id'], direction: 'asc' }

const ofAsset = ({ organizationId, assetId }: Given<OfAsset>) =>
  sql<boolean>`organization_id = ${organizationId} and asset_id = ${assetId}`

const columns = sql`
  id, language, label, origin, storage_key as key, version, last_cue_seconds as "lastCueSeconds",
  created_at as "createdAt"`

const readPage = keysetQuery(
  oldestFirst,
  (given: Given<OfAsset>, { afterPosition, order, limit }) => sql<SubtitleTrack>`
    select ${columns} from subtitle_tracks
    where ${ofAsset(given)} and ${afterPosition} ${order} limit ${limit}`,
)

const countOf = statement(
  (given: Given<OfAsset>) => sql<{ count: number }>`
    select count(*) as count from subtitle_tracks where ${ofAsset(given)}`,
)

/** All tracks, oldest first. There is no limit, because there are few. */
export const tracksOf = statement(
  (given: Given<OfAsset>) => sql<SubtitleTrack>`
    select ${columns} from subtitle_tracks where ${ofAsset(given)} order by id`,
)

const byId = statement(
  (given: Given<OfTrack>) => sql<SubtitleTrack>`
    select ${columns} from subtitle_tracks where ${ofAsset(given)} and id = ${given.id}`,
)

const insert = creating(
  'subtitle',
  'id',
  statement(
    (track: Given<OfAsset & NewTrack>) => sql<SubtitleTrack>`
    insert into subtitle_tracks (organization_id, asset_id, id, language, label, origin, storage_key, last_cue_seconds)
    values (${track.organizationId}, ${track.assetId}, ${track.id}, ${track.language},
      ${track.label}, ${track.origin}, ${track.key}, ${track.lastCueSeconds})
    returning ${columns}`,
  ),
)

const remove = statement(
  (given: Given<OfTrack>) => sql<SubtitleTrack>`
    delete from subtitle_tracks where ${ofAsset(given)} and id = ${given.id}
    returning ${columns}`,
)

const removeOrigin = statement(
  (given: Given<OfAsset & { origin: SubtitleOrigin }>) => sql<SubtitleTrack>`
    delete from subtitle_tracks where ${ofAsset(given)} and origin = ${given.origin}
    returning ${columns}`,
)

export async function selectPage(
  db: OrganizationDb,
  { id: assetId }: Asset,
  request: PageRequest,
): Promise<RowsWithCount<SubtitleTrack>> {
  return toRowsWithCount(await db.run(readPage({ assetId }, request), countOf({ assetId })))
}

export async function countTracks(db: OrganizationDb, { id: assetId }: Asset): Promise<number> {
  const [[found]] = await db.run(countOf({ assetId }))
  return found?.count ?? 0
}

export async function findTrack(
  db: OrganizationDb,
  { id: assetId }: Asset,
  id: SubtitleId,
): Promise<SubtitleTrack | undefined> {
  const [[track]] = await db.run(byId({ assetId, id }))
  return track
}

export async function insertTrack(tx: OrganizationDb, { id: assetId }: Asset, track: NewTrack): Promise<SubtitleTrack> {
  const [[inserted]] = await tx.run(insert({ assetId, ...track }))
  if (!inserted) throw new Error('The insert returned no row')
  return inserted
}

/** The deleted track; undefined if it does not exist. */
export async function deleteTrack(
  tx: OrganizationDb,
  { id: assetId }: Asset,
  id: SubtitleId,
): Promise<SubtitleTrack | undefined> {
  const [[removed]] = await tx.run(remove({ assetId, id }))
  return removed
}

const removeByKey = statement(
  (given: Given<OfAsset & { key: string }>) => sql`
    delete from subtitle_tracks where ${ofAsset(given)} and storage_key = ${given.key}`,
)

/** Deletes the track of a version whose text is gone. */
export async function deleteByKey(tx: OrganizationDb, assetId: AssetId, key: string): Promise<void> {
  await tx.run(removeByKey({ assetId, key }))
}

export async function deleteOrigin(
  tx: OrganizationDb,
  { id: assetId }: Asset,
  origin: SubtitleOrigin,
): Promise<SubtitleTrack[]> {
  const [removed] = await tx.run(removeOrigin({ assetId, origin }))
  return removed
}
