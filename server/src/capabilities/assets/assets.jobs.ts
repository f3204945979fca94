import { type Handler, handle } from '../../platform/jobs/handler.ts'
import type { UploadsBucket } from '../../platform/storage/uploads-bucket.ts'
import { freeAssets, freeStorage } from './asset-deletion.ts'

export const assetHandlers = (bucket: UploadsBucket): Handler[] => [
  handle(freeAssets, ({ db, input, signal }) => freeStorage(bucket, db, input.assetIds, signal)),
]
