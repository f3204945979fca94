import type { OrganizationDb } from '../../platform/db/database.ts'
import type { UploadsBucket } from '../../platform/storage/uploads-bucket.ts'
import { storagePrefix } from '../assets/assets.ts'
import type { UploadMetrics } from './upload-metrics.ts'
import { type UploadLimits, type UploadSession, uploadKey } from './upload-sessions.rules.ts'

/** What upload sessions work with. */
export type Uploads = {
  readonly bucket: UploadsBucket
  readonly limits: UploadLimits
  readonly metrics: UploadMetrics
  /** There is somebody to give keys for DRM. */
  readonly takesDrm: boolean
  /** Storage takes signed forms; otherwise every file comes in parts. */
  readonly takesForms: boolean
}

/** Where the file of a session lies in storage. */
export const keyOf = (db: OrganizationDb, { assetId, uuid }: UploadSession) =>
  uploadKey(storagePrefix(db.organizationId, assetId), uuid)
