import type { CreateUploadSessionBody, NewUploadSession } from '../generated/contract.ts'
import type { CallOptions } from '../http/settings.ts'

/** A Blob or File anywhere; in Node also the path of a file. */
export type UploadFile = Blob | string

/** What is to be made of the file. Its title is the file's name without the ending, unless told. */
export type UploadWish = Omit<CreateUploadSessionBody, 'title' | 'file_size_bytes'> & {
  title?: string
}

export type UploadProgress = {
  /** What has gone out or was there before. It never goes backwards: while bytes are sent again, it waits. */
  readonly sentBytes: number
  readonly totalBytes: number
}

export type ResumeOptions = Omit<
  CallOptions,
  'retriesMax' | 'idempotencyKey' | 'timeoutSeconds'
> & {
  /**
   * How long a call may take, and how long nothing may move on the way to storage before a try is
   * over: 60 unless told. There a second is added for every 32 KiB under way, two and a half
   * minutes at most, because a slow line takes so long for them.
   */
  readonly timeoutSeconds?: number | undefined
  readonly onProgress?: ((progress: UploadProgress) => void) | undefined
  /** Told whenever the upload waits because the line is away or somebody asked for a pause. */
  readonly onPause?: ((pause: UploadPause) => void) | undefined
  /** How many parts are under way at a time: 4 unless told, and 64 at most. */
  readonly partsAtOnce?: number | undefined
  /**
   * How long nothing may get through before the upload is given up: 600 unless told. At most a
   * minute of it is spent on a service or a storage that was never reached.
   */
  readonly patienceSeconds?: number | undefined
}

export type UploadPause = { readonly reason: Error; readonly seconds: number }

export type UploadOptions = ResumeOptions & {
  /**
   * One of your own, for an upload that is to be done once however often your program is run within
   * 24 hours. After that the service has forgotten it; its session is over sooner, see `resume`.
   */
  readonly idempotencyKey?: string | undefined
  /** Told as soon as there is a session: keep its uuid, and `resume` goes on where this upload ended. */
  readonly onSession?: ((session: NewUploadSession) => void) | undefined
}
