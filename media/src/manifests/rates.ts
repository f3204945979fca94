/** Bitrates and durations as HLS and DASH define them. */
type Chunk = { readonly bytes: number; readonly seconds: number }

const BITS = 8

export const totalSeconds = (chunks: readonly Chunk[]) => chunks.reduce((total, { seconds }) => total + seconds, 0)

/**
 * Target duration in seconds, rounded as in HLS. At least 1, because players reload growing playlists at about
 * this interval.
 */
export const targetDuration = (longestSeconds: number) => Math.max(1, Math.round(longestSeconds))

/** The rounded duration of the longest segment. */
export const targetSeconds = (chunks: readonly Chunk[]) =>
  targetDuration(chunks.reduce((longest, { seconds }) => Math.max(longest, seconds), 0))

/**
 * The highest bitrate of consecutive segments that together last between 0.5 and 1.5 target
 * durations (RFC 8216, 4.3.4.2): a last segment of one frame alone is not representative.
 */
export function peakRate(chunks: readonly Chunk[]): number {
  const target = targetSeconds(chunks)
  let peak = 0
  for (let first = 0; first < chunks.length; first++) {
    let [bytes, seconds] = [0, 0]
    for (const chunk of chunks.slice(first, first + CHUNKS_TOGETHER_MAX)) {
      bytes += chunk.bytes
      seconds += chunk.seconds
      if (seconds > target * 1.5) break
      if (seconds >= target / 2) peak = Math.max(peak, Math.ceil((bytes * BITS) / seconds))
    }
  }
  return peak || rateOf(chunks)
}

/**
 * Maximum number of segments whose bitrate is computed together. More never fit into 1.5 target durations, because
 * all segments last about as long as the target duration.
 */
const CHUNKS_TOGETHER_MAX = 8

function rateOf(chunks: readonly Chunk[]): number {
  const bytes = chunks.reduce((total, chunk) => total + chunk.bytes, 0)
  return Math.max(1, Math.ceil((bytes * BITS) / Math.max(totalSeconds(chunks), Number.EPSILON)))
}
