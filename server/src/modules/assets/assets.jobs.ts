import { type Handler, handle } from '../../platform/jobs/handler.ts'
import { type AssetBucket, freeAssets, freeStorage } from './deletion/asset-deletion.ts'

export const assetHandlers = (buckets: readonly AssetBucket[]): Handler[] => [
  handle(freeAssets, ({ db, input, signal }) => freeStorage(buckets, db, input.assetIds, signal)),
]
