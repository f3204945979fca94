/**
 * Subtitle tracks. The text is stored first and the row that makes it visible is written then, so
 * there is no track without a text; a text that never got its row is freed with the asset at the
 * latest.
 */
import { languageTitle, readTrack, writeWebVtt } from '@reelkeep/media'
import { type AssetId, newSubtitleId, type SubtitleId } from '../../kernel/ids.ts'
import { cleanTitle } from '../../kernel/title.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { type PageRequest, type RowPage, toRowPage } from '../../platform/db/keyset.ts'
import { promiseJob } from '../../platform/jobs/promise.ts'
import type { MediaBucket } from '../../platform/storage/media-bucket.ts'
import { type Asset, keepAsset, lockAsset, requireAsset } from '../assets/assets.ts'
import { recordEvents } from '../events/events.ts'
import { freeTrack } from './subtitle-freeing.ts'
import { subtitleCreated, subtitleDeleted } from './subtitles.events.ts'
import {
  assertRoom,
  cleanLanguage,
  roomBeside,
  type SubtitleOrigin,
  type SubtitleTrack,
  subtitleNotFound,
  unreadable,
  uploadedTracksPrefix,
} from './subtitles.rules.ts'
import * as store from './subtitles.store.ts'

export type { SubtitleTrack }
export { freeTrack, uploadedTracksPrefix }

export type TrackWish = {
  readonly language: string
  /** Undefined: the name of the language. */
  readonly label: string | undefined
  /** WebVTT or SRT. */
  readonly content: string
}

/** A text in storage that no row makes visible yet. */
export async function storeText(
  media: MediaBucket,
  db: OrganizationDb,
  assetId: AssetId,
  wish: TrackWish,
): Promise<store.NewTrack> {
  const language = cleanLanguage(wish.language)
  const label = cleanTitle(wish.label ?? languageTitle(language), 'label')
  const read = readTrack(wish.content)
  if (read.faults) throw unreadable(read.faults)
  const asset = await requireAsset(db, assetId)
  assertRoom(await store.countTracks(db, asset))
  const id = newSubtitleId()
  const key = `${uploadedTracksPrefix(db.organizationId, assetId)}${id}.vtt`
  await media.put({ key, body: writeWebVtt(read.cues), type: 'text/vtt' })
  return { id, language, label, origin: 'uploaded', key }
}

/** Best effort: what is left goes with the asset. */
export async function dropText(media: MediaBucket, { key }: store.NewTrack): Promise<void> {
  await media.free(key).catch(() => false)
}

/** The asset may be gone, or full, since the text was stored. */
export async function addTrack(
  db: OrganizationDb,
  assetId: AssetId,
  text: store.NewTrack,
): Promise<SubtitleTrack> {
  return db.transaction(async (tx) => {
    const asset = await lockAsset(tx, assetId)
    assertRoom(await store.countTracks(tx, asset))
    return insertTrack(tx, asset, text)
  })
}

async function insertTrack(
  tx: OrganizationDb,
  asset: Asset,
  track: store.NewTrack,
): Promise<SubtitleTrack> {
  const inserted = await store.insertTrack(tx, asset, track)
  await recordEvents(tx, subtitleCreated(asset.id, inserted))
  return inserted
}

export async function listTracks(
  db: OrganizationDb,
  assetId: AssetId,
  request: PageRequest,
): Promise<RowPage<SubtitleTrack> & { count: number }> {
  const asset = await requireAsset(db, assetId)
  const { rows, count } = await store.selectPage(db, asset, request)
  return { ...toRowPage(rows, request, ({ id }) => [id]), count }
}

/** All tracks of an asset as a query, for who asks more in the same round trip. */
export const tracksOf = store.tracksOf

export async function readTrackText(
  media: MediaBucket,
  db: OrganizationDb,
  assetId: AssetId,
  id: SubtitleId,
): Promise<string> {
  const asset = await requireAsset(db, assetId)
  const track = await store.findTrack(db, asset, id)
  // Deleted between the two looks, it is as absent as before.
  const text = track && (await media.findText(track.key))
  if (text === undefined) throw subtitleNotFound()
  return text
}

export async function deleteTrack(
  db: OrganizationDb,
  assetId: AssetId,
  id: SubtitleId,
): Promise<void> {
  await db.transaction(async (tx) => {
    const asset = await keepAsset(tx, assetId)
    const removed = await store.deleteTrack(tx, asset, id)
    if (!removed) throw subtitleNotFound()
    await recordEvents(tx, subtitleDeleted(asset.id, removed))
    await promiseJob(tx, freeTrack, { key: removed.key })
  })
}

/** A text that a step has put into storage. */
export type MadeTrack = {
  readonly language: string
  /** Undefined: the name of the language. */
  readonly label?: string
  readonly key: string
}

/** What was heard in the video; it takes the place of what was heard before. Whoever calls holds the asset. */
export const publishGenerated = (
  tx: OrganizationDb,
  asset: Asset,
  track: MadeTrack,
): Promise<void> => replaceOrigin(tx, asset, 'generated', [track])

/**
 * What was in the file, in its order; it takes the place of what was carried over before. Whoever
 * calls holds the asset.
 */
export const publishCarried = (
  tx: OrganizationDb,
  asset: Asset,
  tracks: readonly MadeTrack[],
): Promise<void> => replaceOrigin(tx, asset, 'carried', tracks)

/**
 * All that was made of the file counts no more; what callers added stays. Whoever calls holds the
 * asset, and has the prefixes freed that the texts lie under.
 */
export async function withdrawMade(tx: OrganizationDb, asset: Asset): Promise<void> {
  await withdrawOrigin(tx, asset, 'generated')
  await withdrawOrigin(tx, asset, 'carried')
}

/**
 * There may be no room for all: callers' own tracks stay. What lay under an earlier attempt's
 * prefix is freed with that.
 */
async function replaceOrigin(
  tx: OrganizationDb,
  asset: Asset,
  origin: SubtitleOrigin,
  tracks: readonly MadeTrack[],
): Promise<void> {
  await withdrawOrigin(tx, asset, origin)
  const room = roomBeside(await store.countTracks(tx, asset))
  for (const { language, label = languageTitle(language), key } of tracks.slice(0, room)) {
    await insertTrack(tx, asset, { id: newSubtitleId(), language, label, origin, key })
  }
}

async function withdrawOrigin(
  tx: OrganizationDb,
  asset: Asset,
  origin: SubtitleOrigin,
): Promise<void> {
  const removed = await store.deleteOrigin(tx, asset, origin)
  await recordEvents(tx, ...removed.map((track) => subtitleDeleted(asset.id, track)))
}
