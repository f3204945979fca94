import type { OrganizationDb } from '../../platform/db/database.ts'
import type { UploadsBucket } from '../../platform/storage/uploads-bucket.ts'
import { storagePrefix } from '../assets/assets.ts'
import type { UploadMetrics } from './upload-metrics.ts'
import { type UploadLimits, type UploadSession, uploadKey } from './upload-sessions.rules.ts'

/** Dependencies of upload sessions. */
export type Uploads = {
  readonly bucket: UploadsBucket
  readonly limits: UploadLimits
  readonly metrics: UploadMetrics
  /** A key provider for DRM is configured. */
  readonly hasDrm: boolean
  /** Storage accepts signed forms; otherwise every file is uploaded in parts. */
  readonly supportsForms: boolean
}

/** Storage key of a session's file. */
export const keyOf = (db: OrganizationDb, { assetId, uuid }: UploadSession) =>
  uploadKey(storagePrefix(db.organizationId, assetId), uuid)
