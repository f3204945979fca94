import { type Handler, handle } from '../../platform/jobs/handler.ts'
import type { MediaBucket } from '../../platform/storage/media-bucket.ts'
import { deleteCoverObject } from './cover/asset-cover.ts'
import { type AssetBucket, deleteAssetObjects, deleteObjects } from './deletion/asset-objects.ts'

export const assetHandlers = (buckets: readonly AssetBucket[], media: MediaBucket): Handler[] => [
  handle(deleteAssetObjects, ({ db, input, signal }) => deleteObjects(buckets, db, input.assetIds, signal)),
  handle(deleteCoverObject, async ({ input }) => {
    await media.deleteAll(input.key)
  }),
]
