/** The uploads of a queue, and where they are stored. */
import type { UploadInput } from '../uploads/options.ts'

/**
 * - `waiting`: for its turn, or until the connection is back.
 * - `checking`: the file is read to recognize it.
 * - `uploading`
 * - `paused`: by the user.
 * - `needs-file`: the page was reloaded and may not read the file; see `allowFiles` and `provide`.
 * - `processing`: uploaded. The queue does not follow the processing; report its end with `setProcessed`.
 * - `done`, `failed`, `cancelled`: the end. `retry` starts a failed or cancelled upload again.
 */
export type UploadState =
  | 'waiting'
  | 'checking'
  | 'uploading'
  | 'paused'
  | 'needs-file'
  | 'processing'
  | 'done'
  | 'failed'
  | 'cancelled'

export type QueueError = {
  /** Name of the error, such as `ConnectionError`. */
  readonly name: string
  /** Code of the service or of storage; `file_changed` if the file is not the one that was added. */
  readonly code: string
  readonly message: string
}

export type QueuedUpload = {
  readonly id: string
  /** Name of the file. */
  readonly name: string
  readonly bytes: number
  readonly lastModified: number
  /** Uploads start in this order. */
  readonly order: number
  readonly input: UploadInput
  readonly state: UploadState
  readonly sentBytes: number
  /** While it is uploading, averaged over some seconds. */
  readonly bytesPerSecond?: number
  /** Fingerprint of the file (`fingerprintOf`). Undefined until it was computed. */
  readonly fingerprint?: string
  /** Idempotency key of the session. It is stored before the session is requested, so that no session is lost. */
  readonly key: string
  /** Whether a session may have been created with the key. */
  readonly isRequested: boolean
  readonly sessionUuid?: string
  readonly assetId?: string
  /** Why it failed, or why it waits; while it is uploading, why its last attempt made no progress. */
  readonly error?: QueueError
  /** With `needs-file`: `allowFiles` can ask the user for the permission to read the file. */
  readonly canBeAllowed?: boolean
  /** Milliseconds since 1970 at which it ended. */
  readonly endedAt?: number
  /** Whether the session of a cancelled upload still has to be cancelled. */
  readonly mustCancelSession?: boolean
}

/** New values of some properties; undefined removes one. */
export type UploadChanges = { readonly [Name in keyof QueuedUpload]?: QueuedUpload[Name] | undefined }

/** A file of the user's device that a page can read again after a reload, if the user permits it. */
export type FileHandle = {
  readonly getFile: () => Promise<File>
  readonly queryPermission?: (descriptor: { mode: 'read' }) => Promise<string>
  readonly requestPermission?: (descriptor: { mode: 'read' }) => Promise<string>
}

/** A file to upload. By default, the title is the file name without its extension. */
export type NewUpload = {
  readonly file: File
  /** From `getAsFileSystemHandle()` or `showOpenFilePicker()`. */
  readonly handle?: FileHandle | undefined
  readonly input: UploadInput
}

/** Keeps the uploads when the page is closed. Saves are applied in the order of the calls. */
export type QueueStorage = {
  readonly load: () => Promise<QueuedUpload[]>
  /** Resolves when the uploads are stored. */
  readonly save: (uploads: readonly QueuedUpload[], handles?: ReadonlyMap<string, FileHandle>) => Promise<void>
  readonly remove: (ids: readonly string[]) => Promise<void>
  readonly loadHandle: (id: string) => Promise<FileHandle | undefined>
}

const endStates: readonly UploadState[] = ['done', 'failed', 'cancelled']

/** Whether the queue has nothing more to do for it. */
export const hasEnded = ({ state }: Pick<QueuedUpload, 'state'>): boolean => endStates.includes(state)

/** Whether bytes are still missing, and the user does not have to do anything first. */
export const isUnderWay = ({ state }: Pick<QueuedUpload, 'state'>): boolean =>
  state === 'waiting' || state === 'checking' || state === 'uploading'
