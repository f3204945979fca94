import { type Handler, handle } from '../../platform/jobs/handler.ts'
import { type AssetBucket, deleteAssetObjects, deleteObjects } from './deletion/asset-objects.ts'

export const assetHandlers = (buckets: readonly AssetBucket[]): Handler[] => [
  handle(deleteAssetObjects, ({ db, input, signal }) => deleteObjects(buckets, db, input.assetIds, signal)),
]
