/** Uploads one file, or resumes an upload that an earlier command has started. */
import {
  ApiError,
  type Asset,
  ConflictError,
  FileChangedError,
  NotFoundError,
  PermissionError,
  ProcessingError,
  type Reelkeep,
} from 'reelkeep'
import type { Profile } from '../../profile/profile.ts'
import { percentOf } from '../../terminal/bar.ts'
import type { FoundFile } from './files/find-files.ts'
import type { UnfinishedUploads, UploadIdentity } from './files/unfinished-uploads.ts'
import { RetryNotice } from './progress/retry-notice.ts'
import type { RetryPolicy } from './retry-policy.ts'
import { type UploadSettings, withResolutions } from './upload-settings.ts'

export type UploadContext = {
  readonly reelkeep: Reelkeep
  readonly profile: Profile
  /** Saved uploads; undefined with `--no-resume`. */
  readonly unfinishedUploads: UnfinishedUploads | undefined
  readonly signal: AbortSignal
  readonly retryPolicy: RetryPolicy
}

/** One file with its settings and callbacks. */
export type FileUpload = {
  readonly file: FoundFile
  readonly settings: UploadSettings & { readonly title: string; readonly folder: string | null }
  readonly onSent: (sentBytes: number) => void
  /** Called with the number of bytes received earlier, which are compared with the file before anything is sent. */
  readonly onArrived: (arrivedBytes: number) => void
  readonly onNote: (text: string) => void
}

export async function sendFile(upload: FileUpload, context: UploadContext): Promise<Asset> {
  const { unfinishedUploads } = context
  const identity = identityOf(upload, context.profile)
  if (!unfinishedUploads) return start(upload, identity, context)
  await using lock = await unfinishedUploads.lock(identity)
  if (!lock.isAcquired) {
    upload.onNote('another command is uploading this file; uploading it separately.')
    return start(upload, identity, { ...context, unfinishedUploads: undefined })
  }
  const unfinished = await unfinishedUploads.find(identity)
  const asset = unfinished && (await resume(upload, identity, unfinished.sessionUuid, context))
  const sent = asset ?? (await start(upload, identity, context))
  unfinishedUploads.complete(identity)
  return sent
}

async function start(upload: FileUpload, identity: UploadIdentity, context: UploadContext): Promise<Asset> {
  const { reelkeep, unfinishedUploads, signal, retryPolicy } = context
  // Saving the session is awaited only at the end, so that sending does not wait for the disk.
  let remembered: Promise<void> | undefined
  let sessionUuid: string | undefined
  const retryNotice = new RetryNotice(upload.onNote)
  const sendWith = (settings: FileUpload['settings']) =>
    reelkeep.uploads.send(upload.file.path, settings, {
      signal,
      onPause: retryNotice.paused,
      onProgress: ({ sentBytes }) => {
        retryNotice.sent(sentBytes)
        upload.onSent(sentBytes)
      },
      onSession: ({ upload_session: { uuid } }) => {
        retryPolicy.reached()
        upload.onSent(0)
        sessionUuid = uuid
        remembered = unfinishedUploads?.save(identity, { sessionUuid: uuid })
      },
    })
  const send = () => withResolutions(upload.settings, sendWith)
  try {
    // Errors after the creation of the session are final, because the SDK has already retried.
    return await retryPolicy.run(send, retryNotice.paused, () => sessionUuid === undefined)
  } catch (error) {
    if (sessionUuid === undefined || !isSessionOver(error)) throw error
    await remembered
    await unfinishedUploads?.remove(identity)
    throw await failureReason(sessionUuid, error, context)
  } finally {
    await remembered
  }
}

/** Returns the reason of a failed session, for example that the file is not a video. */
async function failureReason(uuid: string, error: unknown, { reelkeep, signal }: UploadContext) {
  const session = await reelkeep.uploadSessions.read(uuid, { signal }).catch(() => undefined)
  return session?.error ? new ProcessingError(session.asset_id, session.error) : error
}

/** Resumes an earlier upload. Returns undefined if there is nothing to resume. */
async function resume(
  upload: FileUpload,
  identity: UploadIdentity,
  sessionUuid: string,
  context: UploadContext,
): Promise<Asset | undefined> {
  const { unfinishedUploads } = context
  try {
    const asset = await assetOfSession(upload, sessionUuid, context)
    if (asset) return asset
  } catch (error) {
    if (!isSessionOver(error)) throw error
  }
  await unfinishedUploads?.remove(identity)
  upload.onNote('cannot resume the earlier upload; starting again.')
  return undefined
}

/** Completes the upload of an open session. Returns undefined if the file must be uploaded to another session. */
async function assetOfSession(upload: FileUpload, sessionUuid: string, context: UploadContext) {
  const { reelkeep, signal, retryPolicy } = context
  const retryNotice = new RetryNotice(upload.onNote)
  const request = <Result>(send: SessionRequest<Result>) =>
    retryPolicy.run(() => send(reelkeep, sessionUuid, signal), retryNotice.paused)
  const status = await request(readStatus)
  if (status === 'Completed') return completedAsset(upload, sessionUuid, context)
  if (status !== 'Created' && status !== 'Uploading') return undefined
  const arrivedBytes = await request(receivedBytes)
  upload.onNote(`resuming at ${percentOf(arrivedBytes / upload.file.sizeBytes)}.`)
  upload.onArrived(arrivedBytes)
  return reelkeep.uploads.resume(sessionUuid, upload.file.path, {
    signal,
    onPause: retryNotice.paused,
    onProgress: ({ sentBytes }) => {
      retryNotice.sent(sentBytes)
      if (sentBytes > arrivedBytes) upload.onSent(sentBytes)
    },
  })
}

type SessionRequest<Result> = (reelkeep: Reelkeep, uuid: string, signal: AbortSignal) => Promise<Result>

/** Returns the status of the session; undefined if the session cannot be resumed. */
async function readStatus(reelkeep: Reelkeep, uuid: string, signal: AbortSignal) {
  try {
    return (await reelkeep.uploadSessions.read(uuid, { signal })).status
  } catch (error) {
    // Without `assets:read`, received parts cannot be listed.
    if (error instanceof NotFoundError || error instanceof PermissionError) return undefined
    throw error
  }
}

/** Returns the asset of a completed upload; undefined if its processing failed, because another attempt may succeed. */
async function completedAsset(
  { file, onNote }: FileUpload,
  sessionUuid: string,
  { reelkeep, signal }: UploadContext,
): Promise<Asset | undefined> {
  const asset = await reelkeep.uploads.resume(sessionUuid, file.path, { signal })
  if (asset.video.status === 'Error') return undefined
  onNote('already uploaded. To upload it again, use --no-resume.')
  return asset
}

/** Returns the bytes received in parts; 0 for a file that was not sent in parts. */
async function receivedBytes(reelkeep: Reelkeep, uuid: string, signal: AbortSignal) {
  try {
    return (await reelkeep.uploadSessions.listParts(uuid, { signal })).received_bytes
  } catch (error) {
    if (error instanceof ConflictError) return 0
    throw error
  }
}

/**
 * True if the session has ended, its asset was deleted, or it was started with another file of the same size and time.
 */
const isSessionOver = (error: unknown) =>
  error instanceof FileChangedError ||
  error instanceof NotFoundError ||
  (error instanceof ApiError && error.code === 'upload_session_closed')

const identityOf = ({ file, settings }: FileUpload, { url, organization }: Profile): UploadIdentity => ({
  url,
  organization,
  realPath: file.realPath,
  sizeBytes: file.sizeBytes,
  modifiedAtMilliseconds: file.modifiedAtMilliseconds,
  settings,
})
