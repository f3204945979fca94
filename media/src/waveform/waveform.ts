/**
 * The waveform of a video: its peaks, with coarser levels for long ranges, as a gzip file. The format: a byte with the
 * version, a byte with the number of levels, the number of points of each level (32 bits, little-endian), then the
 * points of all levels, coarsest level first.
 */
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Plan } from '../plan/plan.ts'
import { joinPeaks, type PartPeaks } from './peaks.ts'

const VERSION = 1
const HEADER_BYTES = 2
const COUNT_BYTES = 4

/** Points of a level for each point of the next coarser one. */
const POINTS_MERGED = 4
/** A level with fewer points has no coarser one: a timeline has more pixels. */
const POINTS_MIN = 1000

const compress = promisify(gzip)

export const writeWaveform = async (plan: Plan, parts: readonly PartPeaks[]): Promise<Buffer> =>
  compress(waveformOf(joinPeaks(plan, parts)))

export function waveformOf(peaks: Uint8Array): Buffer {
  const levels = [peaks]
  for (let [level] = levels; level && level.length > POINTS_MIN; [level] = levels) levels.unshift(coarser(level))
  const header = Buffer.alloc(HEADER_BYTES + levels.length * COUNT_BYTES)
  header.writeUInt8(VERSION, 0)
  header.writeUInt8(levels.length, 1)
  for (const [index, { length }] of levels.entries()) header.writeUInt32LE(length, HEADER_BYTES + index * COUNT_BYTES)
  return Buffer.concat([header, ...levels])
}

/** The finest level of a waveform: its peaks. */
export function finestLevel(waveform: Buffer): Uint8Array {
  const levels = waveform.readUInt8(1)
  const counts = Array.from({ length: levels }, (_, index) => waveform.readUInt32LE(HEADER_BYTES + index * COUNT_BYTES))
  return waveform.subarray(waveform.length - (counts.at(-1) ?? 0))
}

const coarser = (level: Uint8Array) =>
  Uint8Array.from({ length: Math.ceil(level.length / POINTS_MERGED) }, (_, index) =>
    Math.max(...level.subarray(index * POINTS_MERGED, (index + 1) * POINTS_MERGED)),
  )
