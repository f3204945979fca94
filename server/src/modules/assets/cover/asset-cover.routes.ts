import { covers as contract } from '@reelkeep/contract'
import type { AssetId } from '../../../kernel/ids.ts'
import { type Api, type PlaybackBase, preparedRoute, route } from '../../../platform/http/route.ts'
import type { MediaBucket } from '../../../platform/storage/media-bucket.ts'
import type { UploadsBucket } from '../../../platform/storage/uploads-bucket.ts'
import { playbackUrls } from '../asset-urls.rules.ts'
import { type Asset, requireAsset } from '../assets.ts'
import { exactlyOne } from './asset-cover.rules.ts'
import {
  copyThumbnail,
  createCoverUpload,
  requestCoverFrame,
  requestCoverUpload,
  requireCoverUpload,
  resetCover,
  setCoverImage,
} from './asset-cover.ts'

/** Where images are stored and uploaded. */
type CoverStorage = {
  readonly media: MediaBucket
  readonly uploads: { readonly bucket: UploadsBucket; readonly supportsForms: boolean }
}

export function registerCoverRoutes(api: Api, { media, uploads }: CoverStorage): void {
  route(api, contract.readCover, async ({ db, params, playbackBase }) =>
    toCover(playbackBase, await requireAsset(db, params.asset_id as AssetId)),
  )

  preparedRoute(api, contract.setCover, async ({ db, params, body, playbackBase }) => {
    const assetId = params.asset_id as AssetId
    const { at_seconds: atSeconds, thumbnail, upload_id: uploadId } = body
    if ([atSeconds, thumbnail, uploadId].filter((value) => value !== undefined).length !== 1) throw exactlyOne()
    if (uploadId !== undefined) {
      const image = await requireCoverUpload(uploads.bucket, db, assetId, uploadId)
      return {
        commit: async (tx) => toCover(playbackBase, await requestCoverUpload(tx, assetId, image)),
        rollback: async () => undefined,
      }
    }
    if (thumbnail === undefined) {
      return {
        commit: async (tx) => toCover(playbackBase, await requestCoverFrame(tx, assetId, atSeconds ?? 0)),
        rollback: async () => undefined,
      }
    }
    const cover = await copyThumbnail(media, db, assetId, thumbnail)
    return {
      commit: async (tx) => toCover(playbackBase, await setCoverImage(tx, assetId, cover, thumbnail)),
      // Leftovers are deleted with the asset.
      rollback: async () => void (await media.deleteAll(cover.key).catch(() => false)),
    }
  })

  route(api, contract.createCoverUpload, async ({ db, params }) => {
    const upload = await createCoverUpload(uploads, db, params.asset_id as AssetId, contract.IMAGE_BYTES_MAX)
    return {
      id: upload.id,
      max_bytes: contract.IMAGE_BYTES_MAX,
      expires_at: upload.expiresAt.toISOString(),
      client_payload: { upload_link: upload.form.link, ...upload.form.fields },
    }
  })

  route(api, contract.deleteCover, async ({ db, params }) => {
    await resetCover(db, params.asset_id as AssetId)
  })
}

const toCover = (playbackBase: PlaybackBase, asset: Asset): contract.Cover => ({
  status: asset.coverRequest === null ? 'ready' : 'processing',
  is_custom: asset.customCoverKey !== null,
  url: playbackUrls(playbackBase, asset).cover_thumbnail_url,
})
