import {
  type Listing,
  type SubtitleTrack as PlayedSubtitles,
  type StreamTrack,
  writeDash,
  writeIframePlaylist,
  writeMediaPlaylist,
  writeMultivariant,
  writeSubtitlePlaylist,
} from '@reelkeep/media'
import type { AssetId } from '../../kernel/ids.ts'
import type { KeyRing } from '../../platform/config/key-settings.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import type {
  MediaBucket,
  ObjectHead,
  OpenObject,
  ReadOptions,
} from '../../platform/storage/media-bucket.ts'
import { storagePrefix } from '../assets/assets.ts'
import { type AesKeys, aesKeys, findProtections } from '../content-keys/content-keys.ts'
import type { Viewer } from '../playback-tokens/playback-tokens.ts'
import { type SubtitleTrack, tracksOf } from '../subtitles/subtitles.ts'
import type { KeptManifest, ManifestCache } from './delivery/manifest-cache.ts'
import {
  type Course,
  courseOf,
  findTrack,
  listingOf,
  noDashOfAes,
  noDashYet,
  nothingToPlay,
  type PlannedVideo,
  relative,
  streamOf,
  targetsOf,
} from './playback.rules.ts'
import {
  findPieceState,
  findPlanned,
  findVideoState,
  selectParts,
  selectRates,
  type VideoState,
} from './playback.store.ts'
import { keyUri, type PlayAddress, piecePlaceOf } from './playback-urls.rules.ts'
import { assertMayPlay } from './protection/protected-viewing.rules.ts'

export type Manifest = KeptManifest & {
  /** It may still grow. */
  readonly mayGrow: boolean
}

export type ManifestAddress = Extract<
  PlayAddress,
  { kind: 'multivariant' | 'dash' | 'media' | 'iframes' | 'subtitles' }
>

/** Dependencies of reading manifests. */
export type Library = { readonly cache: ManifestCache; readonly keyRing: KeyRing }

/** Reads a manifest. Throws `not_found` if nothing is playable yet. */
export async function readManifest(
  { cache, keyRing }: Library,
  db: OrganizationDb,
  viewer: Viewer,
  address: ManifestAddress,
): Promise<Manifest> {
  const { assetId } = viewer
  const state = await findVideoState(db, assetId)
  if (!state) throw nothingToPlay()
  assertMayPlay(state, viewer)
  const hasEnded = endedStatuses.includes(state.status)
  const name = [db.organizationId, assetId, address.kind, 'track' in address && address.track]
  const kept = await cache.read(name.join('/'), state.version, () =>
    write({ db, assetId, hasEnded, keyRing, ...kindOf(state) }, address),
  )
  return { ...kept, mayGrow: !hasEnded }
}

const kindOf = ({ contentProtection, hasChapters }: VideoState) => ({
  isAes: contentProtection === 'aes',
  isDrm: contentProtection === 'drm',
  hasChapters,
})

/** Relative to the manifest. */
const chaptersUri = 'chapters.json'

export const endedStatuses: readonly VideoState['status'][] = ['Completed', 'Error', 'Cancelled']

type Asked = {
  readonly db: OrganizationDb
  readonly assetId: AssetId
  readonly hasEnded: boolean
  readonly keyRing: KeyRing
  /**
   * Protected with AES-128. It encrypts whole segments, so only HLS can play them, and no keyframe can be read by
   * itself.
   */
  readonly isAes: boolean
  /** Protected with Common Encryption, which every manifest describes. */
  readonly isDrm: boolean
  readonly hasChapters: boolean
}

/** Refusals come before the segments are read, which are megabytes. */
async function write(asked: Asked, address: ManifestAddress): Promise<string> {
  const { db, assetId } = asked
  const planned = await readPlanned(asked)
  const course = courseOf(planned, asked.hasEnded)
  if (address.kind === 'media' || address.kind === 'iframes') {
    return writeTrack(asked, planned, course, address)
  }
  const prefix = storagePrefix(db.organizationId, assetId)
  const [rows] = await db.run(tracksOf({ assetId }))
  const subtitles = rows.map((row) => toSubtitles(row, prefix))
  if (address.kind === 'subtitles') {
    const track = subtitles.find(({ name }) => name === address.track)
    if (!track) throw nothingToPlay()
    return writeSubtitlePlaylist(course, track)
  }
  if (address.kind === 'multivariant') {
    const { parts, rates } = await selectRates(db, assetId, targetsOf(course))
    const listing = listingOf({ ...planned, parts }, course, rates, subtitles)
    if (listing.video.length === 0) throw nothingToPlay()
    const shown = asked.isAes ? withoutKeyframes(listing) : listing
    return writeMultivariant({ ...shown, ...(asked.hasChapters && { chaptersUri }) })
  }
  if (asked.isAes) throw noDashOfAes()
  if (course.growth !== 'whole') throw noDashYet()
  const parts = await selectParts(db, assetId, null)
  return writeDash(streamOf({ ...planned, parts }, course, prefix, subtitles))
}

async function readPlanned({ db, assetId, keyRing, isDrm }: Asked): Promise<PlannedVideo> {
  const planned = await findPlanned(db, assetId)
  if (!planned) throw nothingToPlay()
  if (!isDrm) return planned
  const protections = await findProtections(keyRing, db, { id: assetId })
  // Without them, nothing has been encoded.
  if (!protections) throw nothingToPlay()
  return { ...planned, protections }
}

async function writeTrack(
  { db, assetId, keyRing, isAes }: Asked,
  planned: PlannedVideo,
  course: Course,
  { kind, track: name }: { readonly kind: 'media' | 'iframes'; readonly track: string },
): Promise<string> {
  if (planned.tracks.every((track) => track.name !== name)) throw nothingToPlay()
  const parts = await selectParts(db, assetId, [name])
  const prefix = storagePrefix(db.organizationId, assetId)
  const track = findTrack({ ...planned, parts }, prefix, name)
  if (!track) throw nothingToPlay()
  if (kind === 'media' && !isAes) return writeMediaPlaylist(course, track)
  if (kind === 'media') {
    const keys = await aesKeys(keyRing, db, { id: assetId })
    return writeMediaPlaylist(course, withKeys(track, keys, prefix))
  }
  if (isAes || !('width' in track)) throw nothingToPlay()
  return writeIframePlaylist(course, track)
}

const withoutKeyframes = (listing: Listing): Listing => ({
  ...listing,
  video: listing.video.map((track) => ({ ...track, keyframeRates: null })),
})

/** The segments of a track start at the first one, so their index is the segment number of the video. */
const withKeys = (track: StreamTrack, keys: AesKeys, prefix: string): StreamTrack => ({
  ...track,
  segments: track.segments.map((segment, number) => ({
    ...segment,
    key: {
      uri: keyUri(keys.periodOf(number)),
      iv: keys.ivOf(prefix + segment.uri).toString('hex'),
    },
  })),
})

/** Named by id: two tracks may have the same language. */
const toSubtitles = (track: SubtitleTrack, prefix: string): PlayedSubtitles => ({
  name: track.id,
  language: track.language,
  label: track.label,
  isAutomatic: track.origin === 'generated',
  uri: relative(track.key, prefix),
})

export type Piece = { readonly viewer: Viewer; readonly name: string }

/** Opens a media file to be streamed. */
export async function openPiece(
  bucket: MediaBucket,
  db: OrganizationDb,
  piece: Piece,
  options: ReadOptions,
  signal: AbortSignal,
): Promise<OpenObject> {
  const found = await bucket.open(await keyOf(db, piece), options, signal)
  if (!found) throw nothingToPlay()
  return found
}

export async function readPieceHead(
  bucket: MediaBucket,
  db: OrganizationDb,
  piece: Piece,
  signal: AbortSignal,
): Promise<ObjectHead> {
  const head = await bucket.head(await keyOf(db, piece), signal)
  if (!head) throw nothingToPlay()
  return head
}

/**
 * Checked for every media file: protected or deleted files are not served by name, nor are files of an attempt that
 * still runs or has failed, even though their names can be guessed.
 */
async function keyOf(db: OrganizationDb, { viewer, name }: Piece): Promise<string> {
  const { assetId } = viewer
  const own = storagePrefix(db.organizationId, assetId)
  const { folder, ...place } = piecePlaceOf(name)
  const piece = { assetId, key: own + name, prefix: own + folder, ...place }
  const state = await findPieceState(db, piece)
  if (state) assertMayPlay(state, viewer)
  if (!state?.isPublished) throw nothingToPlay()
  return piece.key
}
