import { isStorageUnavailable } from '../availability.ts'

/** Hints by S3 error code: which setting to check. */
const hints: Record<string, string> = {
  InvalidAccessKeyId: 'This access key does not exist in storage. Check STORAGE_ACCESS_KEY_ID.',
  SignatureDoesNotMatch: 'The secret does not match the access key. Check STORAGE_SECRET_ACCESS_KEY.',
  AccessDenied:
    'The access key lacks permissions. It must be allowed to create STORAGE_UPLOADS_BUCKET and to change its settings.',
  BucketAlreadyExists: 'The bucket belongs to another account. Set STORAGE_UPLOADS_BUCKET to another name.',
}

/** The upload key cannot be used; the message says which setting to check. */
export class UploadKeyError extends Error {
  override readonly name = 'UploadKeyError'
}

/** Why the setup failed, as a sentence for the operator. */
export function explainSetupError(error: Error): string {
  if (error instanceof UploadKeyError) return error.message
  const hint = hints[error.name]
  if (hint) return `${hint} (${error.name})`
  if (!isStorageUnavailable(error)) return `${error.name}: ${error.message}`
  return `Storage does not respond (${error.message}). Check that it runs and that STORAGE_ENDPOINT is its URL.`
}
