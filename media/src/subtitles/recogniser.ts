/**
 * What turns sound into words: one small interface, and a row in `recognisers` of the server's for
 * each that there is.
 */

/**
 * The sound of a video in a file: one channel, 16,000 samples a second, 16 bits each, nothing
 * before or behind them.
 */
export type Sound = {
  readonly path: string
  /** Of the video: its first sample is heard at 0, whenever the sound of the file began. */
  readonly seconds: number
}

export const SAMPLES_PER_SECOND = 16_000
export const BYTES_PER_SAMPLE = 2

/** What is said without a pause, and when. */
export type Phrase = {
  readonly startSeconds: number
  readonly endSeconds: number
  readonly text: string
}

export type Transcript = {
  /** BCP 47; "und" if nobody knows. */
  readonly language: string
  /** In the order in which they are said; none if nothing is. */
  readonly phrases: readonly Phrase[]
}

export type TranscribeOptions = {
  /** BCP 47, if it is known. */
  readonly language?: string
  readonly signal: AbortSignal
  /** Told now and then: how much of the sound has been listened to. */
  readonly onProgress?: (seconds: number) => void
}

export type Recogniser = {
  /** @throws RecognitionFailed */
  transcribe(sound: Sound, options: TranscribeOptions): Promise<Transcript>
}

export type RecognitionFailure =
  /** We were asked to. */
  | 'aborted'
  /** It cannot be reached or is too busy: another time it may be. */
  | 'unavailable'
  /** It does not take what it is given, and will not another time. */
  | 'refused'
  /** It does not know the language. */
  | 'language'

export class RecognitionFailed extends Error {
  override readonly name = 'RecognitionFailed'
  readonly reason: RecognitionFailure

  constructor(reason: RecognitionFailure, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}
