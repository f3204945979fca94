import type { OrganizationDb } from '../../../platform/db/database.ts'
import type { Attempt } from '../../../platform/jobs/handler.ts'
import { type Asset, lockAssetQuery } from '../../assets/assets.ts'
import type { RenderInput } from '../../renditions/renditions.ts'
import { isProcessing, isUnrendered } from '../pipeline.rules.ts'
import { latestRun } from '../pipeline.store.ts'

export type RenderAttempt = Attempt<RenderInput>

/** Undefined if the asset was deleted, cancelled or rendered, or if a retry has replaced this run. */
export async function lockOpen(all: OrganizationDb, { assetId, run }: RenderInput): Promise<Asset | undefined> {
  const [[asset], [latest]] = await all.run(lockAssetQuery({ id: assetId }), latestRun(assetId))
  const isOpen = asset && isProcessing(asset) && isUnrendered(asset) && run === (latest?.run ?? 0)
  return isOpen ? asset : undefined
}
