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
  ObjectWish,
  OpenObject,
} from '../../platform/storage/media-bucket.ts'
import type { Viewer } from '../access-tokens/access-tokens.ts'
import { storagePrefix } from '../assets/assets.ts'
import { type AesKeys, aesKeys, findProtections } from '../content-keys/content-keys.ts'
import { type SubtitleTrack, tracksOf } from '../subtitles/subtitles.ts'
import type { KeptManifest, ManifestCache } from './manifest-cache.ts'
import { keyUri, type PlayAddress, piecePlaceOf } from './play-addresses.rules.ts'
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
import { assertMayPlay } from './protection/protected-viewing.rules.ts'

export type Manifest = KeptManifest & {
  /** More may come to it any moment. */
  readonly mayGrow: boolean
}

export type ManifestAddress = Extract<
  PlayAddress,
  { kind: 'multivariant' | 'dash' | 'media' | 'iframes' | 'subtitles' }
>

/** What manifests are read with. */
export type Library = { readonly cache: ManifestCache; readonly keyRing: KeyRing }

/** What a player reads to know what to fetch. Whoever asks for something that cannot be played yet finds nothing. */
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

/** Beside the manifest, like everything of a video. */
const chaptersUri = 'chapters.json'

export const endedStatuses: readonly VideoState['status'][] = ['Completed', 'Error', 'Cancelled']

type Asked = {
  readonly db: OrganizationDb
  readonly assetId: AssetId
  readonly hasEnded: boolean
  readonly keyRing: KeyRing
  /**
   * Protected with AES-128: every segment as a whole, which only HLS knows, and nothing that reads
   * less than a segment.
   */
  readonly isAes: boolean
  /** Under common encryption, of which every manifest tells. */
  readonly isDrm: boolean
  readonly hasChapters: boolean
}

/** What is refused is refused before any segment is read: all of them are megabytes. */
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
    const told = asked.isAes ? withoutKeyframes(listing) : listing
    return writeMultivariant({ ...told, ...(asked.hasChapters && { chaptersUri }) })
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
  // Without them nothing of it has been made.
  if (!protections) throw nothingToPlay()
  return { ...planned, protections }
}

async function writeTrack(
  { db, assetId, keyRing, isAes }: Asked,
  planned: PlannedVideo,
  course: Course,
  { kind, track: name }: { readonly kind: 'media' | 'iframes'; readonly track: string },
): Promise<string> {
  if (planned.tracks.every((one) => one.name !== name)) throw nothingToPlay()
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

/** The segments of a track are all there are from the first one on, so that they count as the video does. */
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

/** They are known by their identifier: two may be in the same language. */
const toSubtitles = (track: SubtitleTrack, prefix: string): PlayedSubtitles => ({
  name: track.id,
  language: track.language,
  label: track.label,
  isAutomatic: track.origin === 'generated',
  uri: relative(track.key, prefix),
})

export type Piece = { readonly viewer: Viewer; readonly name: string }

/** A piece of a video, to be read as it is sent. */
export async function openPiece(
  bucket: MediaBucket,
  db: OrganizationDb,
  piece: Piece,
  wish: ObjectWish,
  signal: AbortSignal,
): Promise<OpenObject> {
  const found = await bucket.open(await keyOf(db, piece), wish, signal)
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
 * Looked up for every piece: what is protected, or deleted, is not given out by its name; nor is
 * what an attempt has stored that still runs, or that lost, though its name is easily guessed.
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
