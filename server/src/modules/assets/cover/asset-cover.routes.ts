import { covers as contract } from '@reelkeep/contract'
import type { AssetId } from '../../../kernel/ids.ts'
import { type Api, type PlaybackBase, preparedRoute, route } from '../../../platform/http/route.ts'
import type { MediaBucket } from '../../../platform/storage/media-bucket.ts'
import { playbackUrls } from '../asset-urls.rules.ts'
import { type Asset, requireAsset } from '../assets.ts'
import { oneOfBoth } from './asset-cover.rules.ts'
import { copyThumbnail, requestCoverFrame, resetCover, setCoverImage } from './asset-cover.ts'

export function registerCoverRoutes(api: Api, { media }: { readonly media: MediaBucket }): void {
  route(api, contract.readCover, async ({ db, params, playbackBase }) =>
    toCover(playbackBase, await requireAsset(db, params.asset_id as AssetId)),
  )

  preparedRoute(api, contract.setCover, async ({ db, params, body, playbackBase }) => {
    const assetId = params.asset_id as AssetId
    const { at_seconds: atSeconds, thumbnail } = body
    if ((atSeconds === undefined) === (thumbnail === undefined)) throw oneOfBoth()
    if (thumbnail === undefined) {
      return {
        commit: async (tx) => toCover(playbackBase, await requestCoverFrame(tx, assetId, atSeconds ?? 0)),
        rollback: async () => undefined,
      }
    }
    const { key } = await copyThumbnail(media, db, assetId, thumbnail)
    return {
      commit: async (tx) => toCover(playbackBase, await setCoverImage(tx, assetId, key, thumbnail)),
      // Leftovers are deleted with the asset.
      rollback: async () => void (await media.deleteAll(key).catch(() => false)),
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
