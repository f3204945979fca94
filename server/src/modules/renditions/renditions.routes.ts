import { assets as contract, frames } from '@reelkeep/contract'
import type { AssetId } from '../../kernel/ids.ts'
import { type Api, route } from '../../platform/http/route.ts'
import { readFrames, readPlan } from './renditions.ts'
import { toFrames, toPlan } from './renditions.wire.ts'

export function registerRenditionRoutes(api: Api): void {
  route(api, contract.readAssetPlan, async ({ db, params }) => {
    const { asset, plan } = await readPlan(db, params.asset_id as AssetId)
    return toPlan(asset, plan)
  })

  route(api, frames.readFrames, async ({ db, params, query }) => {
    const { plan, frames: around } = await readFrames(db, params.asset_id as AssetId, {
      aroundSeconds: query.around,
      distanceSeconds: frames.FRAMES_SECONDS,
    })
    return toFrames(plan, around)
  })
}
