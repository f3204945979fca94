/** States and failures in plain words. */
import { Problem, ServiceUnreachable } from './api.js'
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
  if (error instanceof Problem) return explainProblem(error.document)
  if (error instanceof ServiceUnreachable) return explainService(error)
  if (error instanceof StorageRefusal) return explainRefusal(error)
  if (error instanceof StorageUnreachable) return storageReasons[error.reason]()
  return { heading: 'Something went wrong in this page', detail: String(error) }
}

const adviceByCode = {
  unauthenticated: 'Check the token: copy it whole, without spaces. Then press the button again.',
  insufficient_scope: 'Use a token with the scopes assets:read and assets:write.',
  organization_not_found: 'Check the organization: it must be the one the token belongs to.',
  target_folder_not_found: 'Check the uuid of the folder, or leave it empty for the root.',
  upload_session_closed: 'Choose the file again and begin a new upload.',
  upload_session_not_found: 'Choose the file again and begin a new upload.',
  file_size_changed: 'This is not the file that the upload began with. Choose that one.',
}

function explainProblem({ title, detail, code, errors, request_id }) {
  return {
    heading: `The service refused: ${title}`,
    detail,
    // One alone is what `detail` says.
    fields: errors.length > 1 ? errors.map((fault) => ({ ...fault, sentence: fault.detail })) : [],
    atFault: [fieldByCode[code], ...errors.map(({ field }) => field)],
    advice: adviceByCode[code],
    reference: `${code} · request_id ${request_id}`,
  }
}

const fieldByCode = {
  unauthenticated: 'token',
  insufficient_scope: 'token',
  organization_not_found: 'organization',
  target_folder_not_found: 'folder',
  invalid_title: 'title',
}

function explainService({ message }) {
  return {
    heading: 'The service cannot be reached',
    detail: message,
    advice: `Check its address, and that it runs. It must also allow pages of this origin:`,
    command: `API_ORIGINS=${location.origin}`,
  }
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
