/** A part of a stored waveform. */
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { finestLevel, waveformOf } from '../waveform/waveform.ts'
import type { TimeRange } from './track-part.ts'

/** Points per second of the finest level. */
const POINTS_PER_SECOND = 20
/** Far above the waveform of a video of 24 hours, which has about 2.3 MB. */
const WAVEFORM_BYTES_MAX = 2 ** 24

const compress = promisify(gzip)
const decompress = promisify(gunzip)

export async function waveformPart(file: Buffer, { startSeconds, endSeconds }: TimeRange): Promise<Buffer> {
  const points = finestLevel(await decompress(file, { maxOutputLength: WAVEFORM_BYTES_MAX }))
  const [start, end] = [Math.floor(startSeconds * POINTS_PER_SECOND), Math.ceil(endSeconds * POINTS_PER_SECOND)]
  return compress(waveformOf(points.subarray(start, end)))
}
