import { assets as contract } from '@reelkeep/contract'
import type { AssetId } from '../../kernel/ids.ts'
import { type Api, route } from '../../platform/http/route.ts'
import { readPlan } from './renditions.ts'
import { toPlan } from './renditions.wire.ts'

export function registerRenditionRoutes(api: Api): void {
  route(api, contract.readAssetPlan, async ({ db, params }) => {
    const { asset, plan } = await readPlan(db, params.asset_id as AssetId)
    return toPlan(asset, plan)
  })
}
