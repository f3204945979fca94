/** Why an uploaded file cannot become a video. Public: a code never changes its meaning. */
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

/** The file is at fault: the same file will fail the same way. `detail` tells whoever uploaded it what to do. */
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

/** What came in the way of a verdict. */
export type InterruptionReason =
  | 'aborted'
  | 'source-unreadable'
  | 'sandbox-failed'
  | 'killed'
  /**
   * The time on the clock was over: the file's fault, or that of a machine with too much to do. Its
   * cause is what the file would be told.
   */
  | 'too-slow'

/** There is no verdict, through no fault of the file: looked into again, it may well be fine. */
export class ProbeInterrupted extends Error {
  override readonly name = 'ProbeInterrupted'
  readonly reason: InterruptionReason

  constructor(reason: InterruptionReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}
