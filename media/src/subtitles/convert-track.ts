import { momentsOf, type TranscriptMoment } from './moments/transcript-moments.ts'
import { readTrack, type TrackError } from './read-track.ts'
import { writeWebVtt } from './webvtt.ts'

/** Maximum size of a stored track. Escapes make it larger than the uploaded text, by a few percent in real tracks. */
const WEBVTT_BYTES_MAX = 3 * 2 ** 20

/** The text as WebVTT in UTF-8 with the start of its last cue and its moments, or the lines that cannot be parsed. */
export type ConvertedTrack =
  | {
      readonly webVtt: Uint8Array
      readonly lastCueSeconds: number
      readonly moments: readonly TranscriptMoment[]
      readonly errors?: undefined
    }
  | { readonly errors: readonly [TrackError, ...TrackError[]] }

/** Converts WebVTT or SRT to the WebVTT that is stored. */
export function convertTrack(text: string): ConvertedTrack {
  const read = readTrack(text)
  if (read.errors) return read
  const webVtt = Buffer.from(writeWebVtt(read.cues))
  const lastCueSeconds = read.cues.reduce((last, { startSeconds }) => Math.max(last, startSeconds), 0)
  if (webVtt.length <= WEBVTT_BYTES_MAX) return { webVtt, lastCueSeconds, moments: momentsOf(read.cues) }
  return { errors: [{ line: 1, detail: `The track must be at most ${WEBVTT_BYTES_MAX / 2 ** 20} MiB as WebVTT.` }] }
}
