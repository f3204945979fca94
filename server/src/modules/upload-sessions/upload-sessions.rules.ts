import type { uploadSessions as contract, FailureCode } from '@reelkeep/contract'
import { refused } from '../../kernel/errors.ts'
import type { AssetId, OrganizationId, UploadSessionUuid } from '../../kernel/ids.ts'
import type { Timestamp } from '../../kernel/time.ts'

export type Status = contract.SessionStatus

export type UploadSession = {
  readonly uuid: UploadSessionUuid
  readonly assetId: AssetId
  /** The asset that clients see, if the session uploads a further version of it; null otherwise. */
  readonly versionOfId: AssetId | null
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
  /** The session is too old to be renewed, by the database's clock. */
  readonly isOld: boolean
  /** Trace context of the request that created the session. */
  readonly traceparent: string | null
  /** Every form of this session has expired in storage, by the database's clock. */
  readonly isExpired: boolean
  /** Even the longest upload that started before the expiry has ended, by the database's clock. */
  readonly isClosed: boolean
}

/** The asset that clients see. */
export const shownAssetId = ({ assetId, versionOfId }: Pick<UploadSession, 'assetId' | 'versionOfId'>) =>
  versionOfId ?? assetId

/** The properties of an uploaded object that decide whether it is accepted. */
export type UploadedFile = { readonly bytes: number }

export const isOpen = ({ status }: { readonly status: Status }) => status === 'Created' || status === 'Uploading'

/** An expired session still accepts a file that storage had accepted in time but reports late. */
export const mayComplete = (session: { readonly status: Status }) => isOpen(session) || session.status === 'Expired'

/** Minimum size of a file. Smaller objects, which a form posted without a file creates, cannot be videos. */
const BYTES_MIN = 8

export type Decision =
  | { readonly kind: 'complete' }
  | { readonly kind: 'fail'; readonly code: FailureCode; readonly detail: string }
  | { readonly kind: 'expire' }
  | { readonly kind: 'wait' }

/**
 * Decides what to do with a session after storage was checked. `wasClosed`: the session was already closed before the
 * check; only then does a missing file mean that none will arrive.
 */
export function decide(
  session: Pick<UploadSession, 'status' | 'bytesMax' | 'isClosed'>,
  file: UploadedFile | undefined,
  wasClosed: boolean,
): Decision {
  if (!mayComplete(session)) return { kind: 'wait' }
  if (file) return decideForFile(session, file)
  const isOver = isOpen(session) && wasClosed && session.isClosed
  return isOver ? { kind: 'expire' } : { kind: 'wait' }
}

/** Whether the session accepts a file of this size. */
export const isAcceptable = ({ bytesMax }: Pick<UploadSession, 'bytesMax'>, { bytes }: UploadedFile) =>
  bytes >= BYTES_MIN && bytes <= bytesMax

function decideForFile(session: Pick<UploadSession, 'bytesMax'>, file: UploadedFile): Decision {
  const { bytesMax } = session
  const { bytes } = file
  if (isAcceptable(session, file)) return { kind: 'complete' }
  if (bytes < BYTES_MIN) {
    return {
      kind: 'fail',
      code: 'upload_empty',
      detail: `Storage received ${bytes} ${bytes === 1 ? 'byte' : 'bytes'}, which is not a video. Check the file and, if you posted the form yourself, that its last field is named file. Then create another session.`,
    }
  }
  return {
    kind: 'fail',
    code: 'upload_too_large',
    detail: `Storage received ${bytes} bytes; this session accepts at most ${bytesMax}. Create another session with file_size_bytes ${bytes}.`,
  }
}

export const uploadExpired = {
  code: 'upload_expired',
  detail: 'No complete file arrived before the upload session expired. Create another session.',
} as const

export const uploadCancelled = {
  code: 'upload_cancelled',
  detail: 'The upload session was cancelled before its file arrived. Create another session.',
} as const

export const sessionNotFound = () =>
  refused('upload_session_not_found', 'The upload session does not exist in this organization.')

const hints: Record<Status, string> = {
  Created: 'It is open.',
  Uploading: 'It is open.',
  Completed: 'The file of a session cannot be replaced. Create another session for another file.',
  Expired: 'Create another session.',
  Cancelled: 'Create another session.',
  Failed: 'See the error of the session, then create another one.',
}

export const sessionClosed = ({ status }: { readonly status: Status }) =>
  refused('upload_session_closed', `The session is ${status}. ${hints[status]}`)

/** The form and the part URLs have expired, but the session can be renewed. */
export const sessionPastExpiry = ({ expiresAt }: Pick<UploadSession, 'expiresAt'>) =>
  refused('upload_session_closed', `The session expired at ${expiresAt}. Call renew/; uploaded parts are kept.`)

/** The limit keeps sessions shorter than storage's lifecycle rule for abandoned multipart uploads. */
export const sessionTooOld = () =>
  refused(
    'upload_session_closed',
    'A session can be renewed for at most seven days after its creation. Create another session.',
  )

export const sessionFailed = ({ errorDetail }: Pick<UploadSession, 'errorDetail'>) =>
  refused('upload_session_closed', `The session is Failed. ${errorDetail}`)

export function notArrived(
  { isExpired }: Pick<UploadSession, 'isExpired'>,
  { supportsForms }: { readonly supportsForms: boolean },
) {
  const formHint = isExpired
    ? 'Storage does not have the file, and the form has expired. Call renew/ and post the new form, then repeat the request.'
    : 'Storage does not have the file yet. Post the form to upload_link, then repeat the request.'
  const partsHint =
    'Storage does not have the file yet and accepts it in parts only. Get URLs at parts/, upload the parts, then repeat the request.'
  return refused('upload_not_arrived', supportsForms ? formHint : partsHint)
}

export const notInParts = () =>
  refused('upload_not_in_parts', 'No part of this session has been signed yet. Get URLs at parts/ first.')

/** `prefix` is the prefix of the asset, so that deleting an asset deletes its uploads. */
export const uploadKey = (prefix: string, uuid: UploadSessionUuid) => `${prefix}${uuid}`

const uuidForm = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'
const keyForm = new RegExp(`^([a-z0-9]{6,12})/${uuidForm}/(${uuidForm})$`)

/** Parses the key of an upload; undefined for any other key. */
export function parseUploadKey(key: string) {
  const [, organizationId, uuid] = keyForm.exec(key) ?? []
  if (!organizationId || !uuid) return undefined
  return {
    organizationId: organizationId as OrganizationId,
    uuid: uuid as UploadSessionUuid,
  }
}

export type UploadLimits = {
  /** Maximum size of a file sent with a form. `partsBytesMax` is the maximum size of a multipart upload. */
  readonly formBytesMax: number
  readonly partsBytesMax: number
  readonly lifetimeSeconds: number
  /** Maximum duration of a transfer that started just before the session expired. */
  readonly transferSecondsMax: number
  /** Time from the creation of a session to its first check. */
  readonly firstCheckSeconds: number
  /** Maximum time between two checks of a session while its form is valid. */
  readonly checkSecondsMax: number
}

/** Seconds after which nothing more can arrive with a form that is signed now. */
export const formLifetimeMax = ({ lifetimeSeconds, transferSecondsMax }: UploadLimits) =>
  lifetimeSeconds + transferSecondsMax

/** The limits that a client chooses for its session. */
export type ChosenLimits = {
  /** Size of the file, if it is known. */
  readonly fileBytes: number | undefined
  readonly fileBytesMax: number | undefined
  readonly lifetimeSeconds: number | undefined
}

/**
 * Maximum size of a session's file: its declared size, or the limit that the client has chosen. Without either, it is
 * the limit of a form.
 */
export function bytesMaxFor({ fileBytes, fileBytesMax }: Omit<ChosenLimits, 'lifetimeSeconds'>, limits: UploadLimits) {
  const serviceMax = Math.max(limits.formBytesMax, limits.partsBytesMax)
  if (fileBytesMax !== undefined && fileBytesMax > serviceMax) throw beyondService('max_file_size_bytes', serviceMax)
  const accepted = fileBytesMax ?? serviceMax
  if (fileBytes === undefined) return fileBytesMax ?? limits.formBytesMax
  if (fileBytes <= accepted) return fileBytes
  throw refused(
    'file_too_large',
    `The file has ${fileBytes} bytes; this ${fileBytesMax === undefined ? 'service' : 'session'} accepts at most ${accepted}.`,
    'file_size_bytes',
  )
}

/** The chosen lifetime of a session, or null for the service's setting. */
export function lifetimeFor(chosenSeconds: number | undefined, { lifetimeSeconds }: UploadLimits): number | null {
  if (chosenSeconds === undefined) return null
  if (chosenSeconds <= lifetimeSeconds) return chosenSeconds
  throw beyondService('expires_in_seconds', lifetimeSeconds)
}

const beyondService = (field: string, max: number) =>
  refused('invalid_request', `\`${field}\` must be at most ${max}, the limit of this service.`, field)
