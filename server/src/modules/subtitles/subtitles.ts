/**
 * Subtitle tracks. The text is stored before the row, so there is no track without a text. A text
 * without a row is deleted with the asset at the latest.
 */
import { languageTitle, readMoments, type TimeRange, type TranscriptMoment, trackPart } from '@reelkeep/media'
import { type AssetId, newSubtitleId, type SubtitleId } from '../../kernel/ids.ts'
import { cleanTitle, toValidTitle } from '../../kernel/title.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { type PageRequest, type RowPage, toRowPage } from '../../platform/db/paging/keyset.ts'
import { enqueueJob } from '../../platform/jobs/enqueue.ts'
import type { MediaBucket, PutResult } from '../../platform/storage/media-bucket.ts'
import { type Asset, lockAsset, requireAsset, shareLockAsset } from '../assets/assets.ts'
import { recordEvents } from '../events/events.ts'
import { writeTranscript } from '../moments/moments.ts'
import { assertIntact, recordAdded, removePublished } from '../published-files/published-files.ts'
import { deleteTrackText } from './subtitle-cleanup.ts'
import { indexTranscript, transcriptJob } from './subtitle-moments.ts'
import { subtitleCreated, subtitleDeleted } from './subtitles.events.ts'
import {
  assertRoom,
  cleanLanguage,
  type ListedTrack,
  listed,
  remainingRoom,
  type SubtitleOrigin,
  type SubtitleTrack,
  subtitleNotFound,
  uploadedTracksPrefix,
} from './subtitles.rules.ts'
import * as store from './subtitles.store.ts'
import { lastCueOf, newTextKey, parseText, type TextStorage } from './track-text.ts'
import { entityOf } from './versions/subtitle-versions.rules.ts'
import { selectKeys as versionKeys } from './versions/subtitle-versions.store.ts'
import { deleteTrackVersions } from './versions/subtitle-versions.ts'

export type { ListedTrack, SubtitleTrack, TextStorage }
export { deleteTrackText, indexTranscript, uploadedTracksPrefix, versionKeys }

export type TrackInput = {
  readonly language: string
  /** Label of the track; defaults to the name of the language. */
  readonly label: string | undefined
  /** Text of the track in WebVTT or SRT. */
  readonly content: string
}

/** A track whose text is in storage. */
export type StoredText = store.NewTrack & {
  readonly stored: PutResult
  /** Undefined if a job reads them from the text. */
  readonly moments: readonly TranscriptMoment[] | undefined
}

/** Stores the text of a track. `addTrack` makes it visible. */
export async function storeText(
  { media, threads }: TextStorage,
  db: OrganizationDb,
  assetId: AssetId,
  input: TrackInput,
): Promise<StoredText> {
  const language = cleanLanguage(input.language)
  const label = cleanTitle(input.label ?? labelOf(language), 'label')
  const asset = await requireAsset(db, assetId)
  assertRoom(await store.countTracks(db, asset))
  const converted = await parseText(threads, db, input.content)
  const id = newSubtitleId()
  const key = newTextKey({ organizationId: db.organizationId, assetId }, id)
  const stored = await media.putVerified({ key, body: converted.webVtt, type: 'text/vtt' })
  const track = { id, language, label, origin: 'uploaded', key, lastCueSeconds: converted.lastCueSeconds } as const
  return { ...track, stored, moments: converted.moments }
}

const labelOf = (language: string) => toValidTitle(languageTitle(language))

/**
 * To read and index the cues of a long talk takes longer than a clip may take, so a job does that seconds later. Most
 * moments are 10 to 12 seconds long.
 */
const [COPIED_MOMENTS_MAX, INDEXED_SECONDS_MAX] = [300, 3600]

export type PartOfTexts = {
  readonly from: Asset
  readonly to: AssetId
  /** Times of the part in the tracks. */
  readonly part: TimeRange
}

/**
 * Stores the texts of all tracks for an asset that shows a part of another one, with the times of the part. Tracks
 * without text in the part are left out. The asset does not exist yet; `addTrack` makes the texts visible.
 */
export async function copyTexts(
  media: MediaBucket,
  db: OrganizationDb,
  { from, to, part }: PartOfTexts,
): Promise<StoredText[]> {
  const [tracks] = await db.run(store.tracksOf({ assetId: from.id }))
  const copied = tracks.map(async ({ language, label, origin, key: source }): Promise<StoredText | undefined> => {
    await assertIntact(db, source)
    const text = await media.findText(source)
    const body = trackPart(text ?? '', part)
    const lastCueSeconds = lastCueOf(body)
    if (lastCueSeconds === null) return undefined
    const id = newSubtitleId()
    const key = newTextKey({ organizationId: db.organizationId, assetId: to }, id)
    const stored = await media.putVerified({ key, body, type: 'text/vtt' })
    const found = lastCueSeconds > INDEXED_SECONDS_MAX ? undefined : readMoments(body)
    const moments = found && found.length > COPIED_MOMENTS_MAX ? undefined : found
    return { id, language, label, origin, key, lastCueSeconds, stored, moments }
  })
  return (await Promise.all(copied)).filter((text) => text !== undefined)
}

/** Deletes the text of a track if possible. Leftovers are deleted with the asset. */
export async function discardText(media: MediaBucket, { key }: StoredText): Promise<void> {
  await media.deleteAll(key).catch(() => false)
}

/** Adds a track whose text is stored. Checks again that the asset exists and can have another track. */
export async function addTrack(
  db: OrganizationDb,
  assetId: AssetId,
  { stored, moments, ...text }: StoredText,
): Promise<ListedTrack> {
  return db.transaction(async (tx) => {
    const asset = await lockAsset(tx, assetId)
    assertRoom(await store.countTracks(tx, asset))
    await recordAdded(tx, assetId, { key: text.key, ...stored })
    return listed(await insertTrack(tx, asset, { ...text, moments }), asset)
  })
}

/** A track with its moments; they are read from storage afterwards if they are undefined. */
type TrackWithMoments = store.NewTrack & { readonly moments: readonly TranscriptMoment[] | undefined }

async function insertTrack(
  tx: OrganizationDb,
  asset: Asset,
  { moments, ...track }: TrackWithMoments,
): Promise<SubtitleTrack> {
  const inserted = await store.insertTrack(tx, asset, track)
  // Clients see and find the tracks of a version when the asset shows it.
  if (asset.versionOfId !== null) return inserted
  await recordEvents(tx, subtitleCreated(asset.id, inserted))
  const ofTrack = { assetId: asset.id, subtitleId: inserted.id }
  if (moments) await writeTranscript(tx, { ...ofTrack, language: track.language, moments })
  else await enqueueJob(tx, transcriptJob, { input: ofTrack })
  return inserted
}

export async function listTracks(
  db: OrganizationDb,
  assetId: AssetId,
  request: PageRequest,
): Promise<RowPage<ListedTrack> & { count: number }> {
  const asset = await requireAsset(db, assetId)
  const { rows, count } = await store.selectPage(db, asset, request)
  const tracks = rows.map((track) => listed(track, asset))
  return { ...toRowPage(tracks, request, ({ id }) => [id]), count }
}

/** Query for all tracks of an asset. */
export const tracksOf = store.tracksOf

export async function readTrackText(
  media: MediaBucket,
  db: OrganizationDb,
  assetId: AssetId,
  id: SubtitleId,
): Promise<{ readonly text: string; readonly entity: unknown }> {
  const asset = await requireAsset(db, assetId)
  const track = await store.findTrack(db, asset, id)
  if (!track) throw subtitleNotFound()
  await assertIntact(db, track.key)
  // The text may have been deleted after the row was read.
  const text = await media.findText(track.key)
  if (text === undefined) throw subtitleNotFound()
  return { text, entity: entityOf(track) }
}

export async function deleteTrack(db: OrganizationDb, assetId: AssetId, id: SubtitleId): Promise<void> {
  await db.transaction(async (tx) => {
    const asset = await shareLockAsset(tx, assetId)
    const track = await store.findTrack(tx, asset, id)
    if (track) await deleteTrackVersions(tx, asset, track)
    const removed = await store.deleteTrack(tx, asset, id)
    if (!removed) throw subtitleNotFound()
    if (asset.shownMediaId !== null) await store.deleteByKey(tx, asset.shownMediaId, removed.key)
    // A produced track of a version is among the files of its media.
    await removePublished(tx, asset.shownMediaId ?? assetId, removed.key)
    if (asset.shownMediaId !== null) await removePublished(tx, assetId, removed.key)
    await recordEvents(tx, subtitleDeleted(asset.id, removed))
    await enqueueJob(tx, deleteTrackText, { input: { key: removed.key } })
  })
}

/** A track whose text a pipeline step has stored. */
export type ProducedTrack = {
  readonly language: string
  /** Label of the track; defaults to the name of the language. */
  readonly label?: string
  readonly key: string
  readonly moments?: readonly TranscriptMoment[]
}

/** Publishes the generated track and replaces an earlier one. The caller has locked the asset. */
export const publishGenerated = (tx: OrganizationDb, asset: Asset, track: ProducedTrack): Promise<void> =>
  replaceOrigin(tx, asset, 'generated', [track])

/** Publishes the tracks of the file, in its order, and replaces earlier ones. The caller has locked the asset. */
export const publishEmbedded = (tx: OrganizationDb, asset: Asset, tracks: readonly ProducedTrack[]): Promise<void> =>
  replaceOrigin(tx, asset, 'embedded', tracks)

/**
 * Removes all tracks that were generated or copied from the file, and keeps uploaded ones. The caller has locked the
 * asset and deletes the texts from storage.
 */
export async function removeProduced(tx: OrganizationDb, asset: Asset): Promise<void> {
  await removeOrigin(tx, asset, 'generated')
  await removeOrigin(tx, asset, 'embedded')
}

/** A track that was generated or copied from the file. */
export type ShownTrack = ProducedTrack & { readonly origin: SubtitleOrigin }

/** The tracks of an asset or version that were generated or copied from its file. */
export async function producedTracks(db: OrganizationDb, assetId: AssetId): Promise<ShownTrack[]> {
  const [tracks] = await db.run(store.tracksOf({ assetId }))
  return tracks
    .filter(({ origin }) => origin !== 'uploaded')
    .map(({ language, label, origin, key }) => ({ language, label, origin, key }))
}

/** Replaces the tracks that were generated or copied from the file by those of another version. */
export async function showProduced(tx: OrganizationDb, asset: Asset, tracks: readonly ShownTrack[]): Promise<void> {
  for (const origin of ['generated', 'embedded'] as const) {
    await replaceOrigin(
      tx,
      asset,
      origin,
      tracks.filter((track) => track.origin === origin),
    )
  }
}

/**
 * Replaces the tracks of one origin. If there are too many tracks, uploaded ones have priority. The texts of replaced
 * tracks are deleted with the prefix of their attempt.
 */
async function replaceOrigin(
  tx: OrganizationDb,
  asset: Asset,
  origin: SubtitleOrigin,
  tracks: readonly ProducedTrack[],
): Promise<void> {
  await removeOrigin(tx, asset, origin)
  const room = remainingRoom(await store.countTracks(tx, asset))
  for (const { language, label = labelOf(language), key, moments } of tracks.slice(0, room)) {
    const track = { id: newSubtitleId(), language, label, origin, key, lastCueSeconds: null }
    await insertTrack(tx, asset, { ...track, moments })
  }
}

async function removeOrigin(tx: OrganizationDb, asset: Asset, origin: SubtitleOrigin): Promise<void> {
  const removed = await store.deleteOrigin(tx, asset, origin)
  if (asset.versionOfId !== null) return
  await recordEvents(tx, ...removed.map((track) => subtitleDeleted(asset.id, track)))
}
