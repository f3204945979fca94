/** Texts for states and errors. */
import { explainCall } from '../shared/failures.js'
import { StorageRejection, StorageUnreachable } from './storage.js'

const sessionDescriptions = {
  Created: 'waiting for the file',
  Uploading: 'receiving parts',
  Completed: 'the file was received',
  Expired: 'no file was uploaded in time',
  Cancelled: 'no more data is accepted',
}

export const describeSession = ({ status, error }) => joined(status, error?.detail ?? sessionDescriptions[status])

const videoDescriptions = {
  'Not Started': () => 'waiting for the file',
  Queued: () => 'waiting for a worker',
  Processing: ({ progress }) => `${progress} %`,
  Completed: ({ duration, width, height }) => `${clock(duration)}, ${width} × ${height}`,
}

export const describeVideo = (video) =>
  joined(video.status, video.error?.detail ?? videoDescriptions[video.status]?.(video))

const clock = (seconds) =>
  [seconds / 3600, (seconds / 60) % 60, seconds % 60]
    .map((field) => String(Math.floor(field)).padStart(2, '0'))
    .join(':')

const joined = (status, text) => (text ? `${status}: ${text}` : status)

/** Returns `{ heading, detail, fields, invalidFields, advice, command, reference }`, some of them undefined. */
export function explain(error) {
  if (error instanceof StorageRejection) return explainRejection(error)
  if (error instanceof StorageUnreachable) return storageReasons[error.reason]()
  return explainCall(error)
}

const storageErrors = {
  EntityTooLarge: 'The file exceeds the limit of the session. Use a resumable upload.',
  EntityTooSmall: 'The file is empty.',
  AccessDenied: 'The upload form has probably expired. Try again to renew it.',
  SignatureDoesNotMatch: 'The signed URL was modified. Try again to renew it.',
  NoSuchBucket: 'The bucket does not exist. Ask the operator to run the storage setup.',
  NoSuchUpload: 'Storage no longer has the parts of this upload. Start a new upload.',
}

const explainRejection = ({ message, code }) => ({
  heading: 'Storage rejected the file',
  detail: message,
  advice: storageErrors[code] ?? 'Try again. If the problem persists, contact the operator.',
})

const storageReasons = {
  closed: () => ({
    heading: 'Storage does not allow uploads from this page',
    detail: `The CORS settings of storage do not allow uploads from ${location.origin}.`,
    advice: 'Run the storage setup with this origin, then try again:',
    command: `UPLOAD_ORIGINS=${location.origin} node server/src/main/setup-storage.ts`,
  }),
  away: () => ({
    heading: 'Storage cannot be reached',
    detail: 'There is no response from the upload URL.',
    advice: 'Check your connection and that storage is running, then try again.',
  }),
  cut: () => ({
    heading: 'The upload was interrupted',
    detail: 'The connection was lost before the upload was complete.',
    advice: 'Try again. On an unreliable connection, use a resumable upload.',
  }),
}
