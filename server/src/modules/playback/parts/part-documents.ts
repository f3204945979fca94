/**
 * The files of a clip or a trimmed asset that follow the time of its video. They are written for each request, from the
 * stored files of the whole, so a trim changes nothing in storage. Subtitles have the times of the manifests, which
 * start with a whole segment; images and waveform have those of the part itself, like the API.
 */
import { trackPart, waveformPart } from '@reelkeep/media'
import type { AssetId } from '../../../kernel/ids.ts'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import type { MediaBucket } from '../../../platform/storage/media-bucket.ts'
import {
  type Asset,
  leadSeconds,
  mediaSeconds,
  playbackPath,
  requireAsset,
  type ShownRange,
  secondsOf,
  type TimelineName,
} from '../../assets/assets.ts'
import { assertIntact } from '../../published-files/published-files.ts'
import { nothingToPlay } from '../playback.rules.ts'

type PartOf = Asset & { readonly range: ShownRange }

/** Throws unless the asset shows a part of its video. */
export async function requirePart(db: OrganizationDb, assetId: AssetId): Promise<PartOf> {
  const asset = await requireAsset(db, assetId)
  if (!asset.range) throw nothingToPlay()
  return { ...asset, range: asset.range }
}

/** Far above the largest stored file: a filmstrip of 3,600 tiles, or the waveform of a long video. */
const FILE_BYTES_MAX = 2 ** 24

export async function readTimeline(
  media: MediaBucket,
  db: OrganizationDb,
  asset: PartOf,
  name: TimelineName,
  signal: AbortSignal,
): Promise<Buffer> {
  const key = asset[`${name}Key`]
  if (key === null) throw nothingToPlay()
  await assertIntact(db, key)
  const file = await media.read(key, { range: undefined, bytesMax: FILE_BYTES_MAX }, signal)
  const part = mediaSeconds(asset.range)
  if (name === 'waveform') return waveformPart(file, part)
  const path = playbackPath(asset, key)
  const folder = path.slice(0, path.lastIndexOf('/') + 1)
  return Buffer.from(trackPart(file.toString(), part, { rewrite: (tile) => folder + tile }))
}

export async function readCaptions(
  media: MediaBucket,
  db: OrganizationDb,
  asset: PartOf,
  track: string,
): Promise<Buffer> {
  const found = asset.subtitles.find(({ id }) => id === track)
  if (!found) throw nothingToPlay()
  await assertIntact(db, found.key)
  const text = await media.findText(found.key)
  if (text === undefined) throw nothingToPlay()
  const { range } = asset
  // Subtitles have the times of the whole that the asset shows without its trim.
  const part = {
    startSeconds: secondsOf(range.startFrame - range.wholeStartFrame, range),
    endSeconds: secondsOf(range.endFrame - range.wholeStartFrame, range),
  }
  return Buffer.from(trackPart(text, part, { offsetSeconds: leadSeconds(range) }))
}
