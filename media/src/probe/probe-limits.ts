/** What a video may be, and what looking into one may cost. */
import type { Limits } from '../sandbox/limits.ts'

/** 8K of cinema; ffmpeg is told as well, so that a header's promise of more is never allocated. */
export const PICTURE_PIXELS_MAX = 8192 * 4320
export const PICTURE_SIDE_MAX = 8192

export const DURATION_SECONDS_MAX = 24 * 3600
/** Two or three pictures of a film: there is nothing to play in less. */
export const DURATION_SECONDS_MIN = 0.1

/** Of all kinds but attached files. Broadcast recordings have a dozen. */
export const STREAMS_MAX = 100
/** Where ffprobe gives up; attached fonts count here. */
export const STREAMS_READ_MAX = 300

/** Chapters that are kept; a book of 24 hours has a few hundred. */
export const CHAPTERS_MAX = 1000

/**
 * A picture every ten seconds is a slide show; fewer, over a while, is a file that makes an encoder
 * repeat one picture for hours.
 */
export const FRAMES_PER_SECOND_MIN = 0.1
export const SPARSE_AFTER_SECONDS = 60

/** Where nobody counts the pictures: less than this of a file for each second cannot hold any. */
export const BYTES_PER_SECOND_MIN = 4

/**
 * Of an object in storage, in all of a probe. An index has to be read whole, and that of an MP4 of
 * 24 hours at 60 pictures a second, with sound, takes 120 MiB and more. What was read is kept in
 * memory until the probe ends: at worst that of four probes in a worker.
 */
export const BYTES_READ_MAX = 192 * 2 ** 20

/** What ffprobe reads of the streams to find out what they are. */
export const ANALYZED_BYTES = 8 * 2 ** 20
export const ANALYZED_MICROSECONDS = 5_000_000

/** Looked through at the end of a file whose header does not say how long it is. */
export const TAIL_BYTES = 2 * 2 ** 20
/** A piece of a fragmented file may be long: the look goes back this far. */
export const TAIL_BYTES_MAX = 16 * 2 ** 20
/**
 * Marks that are looked behind, from the last on: one may be cut off, and another no more than four
 * bytes of a picture.
 */
export const TAIL_MARKS_MAX = 4

/** For each of the two runs of a probe. */
export const probeLimits: Limits = {
  wallSeconds: 60,
  cpuSeconds: 20,
  memoryBytes: 2 * 2 ** 30,
  fileBytes: 0,
  openFiles: 64,
  processes: 64,
  stdoutBytes: 4 * 2 ** 20,
  stderrBytes: 2 ** 20,
}
