import {
  type SubtitleTrack as PlayedSubtitles,
  writeDash,
  writeIframePlaylist,
  writeMediaPlaylist,
  writeMultivariant,
  writeSubtitlePlaylist,
} from '@reelkeep/media'
import type { AssetId } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import type {
  MediaBucket,
  ObjectHead,
  ObjectWish,
  OpenObject,
} from '../../platform/storage/media-bucket.ts'
import { type Asset, requireAsset, storagePrefix } from '../assets/assets.ts'
import { type SubtitleTrack, tracksOf } from '../subtitles/subtitles.ts'
import { type PlayAddress, piecePlaceOf } from './play-addresses.rules.ts'
import {
  courseOf,
  findTrack,
  isProtected,
  isWhole,
  type MadeVideo,
  noDashYet,
  nothingToPlay,
  relative,
  streamOf,
} from './playback.rules.ts'
import { findMade, findPieceState } from './playback.store.ts'

export type Manifest = {
  readonly text: string
  /** More may come to it any moment. */
  readonly mayGrow: boolean
}

type ManifestAddress = Exclude<PlayAddress, { kind: 'object' }>

/** What a player reads to know what to fetch. Whoever asks for something that cannot be played yet finds nothing. */
export async function readManifest(
  db: OrganizationDb,
  id: AssetId,
  address: ManifestAddress,
): Promise<Manifest> {
  const asset = await requirePlayable(db, id)
  const made = await findMade(db, asset, wantedBy(address))
  if (!made) throw nothingToPlay()
  const video = { ...made, hasEnded: endedStatuses.includes(asset.status) }
  const prefix = storagePrefix(db.organizationId, id)
  const [tracks] = await db.run(tracksOf({ assetId: id }))
  const subtitles = tracks.map((track) => toSubtitles(track, prefix))
  return { text: write(video, prefix, address, subtitles), mayGrow: !video.hasEnded }
}

const endedStatuses: readonly Asset['status'][] = ['Completed', 'Error', 'Cancelled']

/** Whose segments are needed to write it; null for all of them. */
function wantedBy(address: ManifestAddress): readonly string[] | null {
  if (address.kind === 'multivariant' || address.kind === 'dash') return null
  return address.kind === 'subtitles' ? [] : [address.track]
}

function write(
  video: MadeVideo,
  prefix: string,
  address: ManifestAddress,
  subtitles: readonly PlayedSubtitles[],
): string {
  const course = courseOf(video)
  if (address.kind === 'subtitles') {
    const track = subtitles.find(({ name }) => name === address.track)
    if (!track) throw nothingToPlay()
    return writeSubtitlePlaylist(course, track)
  }
  if (address.kind === 'media' || address.kind === 'iframes') {
    const track = findTrack(video, prefix, address.track)
    if (!track) throw nothingToPlay()
    if (address.kind === 'media') return writeMediaPlaylist(course, track)
    if (!('width' in track)) throw nothingToPlay()
    return writeIframePlaylist(course, track)
  }
  const stream = streamOf(video, prefix, subtitles)
  if (stream.video.length === 0) throw nothingToPlay()
  if (address.kind === 'multivariant') return writeMultivariant(stream)
  if (!isWhole(video)) throw noDashYet()
  return writeDash(stream)
}

/** They are known by their identifier: two may be in the same language. */
const toSubtitles = (track: SubtitleTrack, prefix: string): PlayedSubtitles => ({
  name: track.id,
  language: track.language,
  label: track.label,
  isAutomatic: track.origin === 'generated',
  uri: relative(track.key, prefix),
})

export type Piece = { readonly assetId: AssetId; readonly name: string }

/** A piece of a video, to be read as it is sent. */
export async function openPiece(
  bucket: MediaBucket,
  db: OrganizationDb,
  { assetId, name }: Piece,
  wish: ObjectWish,
  signal: AbortSignal,
): Promise<OpenObject> {
  const key = await keyOf(db, assetId, name)
  const found = await bucket.open(key, wish, signal)
  if (!found) throw nothingToPlay()
  return found
}

export async function readPieceHead(
  bucket: MediaBucket,
  db: OrganizationDb,
  { assetId, name }: Piece,
  signal: AbortSignal,
): Promise<ObjectHead> {
  const head = await bucket.head(await keyOf(db, assetId, name), signal)
  if (!head) throw nothingToPlay()
  return head
}

/**
 * Looked up for every piece: what is protected, or deleted, is not given out by its name; nor is what an attempt has stored that still runs,
 * or that lost, though its name is easily guessed.
 */
async function keyOf(db: OrganizationDb, assetId: AssetId, name: string): Promise<string> {
  const own = storagePrefix(db.organizationId, assetId)
  const { folder, ...place } = piecePlaceOf(name)
  const piece = { assetId, key: own + name, prefix: own + folder, ...place }
  const state = await findPieceState(db, piece)
  if (state && state.contentProtection !== 'disable') throw isProtected()
  if (!state?.isPublished) throw nothingToPlay()
  return piece.key
}

async function requirePlayable(db: OrganizationDb, id: AssetId): Promise<Asset> {
  const asset = await requireAsset(db, id)
  if (asset.contentProtection !== 'disable') throw isProtected()
  return asset
}
