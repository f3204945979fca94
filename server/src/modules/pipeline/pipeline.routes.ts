import { assets as contract } from '@reelkeep/contract'
import type { AssetId } from '../../kernel/ids.ts'
import { type Api, route } from '../../platform/http/route.ts'
import { assetWire } from '../assets/assets.wire.ts'
import { cancelProcessing, retryProcessing } from './pipeline.ts'

export function registerPipelineRoutes(api: Api): void {
  route(api, contract.cancelAsset, async ({ db, params, playbackBase }) =>
    assetWire(playbackBase)(await cancelProcessing(db, params.asset_id as AssetId)),
  )

  route(api, contract.retryAsset, async ({ db, params, playbackBase }) =>
    assetWire(playbackBase)(await retryProcessing(db, params.asset_id as AssetId)),
  )
}
