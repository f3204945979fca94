/**
 * Versions of subtitle tracks. Every text has a storage key of its own, so the content of a URL never changes; a track
 * that is replaced refers to another key. Earlier texts stay published, for viewers with an older playlist.
 */
import { readMoments, type TranscriptMoment } from '@reelkeep/media'
import type { AssetId, SubtitleId } from '../../../kernel/ids.ts'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import { enqueueJob } from '../../../platform/jobs/enqueue.ts'
import type { MediaBucket, PutResult } from '../../../platform/storage/media-bucket.ts'
import { type Asset, lockAsset, requireAsset } from '../../assets/assets.ts'
import { recordEvents } from '../../events/events.ts'
import { writeTranscript } from '../../moments/moments.ts'
import { assertIntact, findPublished, recordAdded, removePublished } from '../../published-files/published-files.ts'
import { deleteTrackText } from '../subtitle-cleanup.ts'
import { subtitleUpdated } from '../subtitles.events.ts'
import { type ListedTrack, listed, type SubtitleTrack, subtitleNotFound } from '../subtitles.rules.ts'
import { deleteByKey, findTrack } from '../subtitles.store.ts'
import { isUploadedKey, newTextKey, parseText, type TextStorage } from '../track-text.ts'
import {
  entityOf,
  type ListedVersion,
  listedVersions,
  producedMeanwhile,
  versionNotFound,
  versionsToDelete,
} from './subtitle-versions.rules.ts'
import * as store from './subtitle-versions.store.ts'

/** Throws unless a track with this entity may be changed. */
type AssertEntity = (entity: unknown) => void

export type TrackId = { readonly assetId: AssetId; readonly id: SubtitleId }

/** A text in storage that no row refers to yet. */
type NewText = { readonly key: string; readonly stored: PutResult }

/** A text that replaces that of a track, with a copy of the earlier text if that belongs to a step. */
export type Replacement = NewText & {
  readonly lastCueSeconds: number
  readonly moments: readonly TranscriptMoment[]
  readonly copy: (NewText & { readonly of: string }) | undefined
}

/** Stores the new text of a track. `replaceTrack` makes it visible. */
export async function storeReplacement(
  { media, threads }: TextStorage,
  db: OrganizationDb,
  { assetId, id, content, assertEntity }: TrackId & { readonly content: string; readonly assertEntity: AssertEntity },
): Promise<Replacement> {
  const track = await requireTrack(db, await requireAsset(db, assetId), id)
  assertEntity(entityOf(track))
  const { webVtt, lastCueSeconds, moments } = await parseText(threads, db, content)
  const place = { organizationId: db.organizationId, assetId }
  const copy = isUploadedKey(place, track.key)
    ? undefined
    : { ...(await putText(media, newTextKey(place), await readKey(media, db, track.key))), of: track.key }
  return { ...(await putText(media, newTextKey(place), webVtt)), lastCueSeconds, moments, copy }
}

async function requireTrack(db: OrganizationDb, asset: Asset, id: SubtitleId): Promise<SubtitleTrack> {
  const track = await findTrack(db, asset, id)
  if (!track) throw subtitleNotFound()
  return track
}

async function putText(media: MediaBucket, key: string, body: Uint8Array | string): Promise<NewText> {
  return { key, stored: await media.putVerified({ key, body, type: 'text/vtt' }) }
}

async function readKey(media: MediaBucket, db: OrganizationDb, key: string): Promise<string> {
  await assertIntact(db, key)
  const text = await media.findText(key)
  // The text may have been deleted after the row was read.
  if (text === undefined) throw subtitleNotFound()
  return text
}

/** Deletes the texts of a replacement if possible. Leftovers are deleted with the asset. */
export async function discardReplacement(media: MediaBucket, { key, copy }: Replacement): Promise<void> {
  for (const unused of copy ? [key, copy.key] : [key]) await media.deleteAll(unused).catch(() => false)
}

/** Shows the stored text as a new version. If it is the text that the track shows, nothing changes. */
export async function replaceTrack(
  db: OrganizationDb,
  { assetId, id, assertEntity }: TrackId & { readonly assertEntity: AssertEntity },
  replacement: Replacement,
): Promise<ListedTrack> {
  return db.transaction(async (tx) => {
    const asset = await lockAsset(tx, assetId)
    const track = await requireTrack(tx, asset, id)
    assertEntity(entityOf(track))
    if (await hasText(tx, assetId, track, replacement)) {
      await deleteTexts(tx, replacement.copy ? [replacement.key, replacement.copy.key] : [replacement.key])
      return listed(track, asset)
    }
    await keepFirst(tx, { asset, track }, replacement)
    const { key, stored, lastCueSeconds, moments } = replacement
    await recordAdded(tx, assetId, { key, ...stored })
    const number = await store.insertVersion(tx, { assetId, id, origin: 'uploaded', key, lastCueSeconds })
    return show(tx, { asset, track }, { number, moments })
  })
}

/** Whether the track already shows this text, for example because the request was repeated. */
async function hasText(tx: OrganizationDb, assetId: AssetId, { key }: SubtitleTrack, { stored }: Replacement) {
  const published = await findPublished(tx, assetId, key)
  return published?.files[0]?.md5.equals(stored.md5) ?? false
}

type OfAsset = { readonly asset: Asset; readonly track: SubtitleTrack }

/** Keeps the text that is replaced. The file of a step is deleted with its step, so the asset keeps a copy of it. */
async function keepFirst(tx: OrganizationDb, { asset, track }: OfAsset, { copy }: Replacement): Promise<void> {
  const { key, id } = track
  const ofTrack = { assetId: asset.id, id }
  if (isUploadedKey({ organizationId: tx.organizationId, assetId: asset.id }, key)) {
    if (copy) await deleteTexts(tx, [copy.key])
    return store.insertFirst(tx, { ...ofTrack, key, producedKey: null })
  }
  if (copy?.of !== key) throw producedMeanwhile()
  await recordAdded(tx, asset.id, { key: copy.key, ...copy.stored })
  await store.insertFirst(tx, { ...ofTrack, key: copy.key, producedKey: key })
  // Otherwise the track would appear twice when the version of the asset is shown again.
  if (asset.shownMediaId !== null) await deleteByKey(tx, asset.shownMediaId, key)
}

type ShownText = { readonly number: number; readonly moments: readonly TranscriptMoment[] }

async function show(
  tx: OrganizationDb,
  { asset, track: { id, language } }: OfAsset,
  { number, moments }: ShownText,
): Promise<ListedTrack> {
  const ofTrack = { assetId: asset.id, id }
  await store.showVersion(tx, { ...ofTrack, number })
  await writeTranscript(tx, { assetId: asset.id, subtitleId: id, language, moments })
  const shown = await requireTrack(tx, asset, id)
  const old = versionsToDelete(listedVersions(shown, await store.selectVersions(tx, ofTrack)))
  await store.deleteVersions(tx, { ...ofTrack, numbers: old.map((version) => version.number) })
  await deleteFiles(tx, asset, old)
  await recordEvents(tx, subtitleUpdated(asset.id, shown))
  return listed(shown, asset)
}

type NumberedVersion = TrackId & { readonly number: number }

/** The text of a version, and what a search finds of it. The text never changes, so no lock is needed. */
export async function readVersionMoments(
  media: MediaBucket,
  db: OrganizationDb,
  version: NumberedVersion,
): Promise<readonly TranscriptMoment[]> {
  return readMoments(await readVersionText(media, db, version))
}

/** Shows an earlier version again. Does nothing if it is shown already. */
export function activateTrackVersion(
  db: OrganizationDb,
  { assetId, id, number, assertEntity }: NumberedVersion & { readonly assertEntity: AssertEntity },
  moments: readonly TranscriptMoment[],
): Promise<ListedTrack> {
  return db.transaction(async (tx) => {
    const asset = await lockAsset(tx, assetId)
    const track = await requireTrack(tx, asset, id)
    assertEntity(entityOf(track))
    const { isActive } = requireVersion(await versionsOf(tx, asset, track), number)
    return isActive ? listed(track, asset) : show(tx, { asset, track }, { number, moments })
  })
}

/** All versions, newest first, with the entity of the track. */
export async function listTrackVersions(
  db: OrganizationDb,
  { assetId, id }: TrackId,
): Promise<{ readonly versions: readonly ListedVersion[]; readonly entity: unknown }> {
  const asset = await requireAsset(db, assetId)
  const track = await requireTrack(db, asset, id)
  return { versions: await versionsOf(db, asset, track), entity: entityOf(track) }
}

export async function readVersionText(
  media: MediaBucket,
  db: OrganizationDb,
  { assetId, id, number }: NumberedVersion,
): Promise<string> {
  const asset = await requireAsset(db, assetId)
  const track = await requireTrack(db, asset, id)
  const { key } = requireVersion(await versionsOf(db, asset, track), number)
  return readKey(media, db, key)
}

const versionsOf = async (db: OrganizationDb, { id: assetId }: Asset, track: SubtitleTrack): Promise<ListedVersion[]> =>
  listedVersions(track, await store.selectVersions(db, { assetId, id: track.id }))

function requireVersion(versions: readonly ListedVersion[], number: number): ListedVersion {
  const version = versions.find((candidate) => candidate.number === number)
  if (!version) throw versionNotFound()
  return version
}

/** Deletes the rows and files of all versions of a track that is being deleted, except the one that it shows. */
export async function deleteTrackVersions(tx: OrganizationDb, asset: Asset, track: SubtitleTrack): Promise<void> {
  const versions = await store.selectVersions(tx, { assetId: asset.id, id: track.id })
  await deleteFiles(
    tx,
    asset,
    versions.map(({ key, producedKey }) => ({ key: key === track.key ? null : key, producedKey })),
  )
}

type Files = { readonly key: string | null; readonly producedKey: string | null }

async function deleteFiles(tx: OrganizationDb, asset: Asset, versions: readonly Files[]): Promise<void> {
  for (const { key, producedKey } of versions) {
    if (key !== null) await removePublished(tx, asset.id, key)
    if (producedKey !== null) await removePublished(tx, asset.shownMediaId ?? asset.id, producedKey)
  }
  await deleteTexts(
    tx,
    versions.flatMap(({ key, producedKey }) => [key, producedKey]).filter((key) => key !== null),
  )
}

async function deleteTexts(tx: OrganizationDb, keys: readonly string[]): Promise<void> {
  for (const key of keys) await enqueueJob(tx, deleteTrackText, { input: { key } })
}
