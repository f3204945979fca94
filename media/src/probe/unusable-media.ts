/** Why an uploaded file cannot be processed. Part of the public API: a code never changes its meaning. */
export type UnusableMediaCode =
  | 'not_a_video'
  | 'container_not_supported'
  | 'file_damaged'
  | 'no_video_stream'
  | 'codec_not_supported'
  | 'picture_too_large'
  | 'video_too_long'
  | 'video_too_short'
  | 'duration_unknown'
  | 'too_many_streams'
  | 'sparse_video'
  | 'probe_too_costly'

/**
 * The file is the cause, and a retry fails in the same way. `detail` is a message for the uploader that says what to
 * do.
 */
export class UnusableMedia extends Error {
  override readonly name = 'UnusableMedia'
  readonly code: UnusableMediaCode
  readonly detail: string

  constructor(code: UnusableMediaCode, detail: string, options?: ErrorOptions) {
    super(`${code}: ${detail}`, options)
    this.code = code
    this.detail = detail
  }
}

/** Why a probe or an encode has no result. */
export type InterruptionReason =
  | 'aborted'
  | 'source-unreadable'
  | 'sandbox-failed'
  | 'killed'
  /** The worker has less memory than the limit of the run, and the program needed more. */
  | 'worker-memory'
  /** The worker's disk is full or broken. */
  | 'worker-disk'
  /**
   * The wall-clock limit was reached, because of the file or an overloaded machine. The `cause` is the error to
   * report if the file is the cause.
   */
  | 'too-slow'

/** The probe has no result. The file is not known to be the cause, so a retry may succeed. */
export class ProbeInterrupted extends Error {
  override readonly name = 'ProbeInterrupted'
  readonly reason: InterruptionReason

  constructor(reason: InterruptionReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}
