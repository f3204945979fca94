/** Limits of accepted videos, and of a probe. */
import { type Limits, PROBE_MEMORY_BYTES } from '../sandbox/limits.ts'

/** Maximum frame size: 8K cinema. It is also passed to ffmpeg, so that ffmpeg never allocates larger frames. */
export const FRAME_PIXELS_MAX = 8192 * 4320
export const FRAME_SIDE_MAX = 8192

export const DURATION_SECONDS_MAX = 24 * 3600
/** Minimum duration: two or three frames. */
export const DURATION_SECONDS_MIN = 0.1

/** Maximum number of streams, not counting attachments. Broadcast recordings have about a dozen. */
export const STREAMS_MAX = 100
/** Number of streams at which ffprobe stops, including attached fonts. */
export const STREAMS_READ_MAX = 300

/** Maximum number of chapters kept; an audiobook of 24 hours has a few hundred. */
export const CHAPTERS_MAX = 1000

/**
 * Minimum frame rate. One frame every ten seconds is a slide show; with fewer frames, an encoder might repeat one
 * frame for hours.
 */
export const FRAMES_PER_SECOND_MIN = 0.1
export const SPARSE_AFTER_SECONDS = 60

/**
 * Minimum size per second of video, used if the container does not store the number of frames: a smaller file
 * cannot contain enough frames.
 */
export const BYTES_PER_SECOND_MIN = 4

/**
 * Maximum bytes read from an object in one probe. An index must be read completely; that of an MP4
 * of 24 hours at 60 fps with audio has more than 120 MiB. All bytes are kept in memory until the
 * probe ends, for up to four concurrent probes per worker.
 */
export const BYTES_READ_MAX = 192 * 2 ** 20

/** Bytes that ffprobe reads to analyze the streams. */
export const ANALYZED_BYTES = 8 * 2 ** 20
export const ANALYZED_MICROSECONDS = 5_000_000

/** Bytes read from the end of a file whose header has no duration. */
export const TAIL_BYTES = 2 * 2 ** 20
/**
 * Maximum number of bytes read from the end of a file. Fragments may be long, so the search is extended up to
 * this size.
 */
export const TAIL_BYTES_MAX = 16 * 2 ** 20
/**
 * Maximum number of start codes checked at the end of a file, from the last one: a fragment may be truncated, and
 * four bytes of a frame may look like a start code.
 */
export const TAIL_START_CODES_MAX = 4

/** Limits of each of the two runs of a probe. */
export const probeLimits: Limits = {
  wallSeconds: 60,
  cpuSeconds: 20,
  // The largest frame takes less than 300 MiB, and so does the index of 24 hours at 60 fps. Four probes at a time
  // must fit into the memory of a worker.
  memoryBytes: PROBE_MEMORY_BYTES,
  fileBytes: 0,
  writtenBytes: 0,
  openFiles: 64,
  processes: 64,
  stdoutBytes: 4 * 2 ** 20,
  stderrBytes: 2 ** 20,
}
