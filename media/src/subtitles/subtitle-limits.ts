/** Limits of extracting audio and subtitles. */
import type { Limits } from '../sandbox/limits.ts'
import { TRACK_BYTES_MAX } from './read-track.ts'
import { BYTES_PER_SAMPLE, SAMPLES_PER_SECOND } from './transcription/transcriber.ts'

/**
 * Twice the largest accepted file: audio is interleaved with video, so the whole file is read, and
 * some of it twice.
 */
export const SOURCE_BYTES_READ_MAX = 2 * 2 ** 40
/** Size of the cache. */
export const SOURCE_CACHE_BYTES_MAX = 64 * 2 ** 20

/** Longer than the longest accepted video. */
const AUDIO_SECONDS_MAX = 25 * 3600

/** Mostly depends on the speed of storage; decoding is about a hundred times faster than real time. */
export const audioLimits: Limits = {
  wallSeconds: 6 * 3600,
  cpuSeconds: 3600,
  memoryBytes: 2 * 2 ** 30,
  fileBytes: AUDIO_SECONDS_MAX * SAMPLES_PER_SECOND * BYTES_PER_SAMPLE,
  openFiles: 64,
  processes: 64,
  stdoutBytes: 2 ** 20,
  stderrBytes: 2 ** 20,
}

/**
 * Maximum number of extracted tracks. Movies have up to forty languages, and there is room for
 * uploaded ones.
 */
export const EXTRACTED_TRACKS_MAX = 40

export const extractLimits: Limits = {
  ...audioLimits,
  cpuSeconds: 1800,
  // More than the maximum of a track, so that a track that is too large is detected.
  fileBytes: 2 * TRACK_BYTES_MAX,
}
