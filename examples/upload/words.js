/** States and failures in plain words. */
import { explainCall } from '../shared/failures.js'
import { StorageRefusal, StorageUnreachable } from './storage.js'

const sessionWords = {
  Created: 'the service waits for the file',
  Uploading: 'parts of the file are arriving',
  Completed: 'the file has arrived',
  Expired: 'no file arrived in time',
  Cancelled: 'nothing more is taken',
}

export const describeSession = ({ status, error }) =>
  joined(status, error?.detail ?? sessionWords[status])

const videoWords = {
  'Not Started': () => 'waits for its file',
  Queued: () => 'waits for its turn to be processed',
  Processing: ({ progress }) => `${progress} % done`,
  Completed: ({ duration, width, height }) => `${clock(duration)} long, ${width} x ${height}`,
}

export const describeVideo = (video) =>
  joined(video.status, video.error?.detail ?? videoWords[video.status]?.(video))

const clock = (seconds) =>
  [seconds / 3600, (seconds / 60) % 60, seconds % 60]
    .map((field) => String(Math.floor(field)).padStart(2, '0'))
    .join(':')

const joined = (status, words) => (words ? `${status}: ${words}` : status)

/** What to show of a failure: `{ heading, detail, fields, atFault, advice, command, reference }`; some are absent. */
export function explain(error) {
  if (error instanceof StorageRefusal) return explainRefusal(error)
  if (error instanceof StorageUnreachable) return storageReasons[error.reason]()
  return explainCall(error)
}

const refusals = {
  EntityTooLarge: 'The file is larger than its session allows. Send it in parts.',
  EntityTooSmall: 'The file is empty.',
  AccessDenied: 'Most likely the form has expired. Try again: that signs it anew.',
  SignatureDoesNotMatch: 'The address was changed on its way. Try again: that signs it anew.',
  NoSuchBucket: 'The bucket is not there. The operator has to run the set-up of storage.',
  NoSuchUpload: 'Storage no longer has the parts of this upload. Begin a new one.',
}

const explainRefusal = ({ message, code }) => ({
  heading: 'Storage refused the file',
  detail: message,
  advice: refusals[code] ?? 'Try again; if that does not help, tell the operator.',
})

const storageReasons = {
  closed: () => ({
    heading: 'Storage takes no uploads from this page',
    detail: `Storage is there, but it does not allow pages of ${location.origin} to upload (CORS).`,
    advice: 'Run the set-up of storage with this origin, then try again:',
    command: `UPLOAD_ORIGINS=${location.origin} node server/src/main/setup-storage.ts`,
  }),
  away: () => ({
    heading: 'Storage cannot be reached',
    detail: 'Nobody answers at the address of the upload.',
    advice: 'Check the line, and that storage runs. Then try again.',
  }),
  cut: () => ({
    heading: 'The upload broke off',
    detail: 'The line was lost, or storage hung up before the end.',
    advice:
      'Try again. On a bad line send the file in parts: then only what is missing goes again.',
  }),
}
