import type { ListedAsset } from 'reelkeep'

/** A video as the library shows it. */
export type ListedVideo = {
  readonly id: string
  readonly title: string
  readonly bytes: number | null
  readonly parentId: string | null
  readonly tags: readonly string[]
  readonly createdAt: string
  readonly status: string
  readonly progress: number
  readonly duration: number | null
  readonly coverUrl: string | null
  /** Why processing failed. */
  readonly problem: string | null
}

export type AssetPage = {
  /** Null if more than 10,000 videos match. */
  readonly count: number | null
  readonly nextCursor: string | null
  readonly videos: readonly ListedVideo[]
}

export function toVideo(asset: ListedAsset): ListedVideo {
  const { id = '', title = '', bytes = null, parent_id: parentId = null, tags = [], created_at: createdAt = '' } = asset
  const {
    status = 'Not Started',
    progress = 0,
    duration = null,
    cover_thumbnail_url: coverUrl = null,
  } = asset.video ?? {}
  const problem = asset.video?.error?.detail ?? null
  return { id, title, bytes, parentId, tags, createdAt, status, progress, duration, coverUrl, problem }
}
