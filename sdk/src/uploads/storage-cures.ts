/** What to do about a refusal of storage's, as far as its code tells; docs/guides/uploading.md has the whole table. */
const cures: Record<string, string> = {
  AccessDenied:
    'The form or address has expired, or something on the way changes what is sent: try again, and look whether a proxy stands in front of storage.',
  BadDigest: 'The bytes were damaged on the way: try again.',
  EntityTooLarge: 'The file is larger than its session takes: create another session for it.',
  EntityTooSmall: 'The file is empty, or was cut on the way: look at what is sent.',
  InvalidAccessKeyId:
    'Storage does not know the key that the service signs with: whoever runs the service compares STORAGE_ACCESS_KEY_ID with storage.',
  NoSuchBucket: 'The bucket is not there: whoever runs the service runs `setup-storage`.',
  NoSuchUpload:
    'The session is over, or its parts were joined or given up: look at the session, or upload the file anew.',
  QuotaExceeded: 'Storage is full: whoever runs it makes room.',
  RequestTimeTooSkewed:
    'The clocks of the service and of storage differ: whoever runs them sets them right.',
  SignatureDoesNotMatch:
    'The service signs with another secret or for another host than storage has: whoever runs the service compares STORAGE_SECRET_ACCESS_KEY and STORAGE_PUBLIC_ENDPOINT with storage.',
}

/** A refusal without a code that is known still has a status. */
export function cureOf(status: number, code: string): string {
  const known = cures[code]
  if (known) return known
  if (status === 413)
    return 'Something in front of storage takes no file of this size: raise its limit.'
  if (status >= 500) return 'Storage has trouble of its own: try again later.'
  return 'Does the address lead to storage, or to something in front of it?'
}
