import { readTrack, type TrackError } from './read-track.ts'
import { writeWebVtt } from './webvtt.ts'

/** The text as WebVTT, or the lines that cannot be parsed. */
export type ConvertedTrack =
  | { readonly webVtt: string; readonly errors?: undefined }
  | { readonly errors: readonly [TrackError, ...TrackError[]] }

/** Converts WebVTT or SRT to the WebVTT that is stored. */
export function convertTrack(text: string): ConvertedTrack {
  const read = readTrack(text)
  return read.errors ? read : { webVtt: writeWebVtt(read.cues) }
}
