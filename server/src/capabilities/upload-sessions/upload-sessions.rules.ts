import type { uploadSessions as contract, FailureCode } from '@reelkeep/contract'
import { refused } from '../../kernel/errors.ts'
import type { AssetId, OrganizationId, UploadSessionUuid } from '../../kernel/ids.ts'
import type { Timestamp } from '../../kernel/time.ts'

export type Status = contract.SessionStatus

export type UploadSession = {
  readonly uuid: UploadSessionUuid
  readonly assetId: AssetId
  readonly status: Status
  readonly errorCode: string | null
  readonly errorDetail: string | null
  readonly bytesMax: number
  readonly expiresAt: Timestamp
  readonly closesAt: Timestamp
  readonly uploadId: string | null
  readonly partsBytes: number | null
  readonly createdAt: Timestamp
  readonly endedAt: Timestamp | null
  /** By the database's clock: too old to be renewed once more. */
  readonly isOld: boolean
  /** The trace of who created it. */
  readonly traceparent: string | null
  /** By the database's clock: no form of this session is accepted any more. */
  readonly isExpired: boolean
  /** By the database's clock: nor can an upload that began in time still be under way. */
  readonly isClosed: boolean
}

/** What of an object of storage's decides whether it is taken. */
export type Arrived = { readonly bytes: number }

export const isOpen = ({ status }: { readonly status: Status }) =>
  status === 'Created' || status === 'Uploading'

/** An expired session still takes a file that storage had accepted in time and that turns up late. */
export const mayComplete = (session: { readonly status: Status }) =>
  isOpen(session) || session.status === 'Expired'

/** Shorter than the head of the smallest container, so no video; storage makes such of a form without a file. */
const BYTES_MIN = 8

export type Verdict =
  | { readonly kind: 'complete' }
  | { readonly kind: 'fail'; readonly code: FailureCode; readonly detail: string }
  | { readonly kind: 'expire' }
  | { readonly kind: 'wait' }

/**
 * What becomes of a session, after storage was asked. `wasClosed` says whether it was closed already when
 * storage was asked: only then does finding nothing mean that nothing will come.
 */
export function judge(
  session: Pick<UploadSession, 'status' | 'bytesMax' | 'isClosed'>,
  arrived: Arrived | undefined,
  wasClosed: boolean,
): Verdict {
  if (!mayComplete(session)) return { kind: 'wait' }
  if (arrived) return judgeFile(session, arrived)
  const isOver = isOpen(session) && wasClosed && session.isClosed
  return isOver ? { kind: 'expire' } : { kind: 'wait' }
}

/** Whether a file of this size is taken. */
export const isAcceptable = ({ bytesMax }: Pick<UploadSession, 'bytesMax'>, { bytes }: Arrived) =>
  bytes >= BYTES_MIN && bytes <= bytesMax

function judgeFile(session: Pick<UploadSession, 'bytesMax'>, arrived: Arrived): Verdict {
  const { bytesMax } = session
  const { bytes } = arrived
  if (isAcceptable(session, arrived)) return { kind: 'complete' }
  if (bytes < BYTES_MIN) {
    return {
      kind: 'fail',
      code: 'upload_empty',
      detail: `Storage received ${bytes} bytes, which is no video. Look at the file; if you posted the form yourself, at whether its last field is named file. Then create another session.`,
    }
  }
  return {
    kind: 'fail',
    code: 'upload_too_large',
    detail: `Storage received ${bytes} bytes; this session takes at most ${bytesMax}. Create another session with file_size_bytes.`,
  }
}

export const uploadExpired = {
  code: 'upload_expired',
  detail: 'No whole file arrived before the upload session expired. Create another session.',
} as const

export const uploadCancelled = {
  code: 'upload_cancelled',
  detail: 'The upload session was cancelled before its file arrived.',
} as const

export const sessionNotFound = () =>
  refused('upload_session_not_found', 'No such upload session in this organization.')

const whatToDo: Record<Status, string> = {
  Created: 'It is open.',
  Uploading: 'It is open.',
  Completed: 'Its file has arrived and is not replaced; for another one create another session.',
  Expired: 'Create another session.',
  Cancelled: 'Create another session.',
  Failed: 'Its error tells why. Create another session.',
}

export const sessionClosed = ({ status }: { readonly status: Status }) =>
  refused('upload_session_closed', `The session is ${status}. ${whatToDo[status]}`)

/** Its form and addresses are good for nothing any more, but it is not over. */
export const sessionRanOut = ({ expiresAt }: Pick<UploadSession, 'expiresAt'>) =>
  refused(
    'upload_session_closed',
    `The session's time ran out at ${expiresAt}. Call renew/: what has arrived stays.`,
  )

/** So that storage's own rule for abandoned parts never strikes a session that lives. */
export const sessionTooOld = () =>
  refused(
    'upload_session_closed',
    'A session is renewed for at most seven days after its creation. Create another session.',
  )

export const sessionFailed = ({ errorDetail }: Pick<UploadSession, 'errorDetail'>) =>
  refused('upload_session_closed', `The session is Failed. ${errorDetail}`)

export function notArrived(
  { isExpired }: Pick<UploadSession, 'isExpired'>,
  { takesForms }: { readonly takesForms: boolean },
) {
  const ofForms = isExpired
    ? 'Storage does not have the file, and the form has expired. Call renew/ and post the fresh one, then ask again.'
    : 'Storage does not have the file yet. Post the form to upload_link, then ask again.'
  const ofParts =
    'Storage does not have the file yet, and takes it in parts only. Ask for addresses at parts/, put the parts there, then ask again.'
  return refused('upload_not_arrived', takesForms ? ofForms : ofParts)
}

export const notInParts = () =>
  refused(
    'upload_not_in_parts',
    'No part of this session has been signed yet. Ask for addresses of its parts first.',
  )

/** The organization leads, as everywhere; the asset comes next, so that all it holds can be freed at once. */
export const uploadKey = (prefix: string, uuid: UploadSessionUuid) => `${prefix}${uuid}`

const uuidForm = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'
const keyForm = new RegExp(`^([a-z0-9]{6,12})/${uuidForm}/(${uuidForm})$`)

/** Whose upload lies under a key; undefined when it is none of ours. */
export function parseUploadKey(key: string) {
  const [, organizationId, uuid] = keyForm.exec(key) ?? []
  if (!organizationId || !uuid) return undefined
  return {
    organizationId: organizationId as OrganizationId,
    uuid: uuid as UploadSessionUuid,
  }
}

export type UploadLimits = {
  /** The largest file by a form, and the largest in parts. */
  readonly formBytesMax: number
  readonly partsBytesMax: number
  readonly lifetimeSeconds: number
  /** The longest that an upload may take which began just before the session expired. */
  readonly transferSecondsMax: number
  /** How long after its creation a session is looked at for the first time. */
  readonly firstLookSeconds: number
}

/** After this nothing arrives any more with a form that is signed now. */
export const formLifeMax = ({ lifetimeSeconds, transferSecondsMax }: UploadLimits) =>
  lifetimeSeconds + transferSecondsMax

/** A larger file than a form takes has to be announced, so that the session's limit can be told at once. */
export function bytesMaxFor(fileBytes: number | undefined, limits: UploadLimits): number {
  const { formBytesMax, partsBytesMax } = limits
  if (fileBytes === undefined || fileBytes <= formBytesMax) return formBytesMax
  if (fileBytes <= partsBytesMax) return fileBytes
  throw refused(
    'file_too_large',
    `The file has ${fileBytes} bytes; this service takes at most ${partsBytesMax}.`,
    'file_size_bytes',
  )
}

export const drmNotConfigured = () =>
  refused(
    'drm_not_configured',
    'The video is to be protected by DRM, and this service has no key provider. Whoever runs it sets DRM_PROVIDER to `clearkey` or `speke`; else choose `aes` or `disable`.',
    'content_protection_type',
  )
