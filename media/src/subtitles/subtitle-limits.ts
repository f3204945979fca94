/** What may be taken out of a video for its words, and what that may cost. */
import type { Limits } from '../sandbox/limits.ts'
import { TRACK_BYTES_MAX } from './read-track.ts'
import { BYTES_PER_SAMPLE, SAMPLES_PER_SECOND } from './recogniser.ts'

/**
 * Twice the largest file that is taken: sound lies between the pictures, so all of a file is read
 * for it, and some of it again.
 */
export const SOURCE_BYTES_READ_MAX = 2 * 2 ** 40
/** Of that, in memory. */
export const SOURCE_BYTES_KEPT_MAX = 64 * 2 ** 20

/** Longer than the longest video that is taken. */
const SOUND_SECONDS_MAX = 25 * 3600

/** How fast storage answers decides; sound itself is decoded some hundred times as fast as it is heard. */
export const soundLimits: Limits = {
  wallSeconds: 6 * 3600,
  cpuSeconds: 3600,
  memoryBytes: 2 * 2 ** 30,
  fileBytes: SOUND_SECONDS_MAX * SAMPLES_PER_SECOND * BYTES_PER_SAMPLE,
  openFiles: 64,
  processes: 64,
  stdoutBytes: 2 ** 20,
  stderrBytes: 2 ** 20,
}

/** Subtitles in a file that are carried over; films have up to forty languages, and there is room for uploaded ones. */
export const CARRIED_TRACKS_MAX = 40

export const carryLimits: Limits = {
  ...soundLimits,
  cpuSeconds: 1800,
  // Somewhat more than is taken, so that one that is too large is told from one that fits exactly.
  fileBytes: 2 * TRACK_BYTES_MAX,
}
