import type { assetLists, assets as contract } from '@reelkeep/contract'
import type { PlaybackBase } from '../../platform/http/route.ts'
import { toCreator } from '../grants/grants.ts'
import { playbackUrls } from './asset-urls.rules.ts'
import { type Asset, type AssetQuery, failureOf, type Rendition } from './assets.ts'
import { progressOf, renditionProgress, renditionStatus } from './progress/asset-progress.rules.ts'
import { secondsOf, wholeDurationOf } from './range/shown-range.rules.ts'

/** An asset in API responses. */
export const assetWire =
  (playbackBase: PlaybackBase) =>
  (asset: Asset): contract.Asset => ({
    id: asset.id,
    title: asset.title,
    bytes: asset.bytes,
    type: 'video',
    parent_id: asset.folderUuid,
    description: asset.description,
    tags: [...asset.tags],
    external_id: asset.externalId,
    metadata: asset.metadata,
    video: {
      status: asset.status,
      progress: progressOf(asset),
      duration: asset.durationSeconds,
      width: asset.width,
      height: asset.height,
      frame_rate: asset.frameRate,
      resolutions: [...asset.resolutions],
      renditions: asset.renditions.map((rendition) => toRendition(asset, rendition)),
      content_protection_type: asset.contentProtection,
      generate_subtitle: asset.generateSubtitle,
      ...playbackUrls(playbackBase, asset),
      ...toRange(asset.range),
      error: failureOf(asset),
    },
    version: asset.version,
    upload_session_uuid: asset.uploadSessionUuid,
    legal_hold: asset.legalHold,
    created_by: toCreator(asset),
    created_at: asset.createdAt,
    updated_at: asset.updatedAt,
    deleted_at: asset.deletedAt,
    purge_at: asset.purgeAt,
  })

/** The part of the media that the asset shows. Times are in milliseconds, from which requests find the frame. */
function toRange(range: Asset['range']): Pick<contract.Asset['video'], 'clip' | 'trim'> {
  if (!range) return { clip: null, trim: null }
  const secondsAt = (frame: number) => Number(secondsOf(frame, range).toFixed(3))
  const { startFrame, endFrame, wholeStartFrame, wholeEndFrame, firstFrame, parentId } = range
  return {
    clip: parentId && {
      parent_id: parentId,
      start_seconds: secondsAt(wholeStartFrame - firstFrame),
      end_seconds: secondsAt(wholeEndFrame - firstFrame),
    },
    trim: range.isTrimmed
      ? {
          start_seconds: secondsAt(startFrame - wholeStartFrame),
          end_seconds: secondsAt(endFrame - wholeStartFrame),
          whole_duration: wholeDurationOf(range),
        }
      : null,
  }
}

/** An asset in a list, with only these fields, such as `id,video.status`; all of them if undefined. */
export function listedAssetWire(
  playbackBase: PlaybackBase,
  fields: string | undefined,
): (asset: Asset) => assetLists.ListedAsset {
  if (fields === undefined) return assetWire(playbackBase)
  const names = fields.split(',')
  // Without a field that contains URLs, no playback token is computed.
  const toWire = assetWire(names.some((name) => urlFields.has(name)) ? playbackBase : () => '')
  const videoNames = names.flatMap((name) => (name.startsWith('video.') ? [name.slice('video.'.length)] : []))
  const isWhole = videoNames.length === 0 || names.includes('video')
  return (asset) => {
    const { video, ...whole } = toWire(asset)
    return pick({ ...whole, video: isWhole ? video : pick(video, videoNames) }, [
      ...names,
      ...(isWhole ? [] : ['video']),
    ])
  }
}

const urlFields: ReadonlySet<string> = new Set([
  'video',
  ...['playback_url', 'dash_url', 'thumbnails', 'cover_thumbnail_url', 'waveform_url', 'tracks'].map(
    (name) => `video.${name}`,
  ),
])

/** The filter of a request. */
export const assetQueryOf = (filters: assetLists.AssetFilters): AssetQuery => ({
  folder: filters.folder,
  isRecursive: filters.recursive,
  statuses: filters.status,
  tags: filters.tag,
  externalId: filters.external_id,
  ids: filters.id,
  createdAfter: filters.created_after,
  createdBefore: filters.created_before,
  durationMin: filters.duration_min,
  durationMax: filters.duration_max,
  has: filters.has,
  text: filters.q,
})

/** The fields that `slimRowColumns` contains. */
const slimFields: readonly string[] = [
  ...['id', 'title', 'bytes', 'type', 'parent_id', 'description', 'tags', 'external_id', 'metadata'],
  ...[
    'legal_hold',
    'created_at',
    'updated_at',
    'deleted_at',
    'purge_at',
    'version',
    'video.status',
    'video.progress',
    'video.duration',
    'video.width',
    'video.height',
    'video.frame_rate',
  ],
  ...['video.resolutions', 'video.content_protection_type', 'video.generate_subtitle', 'video.error'],
  ...['video.playback_url', 'video.thumbnails', 'video.cover_thumbnail_url', 'video.waveform_url'],
]

/** Whether a list with these fields needs only the table of assets. */
export const areSlim = (fields: string | undefined): boolean =>
  fields?.split(',').every((name) => slimFields.includes(name)) ?? false

function pick(value: object, names: readonly string[]) {
  const picked: Record<string, unknown> = {}
  for (const name of names) if (Object.hasOwn(value, name)) picked[name] = value[name as keyof typeof value]
  return picked
}

export const toRendition = (asset: Asset, rendition: Rendition): contract.Rendition => ({
  name: rendition.name,
  status: renditionStatus(asset, rendition),
  progress: renditionProgress(rendition),
  width: rendition.width,
  height: rendition.height,
  bitrate: bitrateOf(asset, rendition),
})

/** Average bitrate; null until the rendition is complete. */
function bitrateOf({ durationSeconds }: Asset, rendition: Rendition): number | null {
  const { bytes, segmentsDone, segmentsTotal } = rendition
  if (segmentsDone < segmentsTotal || !durationSeconds) return null
  return Math.round((bytes * 8) / durationSeconds)
}
