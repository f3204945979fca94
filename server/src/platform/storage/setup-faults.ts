import { isStorageAway } from './availability.ts'

/** Storage names a fault and seldom explains it; which setting to look at, it cannot know. */
const remedies: Record<string, string> = {
  InvalidAccessKeyId: 'Storage does not know this key. Check STORAGE_ACCESS_KEY_ID.',
  SignatureDoesNotMatch:
    'Storage knows the key, but with another secret. Check STORAGE_SECRET_ACCESS_KEY.',
  AccessDenied:
    'The key may not do this. It needs the right to create STORAGE_UPLOADS_BUCKET and to change its settings.',
  BucketAlreadyExists:
    'The bucket belongs to somebody else. Set STORAGE_UPLOADS_BUCKET to another name.',
}

/** Why the set-up ended, as a sentence for whoever ran it. */
export function explainSetupFault(error: Error): string {
  const remedy = remedies[error.name]
  if (remedy) return `${remedy} (${error.name})`
  if (!isStorageAway(error)) return `${error.name}: ${error.message}`
  return `Storage does not answer (${error.message}). Does it run, and is STORAGE_ENDPOINT its address?`
}
