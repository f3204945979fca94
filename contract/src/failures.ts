/**
 * Why a session or a video failed, for good or until it is tried again. Kept with it, unlike an error, which answers one
 * request. A code, once published, never changes its meaning.
 */
export const failureCatalogue = {
  upload_expired:
    'No whole file arrived before the upload session expired. Create another session.',
  upload_cancelled: 'The upload session was cancelled before its file arrived.',
  upload_empty:
    'What storage received is too short to be a video: the form was posted without a field named `file`, or with an empty one. Create another session.',
  upload_too_large:
    'The file is larger than its session takes. Create another session with `file_size_bytes`.',
} as const satisfies Record<string, string>

export type FailureCode = keyof typeof failureCatalogue
