import type { versions as contract } from '@reelkeep/contract'
import { failureOf } from '../assets/assets.ts'
import type { Version } from './versions.ts'

export const toVersion = (version: Version): contract.Version => ({
  number: version.number,
  status: version.status,
  is_active: version.isActive,
  bytes: version.bytes,
  duration: version.durationSeconds,
  upload_session_uuid: version.uploadSessionUuid,
  error: failureOf(version),
  created_at: version.createdAt,
  activated_at: version.activatedAt,
})
