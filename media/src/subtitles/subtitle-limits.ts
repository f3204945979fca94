/** Limits of extracting audio and subtitles. */
import type { Limits } from '../sandbox/limits.ts'
import { TRACK_BYTES_MAX } from './read-track.ts'
import { BYTES_PER_SAMPLE, SAMPLES_PER_SECOND } from './transcription/transcriber.ts'

/**
 * Maximum number of bytes read from the source, twice the size of the largest accepted file: audio is interleaved
 * with video, so the whole file is read, and some of it twice.
 */
export const SOURCE_BYTES_READ_MAX = 2 * 2 ** 40
/** Maximum size of the block cache of the source. */
export const SOURCE_CACHE_BYTES_MAX = 64 * 2 ** 20

/** Maximum duration of extracted audio, longer than the longest accepted video. */
const AUDIO_SECONDS_MAX = 25 * 3600

const AUDIO_BYTES_MAX = AUDIO_SECONDS_MAX * SAMPLES_PER_SECOND * BYTES_PER_SAMPLE

/**
 * Limits of extracting audio. The time mostly depends on the speed of storage; decoding is about a hundred times
 * faster than real time.
 */
export const audioLimits: Limits = {
  wallSeconds: 6 * 3600,
  cpuSeconds: 3600,
  memoryBytes: 2 ** 30,
  fileBytes: AUDIO_BYTES_MAX,
  writtenBytes: AUDIO_BYTES_MAX,
  openFiles: 64,
  processes: 64,
  stdoutBytes: 2 ** 20,
  stderrBytes: 2 ** 20,
}

/** Maximum number of extracted tracks. Movies have up to forty languages. The limit leaves room for uploaded tracks. */
export const EXTRACTED_TRACKS_MAX = 40

export const extractLimits: Limits = {
  ...audioLimits,
  cpuSeconds: 1800,
  // ffmpeg may write more than the maximum size of a track, so that a track that is too large is detected.
  fileBytes: 2 * TRACK_BYTES_MAX,
  writtenBytes: EXTRACTED_TRACKS_MAX * 2 * TRACK_BYTES_MAX,
}

/** Maximum size of the temporary files of an extraction, which runs twice if a track cannot be read. */
export const SUBTITLE_SCRATCH_BYTES = 2 * extractLimits.writtenBytes

/** Maximum size of the extracted audio of a video, with some room for audio that is longer than the video. */
export const audioScratchBytes = (durationSeconds: number): number =>
  Math.min(AUDIO_BYTES_MAX, Math.ceil((1.1 * durationSeconds + 60) * SAMPLES_PER_SECOND * BYTES_PER_SAMPLE))
