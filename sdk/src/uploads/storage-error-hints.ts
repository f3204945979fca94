/** Hints on what to do about an error of storage; the full table is in docs/guides/uploading.md. */
const hints: Record<string, string> = {
  AccessDenied:
    'The form or URL has expired, or a proxy changes the request. Retry, and check for a proxy in front of storage.',
  BadDigest: 'The bytes were corrupted in transit. Retry.',
  EntityTooLarge: 'The file is larger than its session allows. Create a new session for it.',
  EntityTooSmall: 'The file is empty or was truncated in transit. Check what is sent.',
  InvalidAccessKeyId:
    'The access key of the service does not exist in storage. The operator must check STORAGE_UPLOAD_ACCESS_KEY_ID and STORAGE_ACCESS_KEY_ID.',
  NoSuchBucket: 'The bucket does not exist. The operator must run `setup-storage`.',
  NoSuchUpload:
    'The session has ended, or its parts were already joined or discarded. Check the session, or upload the file again.',
  QuotaExceeded: 'Storage is full. The operator must free or add space.',
  RequestTimeTooSkewed: 'The clocks of the service and of storage differ. The operator must synchronize them.',
  SignatureDoesNotMatch:
    'The service signs with another secret or for another host than storage expects. The operator must check STORAGE_UPLOAD_SECRET_ACCESS_KEY, STORAGE_SECRET_ACCESS_KEY and STORAGE_PUBLIC_ENDPOINT.',
}

/** Returns the hint for the code, or for the status if the code is unknown. */
export function hintFor(status: number, code: string): string {
  const known = hints[code]
  if (known) return known
  if (status === 413) return 'A proxy in front of storage does not accept files of this size. Raise its limit.'
  if (status >= 500) return 'Storage has an internal problem. Retry later.'
  return 'Check whether the URL belongs to storage or to a proxy in front of it.'
}
