/** Interface of the transcribers; the server configures which one is used. */

/** Raw audio in a file: mono, 16,000 samples per second, 16 bits, without a header. */
export type AudioFile = {
  readonly path: string
  /** Duration. The first sample is at time 0 of the video, even if the audio of the video starts later. */
  readonly seconds: number
}

export const SAMPLES_PER_SECOND = 16_000
export const BYTES_PER_SAMPLE = 2

/** Text spoken without a pause, with its time. */
export type Phrase = {
  readonly startSeconds: number
  readonly endSeconds: number
  readonly text: string
}

export type Transcript = {
  /** BCP 47 language tag; "und" if unknown. */
  readonly language: string
  /** Phrases in order; empty if there is no speech. */
  readonly phrases: readonly Phrase[]
}

export type TranscribeOptions = {
  /** BCP 47 language tag, if known. */
  readonly language?: string
  readonly signal: AbortSignal
  /** Called from time to time with the seconds of audio that have been transcribed. */
  readonly onProgress?: (seconds: number) => void
}

export type Transcriber = {
  /** @throws TranscriptionFailed */
  transcribe(audio: AudioFile, options: TranscribeOptions): Promise<Transcript>
}

export type TranscriptionFailureReason =
  /** The caller aborted the transcription. */
  | 'aborted'
  /** The transcriber cannot be reached or is too busy; a retry may succeed. */
  | 'unavailable'
  /** The transcriber does not accept the input; a retry would fail again. */
  | 'refused'
  /** The transcriber does not support the language. */
  | 'language'

export class TranscriptionFailed extends Error {
  override readonly name = 'TranscriptionFailed'
  readonly reason: TranscriptionFailureReason

  constructor(reason: TranscriptionFailureReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}
