import { type Handler, handle } from '../../platform/jobs/handler.ts'
import type { MediaBucket } from '../../platform/storage/media-bucket.ts'
import type { UploadsBucket } from '../../platform/storage/uploads-bucket.ts'
import { deleteCoverObject, deleteCoverUpload } from './cover/asset-cover.ts'
import { deleteAdded, deleteAddedObjects, deleteAssetObjects, deleteObjects } from './deletion/asset-objects.ts'

type Buckets = { readonly uploads: UploadsBucket; readonly media: MediaBucket }

export const assetHandlers = ({ uploads, media }: Buckets): Handler[] => [
  handle(deleteAssetObjects, ({ db, input, signal }) => deleteObjects([uploads, media], db, input.assetIds, signal)),
  handle(deleteAddedObjects, ({ db, input, signal }) => deleteAdded([uploads, media], db, input.assetId, signal)),
  handle(deleteCoverObject, async ({ input }) => {
    await media.deleteAll(input.key)
  }),
  handle(deleteCoverUpload, async ({ input }) => {
    await uploads.deleteAll(input.key)
  }),
]
