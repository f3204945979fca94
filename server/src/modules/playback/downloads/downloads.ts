/**
 * Downloads of an asset: the source from storage, or a rendition as an MP4 file. The MP4 is not stored. Its header is
 * computed from the init segments, and the segments follow as they are stored (`mp4-file.ts`). Its length and every
 * byte are therefore known before the first segment is read, and a range costs no more than its own bytes.
 */
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { asAudioSegment, mp4Header } from '@reelkeep/media'
import type { AssetId } from '../../../kernel/ids.ts'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import { isOrganizationSuspended, organizationBeingMoved } from '../../../platform/db/suspension.ts'
import type { MediaBucket } from '../../../platform/storage/media-bucket.ts'
import {
  findAsset,
  findProbed,
  findShownSource,
  mediaIdOf,
  requireAsset,
  type Source,
  storagePrefix,
} from '../../assets/assets.ts'
import { fileDamaged, hasDamage } from '../../published-files/published-files.ts'
import { findTrack, nothingToPlay } from '../playback.rules.ts'
import { findPlanned, findVideoState, selectParts } from '../playback.store.ts'
import {
  type ByteRange,
  chooseRendition,
  contentProtected,
  extensionOf,
  fileNameOf,
  interleave,
  type Mp4Segment,
  overlapOf,
  partNotAvailable,
  sourceNotAvailable,
  sum,
} from './downloads.rules.ts'

export async function requireSourceFile(
  db: OrganizationDb,
  id: AssetId,
): Promise<{ readonly source: Source; readonly fileName: string }> {
  const asset = await requireAsset(db, id)
  // The file of a clip is that of another asset, and contains more than the clip shows.
  if (asset.range?.parentId) throw sourceNotAvailable()
  const [source, probed] = await Promise.all([findShownSource(db, asset), findProbed(db, asset)])
  if (!source) throw sourceNotAvailable()
  return { source, fileName: fileNameOf(asset.title, extensionOf(probed?.container)) }
}

/** Returns the name of the rendition that can be downloaded. */
export async function requireRendition(
  db: OrganizationDb,
  id: AssetId,
  requested: string | undefined,
): Promise<{ readonly rendition: string; readonly fileName: string }> {
  const asset = await requireAsset(db, id)
  if (asset.contentProtection !== 'disable') throw contentProtected(asset.contentProtection)
  if (asset.range) throw partNotAvailable()
  const rendition = chooseRendition(await findPlanned(db, mediaIdOf(asset)), requested)
  return { rendition, fileName: fileNameOf(asset.title, 'mp4') }
}

export type Mp4File = {
  readonly fileName: string
  readonly bytes: number
  /** ETag with the quotes that HTTP requires. */
  readonly etag: string
  readonly header: Buffer
  /** Common prefix of the storage keys. */
  readonly prefix: string
  readonly mediaId: AssetId
  readonly segments: readonly Mp4Segment[]
}

/** Throws `not_found` unless the rendition is complete and may be downloaded. */
export async function describeMp4(
  media: MediaBucket,
  db: OrganizationDb,
  assetId: AssetId,
  rendition: string,
  signal: AbortSignal,
): Promise<Mp4File> {
  await assertAvailable(db, assetId)
  const asset = await findAsset(db, assetId)
  if (!asset) throw nothingToPlay()
  const mediaId = mediaIdOf(asset)
  const planned = await findPlanned(db, mediaId)
  if (!planned || asset.contentProtection !== 'disable' || asset.range) throw nothingToPlay()
  await assertUndamaged(db, mediaId)
  const isComplete = planned.tracks.every(
    ({ name, width, segmentsDone, segmentsTotal }) =>
      (name !== rendition && width !== null) || segmentsDone === segmentsTotal,
  )
  const audioName = planned.tracks.find(({ width }) => width === null)?.name
  const names = audioName === undefined ? [rendition] : [rendition, audioName]
  const parts = await selectParts(db, mediaId, names)
  const prefix = storagePrefix(db.organizationId, mediaId)
  const trackOf = (name: string) => findTrack({ ...planned, parts }, prefix, name)
  const [video, audio] = [trackOf(rendition), audioName === undefined ? undefined : trackOf(audioName)]
  if (!isComplete || !video || !('width' in video)) throw nothingToPlay()
  const { segments, groups } = interleave(video, audio)
  const readInit = (uri: string) => media.read(prefix + uri, { range: undefined, bytesMax: INIT_BYTES_MAX }, signal)
  const inits = await Promise.all([video, ...(audio ? [audio] : [])].map(({ initUri }) => readInit(initUri)))
  const { durationSeconds } = planned.plan
  const header = mp4Header({ video: inits[0] as Buffer, audio: inits[1] ?? null, durationSeconds, groups })
  // Versions of an asset may have the same names of segments.
  const hash = createHash('sha256').update(header).update(prefix)
  for (const { uri } of segments) hash.update(uri)
  return {
    fileName: fileNameOf(asset.title, 'mp4'),
    bytes: header.length + sum(segments),
    etag: `"${hash.digest('base64url').slice(0, ETAG_LETTERS)}"`,
    ...{ header, prefix, mediaId, segments },
  }
}

/** Init segments have about one kilobyte. */
const INIT_BYTES_MAX = 2 ** 16
/** Maximum size of an audio segment, which is read into memory. At 4 seconds and 256 kbit/s it has 128 KiB. */
const AUDIO_BYTES_MAX = 2 ** 23
/** Length of an ETag: 132 bits of the hash, so that collisions do not occur. */
const ETAG_LETTERS = 22

/** How long a download may continue after its asset was deleted, or one of its files was found to be damaged. */
const CHECK_SECONDS = 5

/**
 * The bytes of an MP4 file, one segment at a time and only as fast as the client reads. Fails if the asset is deleted
 * before the end. Destroying the stream ends the request to storage.
 */
export function openMp4(
  media: MediaBucket,
  db: OrganizationDb,
  { assetId, file, range }: { readonly assetId: AssetId; readonly file: Mp4File; readonly range: ByteRange },
  signal: AbortSignal,
): Readable {
  async function* bytes(): AsyncGenerator<Uint8Array> {
    let checkedAt = performance.now()
    const ofHeader = overlapOf(range, 0, file.header.length)
    if (ofHeader) yield file.header.subarray(ofHeader.start, ofHeader.end)
    let offset = file.header.length
    for (const segment of file.segments) {
      const wanted = overlapOf(range, offset, segment.bytes)
      offset += segment.bytes
      if (!wanted) continue
      if (performance.now() - checkedAt > CHECK_SECONDS * 1000) {
        await assertAvailable(db, assetId)
        await assertUndamaged(db, file.mediaId)
        checkedAt = performance.now()
      }
      yield* readSegment(media, file.prefix + segment.uri, segment, wanted, signal)
    }
  }
  return Readable.from(bytes(), { objectMode: false })
}

async function* readSegment(
  media: MediaBucket,
  key: string,
  { isAudio, bytes }: Mp4Segment,
  { start, end }: ByteRange,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  if (isAudio) {
    const segment = await media.read(key, { range: undefined, bytesMax: AUDIO_BYTES_MAX }, signal)
    if (segment.length !== bytes) throw new Error(`${key} has ${segment.length} bytes instead of ${bytes}`)
    yield asAudioSegment(segment).subarray(start, end)
    return
  }
  const found = await media.open(key, { range: `bytes=${start}-${end - 1}`, knownEtag: undefined }, signal)
  if (found?.kind !== 'open' || found.bytes !== end - start) throw new Error(`${key} is not complete`)
  yield* found.body as AsyncIterable<Uint8Array>
}

async function assertUndamaged(db: OrganizationDb, mediaId: AssetId): Promise<void> {
  if (await hasDamage(db, mediaId)) throw fileDamaged()
}

/** Throws if the asset was deleted, or if its organization is suspended. */
async function assertAvailable(db: OrganizationDb, assetId: AssetId): Promise<void> {
  const [state, isSuspended] = await Promise.all([findVideoState(db, assetId), isOrganizationSuspended(db)])
  if (isSuspended) throw organizationBeingMoved()
  if (!state) throw nothingToPlay()
}
