/** Pauses in the audio, found in its peaks. Pure. */
import { PEAKS_PER_SECOND } from '../waveform/peaks.ts'

/** A part without sound. */
export type Pause = { readonly startSeconds: number; readonly endSeconds: number }

/** Quieter than this share of the loud parts is a pause: 20 dB less. */
const QUIET_SHARE = 0.1
/** Audio whose loud parts are quieter than this has no sound at all. */
const LOUD_MIN = 4
const LOUD_PERCENTILE = 0.95
/** Noise of silent recordings. */
const QUIET_MIN = 2

/** All pauses of at least a duration, in their order. None if there is no sound at all. */
export function pausesOf(peaks: Uint8Array, secondsMin: number): readonly Pause[] {
  const loud = loudness(peaks)
  if (loud < LOUD_MIN) return []
  const quiet = Math.max(QUIET_MIN, loud * QUIET_SHARE)
  const pauses: Pause[] = []
  let first = -1
  for (let point = 0; point <= peaks.length; point++) {
    const isQuiet = point < peaks.length && (peaks[point] ?? 0) < quiet
    if (isQuiet && first < 0) first = point
    if (isQuiet || first < 0) continue
    const pause = { startSeconds: first / PEAKS_PER_SECOND, endSeconds: point / PEAKS_PER_SECOND }
    if (pause.endSeconds - pause.startSeconds >= secondsMin) pauses.push(pause)
    first = -1
  }
  return pauses
}

/** The value that only the loudest parts exceed. */
function loudness(peaks: Uint8Array): number {
  const counts = new Uint32Array(256)
  for (const peak of peaks) counts[peak] = (counts[peak] ?? 0) + 1
  let below = 0
  for (const [value, count] of counts.entries()) {
    below += count
    if (below >= peaks.length * LOUD_PERCENTILE) return value
  }
  return 0
}
