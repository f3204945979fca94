import { timestampFromPostgres } from '@reelkeep/server/kernel/time.ts'
import type { UploadsBucket } from '@reelkeep/server/platform/storage/uploads-bucket.ts'

/** Signs a form under `bare/` without the service, valid for an hour. */
export function signBareForm(bucket: UploadsBucket, bytesMax: number) {
  const key = `bare/${crypto.randomUUID()}`
  return bucket.signForm({ key, bytesMax, signedAt: inSeconds(0), expiresAt: inSeconds(3600) })
}

function inSeconds(seconds: number) {
  const time = new Date(Date.now() + seconds * 1000).toISOString()
  return timestampFromPostgres(time.replace('T', ' ').replace('Z', '+00'))
}
