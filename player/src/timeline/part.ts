/** Clips and trimmed videos: their playlists have whole segments, of which the player shows a part. */
import type { About } from '../about.ts'

type Part = Pick<About, 'start_offset' | 'frame_rate' | 'duration'>

/** Frames later than this in the playlist are not shown; a frame has this tolerance for rounded times. */
const TOLERANCE = 0.25

const frameSecondsOf = ({ frame_rate: rate }: Part) => (rate ? rate.denominator / rate.numerator : 0)

/** Seconds of the playlist before the first frame of the video. */
export const offsetOf = (about: Part | undefined) => about?.start_offset ?? 0

/**
 * Position in the playlist for a time of the video. At both ends it is the middle of a frame, because a player that
 * seeks to the border of two frames may show either.
 */
export function positionOf(about: Part | undefined, seconds: number, playlistEnd: number): number {
  const offset = offsetOf(about)
  if (!about || !isPart(about, playlistEnd)) return offset + seconds
  const half = frameSecondsOf(about) / 2
  const last = Math.max(half, (about.duration ?? 0) - half)
  return offset + Math.max(half, Math.min(seconds, last))
}

/** Whether the playlist has frames that are not shown. The last frame may end a little before or after the duration. */
export const isPart = (about: Part, playlistEnd: number): boolean =>
  offsetOf(about) > 0 ||
  (about.duration !== null && playlistEnd > offsetOf(about) + about.duration + frameSecondsOf(about) / 2)

/** A browser that is asked to pause presents frames for about this long. */
const PAUSE_SECONDS = 0.025

/**
 * Whether playback at a rate, such as 2 for twice the speed, must pause when this frame is shown, so that no frame
 * after the last one is.
 */
export function isAtEnd(about: Part, mediaSeconds: number, playbackRate: number): boolean {
  const frame = frameSecondsOf(about)
  // At high rates, the frame before the last one: the player then shows the last one by a seek.
  const frames = frame > 0 ? 1 + Math.floor((PAUSE_SECONDS * playbackRate) / frame) : 0
  return mediaSeconds >= offsetOf(about) + (about.duration ?? 0) - frame * (frames + TOLERANCE)
}
