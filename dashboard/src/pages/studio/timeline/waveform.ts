/**
 * Loudness of the audio, read from a binary file: a byte with the version, a byte with the number of levels, the number
 * of points of each level as 32 bits (little-endian), then the points of all levels, one byte each, coarsest level
 * first. A point of a level is the maximum of four points of the next finer one.
 */
export type Waveform = {
  /** Coarsest first. */
  readonly levels: readonly Uint8Array[]
}

const VERSION = 1
const HEADER_BYTES = 2
const COUNT_BYTES = 4
/** Points per second of the finest level. */
const POINTS_PER_SECOND = 20
/** Points of a level for each point of the next coarser one. */
const POINTS_MERGED = 4

/** Undefined if the file has another format. */
export function parseWaveform(bytes: ArrayBuffer): Waveform | undefined {
  const view = new DataView(bytes)
  if (bytes.byteLength < HEADER_BYTES || view.getUint8(0) !== VERSION) return undefined
  const count = view.getUint8(1)
  let offset = HEADER_BYTES + count * COUNT_BYTES
  if (count === 0 || offset > bytes.byteLength) return undefined
  const levels: Uint8Array[] = []
  for (let level = 0; level < count; level++) {
    const points = view.getUint32(HEADER_BYTES + level * COUNT_BYTES, true)
    if (offset + points > bytes.byteLength) return undefined
    levels.push(new Uint8Array(bytes, offset, points))
    offset += points
  }
  return { levels }
}

const finest = ({ levels }: Waveform) => levels.at(-1) ?? new Uint8Array()

type Range = { readonly fromMs: number; readonly toMs: number; readonly count: number }

/** The maxima of `count` parts of a range, from 0 to 1. Reads about one point for each. */
export function peaksOf({ levels }: Waveform, { fromMs, toMs, count }: Range): Float32Array {
  const wanted = ((toMs - fromMs) / 1000) * POINTS_PER_SECOND
  const steps = Math.max(0, Math.floor(Math.log(Math.max(1, wanted / count)) / Math.log(POINTS_MERGED)))
  const index = Math.max(0, levels.length - 1 - steps)
  const level = levels[index] ?? new Uint8Array()
  const rate = POINTS_PER_SECOND / POINTS_MERGED ** (levels.length - 1 - index) / 1000
  const peaks = new Float32Array(count)
  const width = (toMs - fromMs) / count
  for (let part = 0; part < count; part++) {
    const first = Math.floor((fromMs + part * width) * rate)
    const last = Math.max(first, Math.ceil((fromMs + (part + 1) * width) * rate) - 1)
    for (let point = Math.max(0, first); point <= Math.min(last, level.length - 1); point++)
      peaks[part] = Math.max(peaks[part] ?? 0, (level[point] ?? 0) / 255)
  }
  return peaks
}

/** A part without sound. */
export type Pause = { readonly startMs: number; readonly endMs: number }

/** Quieter than this share of the loud parts is a pause: 20 dB less. */
const QUIET_SHARE = 0.1
/** A video whose loud parts are quieter than this has no sound at all. */
const LOUD_MIN = 4
const LOUD_PERCENTILE = 0.95

/** The value that only the loudest parts exceed. */
function loudness(points: Uint8Array): number {
  const counts = new Uint32Array(256)
  for (const point of points) counts[point] = (counts[point] ?? 0) + 1
  let below = 0
  for (let value = 0; value < counts.length; value++) {
    below += counts[value] ?? 0
    if (below >= points.length * LOUD_PERCENTILE) return value
  }
  return 0
}

/** All pauses of at least a duration, in their order. */
export function pausesOf(waveform: Waveform, durationMsMin: number): readonly Pause[] {
  const points = finest(waveform)
  const loud = loudness(points)
  if (loud < LOUD_MIN) return []
  const quiet = Math.max(2, loud * QUIET_SHARE)
  const pauses: Pause[] = []
  const msOf = (point: number) => (point * 1000) / POINTS_PER_SECOND
  let first = -1
  for (let point = 0; point <= points.length; point++) {
    const isQuiet = point < points.length && (points[point] ?? 0) < quiet
    if (isQuiet && first < 0) first = point
    if (isQuiet || first < 0) continue
    if (msOf(point - first) >= durationMsMin) pauses.push({ startMs: msOf(first), endMs: msOf(point) })
    first = -1
  }
  return pauses
}
