/** Sends one file, or goes on with one that an earlier command has begun to send. */
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
import type { FoundFile } from './found-files.ts'
import { Outage } from './outage.ts'
import type { Patience } from './patience.ts'
import type { UnfinishedUploads, UploadIdentity } from './unfinished-uploads.ts'
import type { Wish } from './wish.ts'

export type Sending = {
  readonly reelkeep: Reelkeep
  readonly profile: Profile
  /** Undefined: nothing is gone on with, and nothing remembered. */
  readonly memory: UnfinishedUploads | undefined
  readonly signal: AbortSignal
  readonly patience: Patience
}

/** One file, what is wished for it, and who wants to know how far it is. */
export type Parcel = {
  readonly file: FoundFile
  readonly wish: Wish & { readonly title: string; readonly folder: string | null }
  readonly onSent: (sentBytes: number) => void
  /** So much is there from before, and is compared with the file before anything is sent. */
  readonly onArrived: (arrivedBytes: number) => void
  readonly onNote: (text: string) => void
}

export async function sendFile(parcel: Parcel, sending: Sending): Promise<Asset> {
  const { memory } = sending
  const identity = identityOf(parcel, sending.profile)
  if (!memory) return begin(parcel, identity, sending)
  await using claim = await memory.claim(identity)
  if (!claim.isMine) {
    parcel.onNote('another command sends it right now; this one sends it by itself.')
    return begin(parcel, identity, { ...sending, memory: undefined })
  }
  const unfinished = await memory.find(identity)
  const asset = unfinished && (await goOn(parcel, identity, unfinished.sessionUuid, sending))
  const sent = asset ?? (await begin(parcel, identity, sending))
  await memory.forget(identity)
  return sent
}

async function begin(parcel: Parcel, identity: UploadIdentity, sending: Sending): Promise<Asset> {
  const { reelkeep, memory, signal, patience } = sending
  // Waited for at the end only: no byte waits for the disk.
  let remembered: Promise<void> | undefined
  let sessionUuid: string | undefined
  const outage = new Outage(parcel.onNote)
  const send = () =>
    reelkeep.uploads.send(parcel.file.path, parcel.wish, {
      signal,
      onPause: outage.paused,
      onProgress: ({ sentBytes }) => {
        outage.sent(sentBytes)
        parcel.onSent(sentBytes)
      },
      onSession: ({ upload_session: { uuid } }) => {
        patience.reached()
        parcel.onSent(0)
        sessionUuid = uuid
        remembered = memory?.remember(identity, { sessionUuid: uuid })
      },
    })
  try {
    // From the session on, the SDK has waited long enough itself.
    return await patience.through(send, outage.paused, () => sessionUuid === undefined)
  } catch (error) {
    if (sessionUuid === undefined || !isOver(error)) throw error
    await remembered
    await memory?.forget(identity)
    throw await reasonOfEnd(sessionUuid, error, sending)
  } finally {
    await remembered
  }
}

/** A session that failed says itself what is wrong with the file, such as that it is no video. */
async function reasonOfEnd(uuid: string, error: unknown, { reelkeep, signal }: Sending) {
  const session = await reelkeep.uploadSessions.read(uuid, { signal }).catch(() => undefined)
  return session?.error ? new ProcessingError(session.asset_id, session.error) : error
}

/** Undefined if there is nothing to go on with. */
async function goOn(
  { file, onSent, onArrived, onNote }: Parcel,
  identity: UploadIdentity,
  sessionUuid: string,
  { reelkeep, memory, signal, patience }: Sending,
): Promise<Asset | undefined> {
  const outage = new Outage(onNote)
  const asked = <Answer>(ask: Question<Answer>) =>
    patience.through(() => ask(reelkeep, sessionUuid, signal), outage.paused)
  if (await asked(mayGoOn)) {
    await memory?.remember(identity, { sessionUuid })
    try {
      const arrivedBytes = await asked(bytesArrived)
      onNote(`going on at ${percentOf(arrivedBytes / file.sizeBytes)}.`)
      onArrived(arrivedBytes)
      return await reelkeep.uploads.resume(sessionUuid, file.path, {
        signal,
        onPause: outage.paused,
        onProgress: ({ sentBytes }) => {
          outage.sent(sentBytes)
          if (sentBytes > arrivedBytes) onSent(sentBytes)
        },
      })
    } catch (error) {
      if (!isOver(error)) throw error
    }
  }
  await memory?.forget(identity)
  onNote('cannot go on with what was sent before; it begins anew.')
  return undefined
}

type Question<Answer> = (reelkeep: Reelkeep, uuid: string, signal: AbortSignal) => Promise<Answer>

/** Of one that is complete only its asset is missing: the command was ended in the moment before. */
async function mayGoOn(reelkeep: Reelkeep, uuid: string, signal: AbortSignal): Promise<boolean> {
  try {
    const { status } = await reelkeep.uploadSessions.read(uuid, { signal })
    return ['Created', 'Uploading', 'Completed'].includes(status)
  } catch (error) {
    // A token that may only write cannot find out what has arrived.
    if (error instanceof NotFoundError || error instanceof PermissionError) return false
    throw error
  }
}

/** Of a file that was not sent in parts nothing is there until all of it is. */
async function bytesArrived(reelkeep: Reelkeep, uuid: string, signal: AbortSignal) {
  try {
    return (await reelkeep.uploadSessions.listParts(uuid, { signal })).received_bytes
  } catch (error) {
    if (error instanceof ConflictError) return 0
    throw error
  }
}

/** It was closed meanwhile, its asset was deleted, or it began with another file of the same size and time. */
const isOver = (error: unknown) =>
  error instanceof FileChangedError ||
  error instanceof NotFoundError ||
  (error instanceof ApiError && error.code === 'upload_session_closed')

const identityOf = ({ file, wish }: Parcel, { url, organization }: Profile): UploadIdentity => ({
  url,
  organization,
  realPath: file.realPath,
  sizeBytes: file.sizeBytes,
  modifiedAtMilliseconds: file.modifiedAtMilliseconds,
  wish,
})
