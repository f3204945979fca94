import type { assets as contract } from '@reelkeep/contract'
import type { Asset } from './assets.ts'

/** An asset as callers see it, here and wherever another answer holds one. */
export const toAsset = (asset: Asset): contract.Asset => ({
  id: asset.id,
  title: asset.title,
  bytes: asset.bytes,
  type: 'video',
  parent_id: asset.folderUuid,
  video: {
    status: asset.status,
    progress: asset.status === 'Completed' ? 100 : 0,
    duration: asset.durationSeconds,
    width: asset.width,
    height: asset.height,
    resolutions: [...asset.resolutions],
    renditions: [],
    content_protection_type: asset.contentProtection,
    generate_subtitle: asset.generateSubtitle,
    playback_url: null,
    dash_url: null,
    thumbnails: [],
    cover_thumbnail_url: null,
    tracks: [],
    error: toFailure(asset),
  },
  created_at: asset.createdAt,
  updated_at: asset.updatedAt,
})

/** What went wrong, of anything that keeps it in these two columns. */
export const toFailure = (of: {
  readonly errorCode: string | null
  readonly errorDetail: string | null
}) =>
  of.errorCode === null || of.errorDetail === null
    ? null
    : { code: of.errorCode, detail: of.errorDetail }
