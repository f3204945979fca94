import type { CreateUploadSessionBody, NewUploadSession, NewVersion } from '../generated/contract.ts'
import type { CallOptions } from '../http/settings.ts'

/** A Blob or File in any runtime; in Node also a path. */
export type UploadFile = Blob | string

/** Properties of the new asset. By default, the title is the file name without its extension. */
export type UploadInput = Omit<CreateUploadSessionBody, 'title' | 'file_size_bytes'> & {
  title?: string
}

export type UploadProgress = {
  /** Bytes sent now or in an earlier run. Never decreases: it does not change while bytes are sent again. */
  readonly sentBytes: number
  readonly totalBytes: number
}

export type ResumeOptions = Omit<CallOptions, 'retriesMax' | 'idempotencyKey' | 'timeoutSeconds'> & {
  /**
   * Time limit of a call, and the time without progress after which an attempt to send bytes fails (default 60). For
   * bytes, one second is added for every 32 KiB in flight, up to two and a half minutes, for slow connections.
   */
  readonly timeoutSeconds?: number | undefined
  readonly onProgress?: ((progress: UploadProgress) => void) | undefined
  /** Called whenever the upload waits before it retries. */
  readonly onPause?: ((pause: UploadPause) => void) | undefined
  /** Number of parts sent in parallel (default 4, maximum 64). */
  readonly partsAtOnce?: number | undefined
  /**
   * How long to retry without any progress before the upload fails (default 600). If the service or storage was never
   * reached, at most 60.
   */
  readonly retryForSeconds?: number | undefined
}

export type UploadPause = { readonly reason: Error; readonly seconds: number }

export type UploadOptions = ResumeOptions & {
  /**
   * Your own key. Within 24 hours, a file is uploaded only once with the same key, however often your program
   * runs. The session ends sooner; see `resume`.
   */
  readonly idempotencyKey?: string | undefined
  /**
   * Called when the session exists. Store its uuid to continue the upload later with `resume`. If it returns a promise,
   * the first byte is sent when the promise is fulfilled.
   */
  readonly onSession?: ((session: NewUploadSession) => void | Promise<void>) | undefined
  /** Larger files are sent in parts, of which only those in flight are lost by an interruption (default 32 MiB). */
  readonly formBytesMax?: number | undefined
}

/** Options for the upload of another version of an asset. */
export type VersionUploadOptions = Omit<UploadOptions, 'onSession'> & {
  /** Called when the session exists. Store its uuid to continue the upload later with `uploads.resume`. */
  readonly onSession?: ((session: NewVersion) => void | Promise<void>) | undefined
}
