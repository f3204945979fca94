import { hash } from 'node:crypto'
import { pipeline, type Readable } from 'node:stream'
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
import type { AssetId, OrganizationId } from '../../kernel/ids.ts'
import type { KeyRing } from '../../platform/config/key-settings.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import type { Logger } from '../../platform/observability/logger.ts'
import type { MediaBucket, ObjectHead, OpenObject } from '../../platform/storage/media-bucket.ts'
import type { ReadOptions } from '../../platform/storage/reading/object-reader.ts'
import { captionsName, type ShownRange, segmentsOf, storagePrefix, versionFolder } from '../assets/assets.ts'
import { type AesKeys, aesKeys, findProtections } from '../content-keys/content-keys.ts'
import { fileDamaged } from '../published-files/published-files.ts'
import { type SubtitleTrack, tracksOf } from '../subtitles/subtitles.ts'
import type { CachedManifest, ManifestCache } from './delivery/manifest-cache.ts'
import type { MediaFileStates } from './delivery/media-file-states.ts'
import { VerifiedBody } from './delivery/verified-body.ts'
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
  findPlanned,
  findVideoState,
  type MediaFileState,
  type OfMediaFile,
  selectParts,
  selectRates,
  type VideoState,
} from './playback.store.ts'
import type { PlaybackRequest } from './playback-request.ts'
import { isOfAllVersions, keyUri, mediaFileLocationOf, type PlaybackFile } from './playback-urls.rules.ts'
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
  { db, viewer, mediaId, isUnversioned }: Pick<PlaybackRequest, 'db' | 'viewer' | 'mediaId' | 'isUnversioned'>,
  file: ManifestFile,
): Promise<Manifest> {
  const { assetId } = viewer
  // A player starts with the version that is shown, and then stays with the version of its playlists.
  const isEntry = isUnversioned && (file.kind === 'multivariant' || file.kind === 'dash')
  const state = await findVideoState(db, assetId, isEntry ? null : mediaId)
  if (!state) throw nothingToPlay()
  assertMayPlay(state, viewer)
  const hasEnded = endedStatuses.includes(state.status)
  const { shownVersion: version, shownMediaId } = state
  const folder = isEntry ? versionFolder({ version, shownMediaId }) : ''
  const name = [db.organizationId, assetId, folder, isEntry || mediaId, file.kind, 'track' in file && file.track]
  const cached = await cache.read(name.join('/'), state.version, () =>
    write(
      { db, assetId, mediaId: state.mediaId, range: state.range, folder, hasEnded, keyRing, ...kindOf(state) },
      file,
    ),
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
  /** The id under which the files of the version are stored, and their folder relative to the manifest. */
  readonly mediaId: AssetId
  readonly range: ShownRange | null
  readonly folder: string
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
  const { db, assetId, mediaId, folder, range } = input
  const planned = await readPlanned(input)
  const streamState = streamStateOf(planned, input.hasEnded, range)
  if (file.kind === 'media' || file.kind === 'iframes') {
    return writeTrack(input, planned, streamState, file)
  }
  const prefix = storagePrefix(db.organizationId, mediaId)
  const [rows] = await db.run(tracksOf({ assetId }))
  const prefixes = [prefix, storagePrefix(db.organizationId, assetId)] as const
  const subtitles = rows.flatMap((row) => toSubtitles(row, prefixes, range !== null))
  if (file.kind === 'subtitles') {
    const track = subtitles.find(({ name }) => name === file.track)
    if (!track) throw nothingToPlay()
    return writeSubtitlePlaylist(streamState, track)
  }
  if (file.kind === 'multivariant') {
    const { parts, rates } = await selectRates(db, mediaId, targetsOf(streamState))
    const listing = listingOf({ ...planned, parts }, streamState, rates, subtitles)
    if (listing.video.length === 0) throw nothingToPlay()
    const shown = input.isAes ? withoutKeyframes(listing) : listing
    return writeMultivariant({ ...shown, folder, ...(input.hasChapters && { chaptersUri }) })
  }
  if (input.isAes) throw noDashOfAes()
  if (streamState.growth !== 'whole') throw noDashYet()
  const parts = await selectParts(db, mediaId, null)
  const video = { ...planned, parts, ...windowOf(range) }
  return writeDash({ ...streamOf(video, streamState, prefix, subtitles), folder })
}

const windowOf = (range: ShownRange | null) => (range ? { window: segmentsOf(range) } : {})

async function readPlanned({ db, mediaId, keyRing, isDrm }: ManifestInput): Promise<PlannedVideo> {
  const planned = await findPlanned(db, mediaId)
  if (!planned) throw nothingToPlay()
  if (!isDrm) return planned
  const protections = await findProtections(keyRing, db, { id: mediaId })
  // Without protection data, nothing has been encoded.
  if (!protections) throw nothingToPlay()
  return { ...planned, protections }
}

async function writeTrack(
  { db, mediaId, range, keyRing, isAes }: ManifestInput,
  planned: PlannedVideo,
  streamState: StreamState,
  { kind, track: name }: { readonly kind: 'media' | 'iframes'; readonly track: string },
): Promise<string> {
  if (planned.tracks.every((track) => track.name !== name)) throw nothingToPlay()
  const parts = await selectParts(db, mediaId, [name])
  const prefix = storagePrefix(db.organizationId, mediaId)
  const track = findTrack({ ...planned, parts, ...windowOf(range) }, prefix, name)
  if (!track || track.segments.length === 0) throw nothingToPlay()
  if (kind === 'media' && !isAes) return writeMediaPlaylist(streamState, track)
  if (kind === 'media') {
    const keys = await aesKeys(keyRing, db, { id: mediaId })
    const first = range ? segmentsOf(range).start : 0
    return writeMediaPlaylist(streamState, withKeys(track, keys, { prefix, first }))
  }
  if (isAes || !('width' in track)) throw nothingToPlay()
  return writeIframePlaylist(streamState, track)
}

const withoutKeyframes = (listing: Listing): Listing => ({
  ...listing,
  video: listing.video.map((track) => ({ ...track, keyframeRates: null })),
})

/** `first` is the number of the first segment in the video. */
const withKeys = (
  track: StreamTrack,
  keys: AesKeys,
  { prefix, first }: { readonly prefix: string; readonly first: number },
): StreamTrack => ({
  ...track,
  segments: track.segments.map((segment, index) => ({
    ...segment,
    key: {
      uri: keyUri(keys.periodOf(first + index)),
      iv: keys.ivOf(prefix + segment.uri).toString('hex'),
    },
  })),
})

/**
 * Names a track by its id, because two tracks may have the same language. Uploaded tracks belong to all versions, all
 * others to the version whose prefix they have: the first of `prefixes`. The text of a part of a video has other times.
 */
function toSubtitles(
  track: SubtitleTrack,
  prefixes: readonly [media: string, asset: string],
  isPart: boolean,
): PlayedSubtitles[] {
  const { id: name, language, label, origin } = track
  const shared = { name, language, label, isAutomatic: origin === 'generated' }
  const prefix = prefixes[track.origin === 'uploaded' ? 1 : 0]
  if (isPart)
    return prefixes.some((known) => track.key.startsWith(known)) ? [{ ...shared, uri: captionsName(name) }] : []
  return track.key.startsWith(prefix) ? [{ ...shared, uri: relative(track.key, prefix) }] : []
}

/** Where media files are stored, and their states. */
export type MediaFiles = {
  readonly media: MediaBucket
  readonly fileStates: MediaFileStates
  readonly logger: Pick<Logger, 'error'>
}

/** A request for a media file: a segment, an image or subtitles. */
export type MediaFileRequest = Pick<PlaybackRequest, 'viewer' | 'mediaId'> & { readonly name: string }

/** Up to this size, files are read into memory before they are sent, which needs less CPU time than a stream. */
const READ_WHOLE_BYTES_MAX = 256 * 1024

type ObjectToSend =
  | Exclude<OpenObject, { kind: 'open' }>
  | (Omit<Extract<OpenObject, { kind: 'open' }>, 'body' | 'readAll'> & { readonly body: Readable | Uint8Array })

type OpenMediaFile = ObjectToSend & {
  readonly seconds: number | null
  /** Caches may keep the response: if it is complete, its bytes are those that were stored. */
  readonly isVerified: boolean
}

/** Opens a media file to be sent. Throws 503 if storage does not have it as it was stored. */
export async function openMediaFile(
  files: MediaFiles,
  file: MediaFileRequest,
  options: ReadOptions,
  signal: AbortSignal,
): Promise<OpenMediaFile> {
  const located = await locate(files.fileStates, file)
  const { key, seconds, stored, isStale } = located
  const found = await files.media.open(key, options, signal)
  if (!found && !stored) throw nothingToPlay()
  if (!found) throw suspect(files, located)
  if (found.kind !== 'open') return { ...found, seconds, isVerified: true }
  // A range cannot be verified without reading the whole file.
  if (options.range !== undefined) return { ...found, seconds, isVerified: false }
  if (!stored) return { ...found, seconds, isVerified: !isStale }
  if (found.bytes !== stored.bytes) {
    found.body.destroy()
    throw suspect(files, located)
  }
  if (stored.bytes <= READ_WHOLE_BYTES_MAX) {
    const body = await found.readAll()
    if (hash('md5', body) !== stored.md5) throw suspect(files, located)
    return { ...found, body, seconds, isVerified: true }
  }
  const body = new VerifiedBody(stored.md5, () => suspect(files, located))
  // The error ends the body, from which the response is sent.
  pipeline(found.body, body, () => undefined)
  return { ...found, body, seconds, isVerified: true }
}

export async function readMediaFileHead(
  files: MediaFiles,
  file: MediaFileRequest,
  signal: AbortSignal,
): Promise<ObjectHead> {
  const located = await locate(files.fileStates, file)
  const head = await files.media.head(located.key, signal)
  if (head) return head
  throw located.stored ? suspect(files, located) : nothingToPlay()
}

type Located = {
  readonly file: OfMediaFile
  readonly organizationId: OrganizationId
  readonly key: string
  readonly seconds: number | null
  readonly stored: MediaFileState['stored']
  readonly isStale: boolean
}

/** Reports a file that storage does not have as it was stored, and returns the error for the viewer. */
function suspect({ fileStates, logger }: MediaFiles, { organizationId, file }: Located): Error {
  logger.error({ asset_id: file.assetId, key: file.key }, 'storage returned a damaged file')
  fileStates
    .suspect(organizationId, file)
    .catch((err: unknown) => logger.error({ err, key: file.key }, 'failed to report a damaged file'))
  return fileDamaged()
}

/**
 * Returns the storage key and the duration of a media file that the viewer may fetch. Runs for every file: names can be
 * guessed, so deleted files and files of a running or failed attempt are not served.
 */
async function locate(fileStates: MediaFileStates, { viewer, mediaId, name }: MediaFileRequest): Promise<Located> {
  const { organizationId, assetId } = viewer
  const own = storagePrefix(organizationId, isOfAllVersions(name) ? assetId : mediaId)
  const { folder, ...location } = mediaFileLocationOf(name)
  const file = { assetId, mediaId, key: own + name, prefix: own + folder, ...location }
  const state = await fileStates.find(organizationId, file)
  if (state) assertMayPlay(state, viewer)
  if (!state?.isPublished) throw nothingToPlay()
  if (state.movedTo !== null) {
    // The encryption of a segment under AES-128 depends on its name, which the older playlist does not have.
    if (state.contentProtection === 'aes') throw nothingToPlay()
    const moved = relative(state.movedTo, own) + name.slice(folder.length)
    return locate(fileStates, { viewer, mediaId, name: moved })
  }
  if (state.isDamaged) throw fileDamaged()
  const { seconds, stored, isStale } = state
  return { file, organizationId, key: file.key, seconds, stored, isStale }
}
