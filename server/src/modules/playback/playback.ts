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
import type { MediaBucket, ObjectHead, OpenObject, ReadOptions } from '../../platform/storage/media-bucket.ts'
import { storagePrefix } from '../assets/assets.ts'
import { type AesKeys, aesKeys, findProtections } from '../content-keys/content-keys.ts'
import type { Viewer } from '../playback-tokens/playback-tokens.ts'
import { type SubtitleTrack, tracksOf } from '../subtitles/subtitles.ts'
import type { CachedManifest, ManifestCache } from './delivery/manifest-cache.ts'
import {
  findTrack,
  listingOf,
  noDashOfAes,
  noDashYet,
  nothingToPlay,
  type PlannedVideo,
  relative,
  type StreamState,
  streamOf,
  streamStateOf,
  targetsOf,
} from './playback.rules.ts'
import {
  findMediaFileState,
  findPlanned,
  findVideoState,
  selectParts,
  selectRates,
  type VideoState,
} from './playback.store.ts'
import { keyUri, mediaFileLocationOf, type PlaybackFile } from './playback-urls.rules.ts'
import { assertMayPlay } from './protection/protected-viewing.rules.ts'

export type Manifest = CachedManifest & {
  /** The manifest may still grow. */
  readonly mayGrow: boolean
}

export type ManifestFile = Extract<PlaybackFile, { kind: 'multivariant' | 'dash' | 'media' | 'iframes' | 'subtitles' }>

/** Dependencies of reading manifests. */
export type Library = { readonly cache: ManifestCache; readonly keyRing: KeyRing }

/** Reads a manifest. Throws `not_found` if nothing is playable yet. */
export async function readManifest(
  { cache, keyRing }: Library,
  db: OrganizationDb,
  viewer: Viewer,
  file: ManifestFile,
): Promise<Manifest> {
  const { assetId } = viewer
  const state = await findVideoState(db, assetId)
  if (!state) throw nothingToPlay()
  assertMayPlay(state, viewer)
  const hasEnded = endedStatuses.includes(state.status)
  const name = [db.organizationId, assetId, file.kind, 'track' in file && file.track]
  const cached = await cache.read(name.join('/'), state.version, () =>
    write({ db, assetId, hasEnded, keyRing, ...kindOf(state) }, file),
  )
  return { ...cached, mayGrow: !hasEnded }
}

const kindOf = ({ contentProtection, hasChapters }: VideoState) => ({
  isAes: contentProtection === 'aes',
  isDrm: contentProtection === 'drm',
  hasChapters,
})

/** URI of the chapters, relative to the manifest. */
const chaptersUri = 'chapters.json'

export const endedStatuses: readonly VideoState['status'][] = ['Completed', 'Error', 'Cancelled']

type ManifestInput = {
  readonly db: OrganizationDb
  readonly assetId: AssetId
  readonly hasEnded: boolean
  readonly keyRing: KeyRing
  /**
   * The video is protected with AES-128, which encrypts whole segments: only HLS can play them, and no keyframe can
   * be read by itself.
   */
  readonly isAes: boolean
  /** The video is protected with Common Encryption, which every manifest describes. */
  readonly isDrm: boolean
  readonly hasChapters: boolean
}

/** Checks for errors before it reads the segments, which are megabytes. */
async function write(input: ManifestInput, file: ManifestFile): Promise<string> {
  const { db, assetId } = input
  const planned = await readPlanned(input)
  const streamState = streamStateOf(planned, input.hasEnded)
  if (file.kind === 'media' || file.kind === 'iframes') {
    return writeTrack(input, planned, streamState, file)
  }
  const prefix = storagePrefix(db.organizationId, assetId)
  const [rows] = await db.run(tracksOf({ assetId }))
  const subtitles = rows.map((row) => toSubtitles(row, prefix))
  if (file.kind === 'subtitles') {
    const track = subtitles.find(({ name }) => name === file.track)
    if (!track) throw nothingToPlay()
    return writeSubtitlePlaylist(streamState, track)
  }
  if (file.kind === 'multivariant') {
    const { parts, rates } = await selectRates(db, assetId, targetsOf(streamState))
    const listing = listingOf({ ...planned, parts }, streamState, rates, subtitles)
    if (listing.video.length === 0) throw nothingToPlay()
    const shown = input.isAes ? withoutKeyframes(listing) : listing
    return writeMultivariant({ ...shown, ...(input.hasChapters && { chaptersUri }) })
  }
  if (input.isAes) throw noDashOfAes()
  if (streamState.growth !== 'whole') throw noDashYet()
  const parts = await selectParts(db, assetId, null)
  return writeDash(streamOf({ ...planned, parts }, streamState, prefix, subtitles))
}

async function readPlanned({ db, assetId, keyRing, isDrm }: ManifestInput): Promise<PlannedVideo> {
  const planned = await findPlanned(db, assetId)
  if (!planned) throw nothingToPlay()
  if (!isDrm) return planned
  const protections = await findProtections(keyRing, db, { id: assetId })
  // Without protection data, nothing has been encoded.
  if (!protections) throw nothingToPlay()
  return { ...planned, protections }
}

async function writeTrack(
  { db, assetId, keyRing, isAes }: ManifestInput,
  planned: PlannedVideo,
  streamState: StreamState,
  { kind, track: name }: { readonly kind: 'media' | 'iframes'; readonly track: string },
): Promise<string> {
  if (planned.tracks.every((track) => track.name !== name)) throw nothingToPlay()
  const parts = await selectParts(db, assetId, [name])
  const prefix = storagePrefix(db.organizationId, assetId)
  const track = findTrack({ ...planned, parts }, prefix, name)
  if (!track) throw nothingToPlay()
  if (kind === 'media' && !isAes) return writeMediaPlaylist(streamState, track)
  if (kind === 'media') {
    const keys = await aesKeys(keyRing, db, { id: assetId })
    return writeMediaPlaylist(streamState, withKeys(track, keys, prefix))
  }
  if (isAes || !('width' in track)) throw nothingToPlay()
  return writeIframePlaylist(streamState, track)
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

/** Names a track by its id, because two tracks may have the same language. */
const toSubtitles = (track: SubtitleTrack, prefix: string): PlayedSubtitles => ({
  name: track.id,
  language: track.language,
  label: track.label,
  isAutomatic: track.origin === 'generated',
  uri: relative(track.key, prefix),
})

/** A request for a media file: a segment, an image or subtitles. */
export type MediaFileRequest = { readonly viewer: Viewer; readonly name: string }

/** Opens a media file to be streamed. */
export async function openMediaFile(
  bucket: MediaBucket,
  db: OrganizationDb,
  file: MediaFileRequest,
  options: ReadOptions,
  signal: AbortSignal,
): Promise<OpenObject & { readonly seconds: number | null }> {
  const { key, seconds } = await locate(db, file)
  const found = await bucket.open(key, options, signal)
  if (!found) throw nothingToPlay()
  return { ...found, seconds }
}

export async function readMediaFileHead(
  bucket: MediaBucket,
  db: OrganizationDb,
  file: MediaFileRequest,
  signal: AbortSignal,
): Promise<ObjectHead> {
  const { key } = await locate(db, file)
  const head = await bucket.head(key, signal)
  if (!head) throw nothingToPlay()
  return head
}

/**
 * Returns the storage key and the duration of a media file that the viewer may fetch. Runs for every file: names can be guessed, so
 * deleted files and files of a running or failed attempt are not served.
 */
async function locate(db: OrganizationDb, { viewer, name }: MediaFileRequest) {
  const { assetId } = viewer
  const own = storagePrefix(db.organizationId, assetId)
  const { folder, ...location } = mediaFileLocationOf(name)
  const file = { assetId, key: own + name, prefix: own + folder, ...location }
  const state = await findMediaFileState(db, file)
  if (state) assertMayPlay(state, viewer)
  if (!state?.isPublished) throw nothingToPlay()
  return { key: file.key, seconds: state.seconds }
}
