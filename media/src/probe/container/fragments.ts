/**
 * Reads fragmented MP4: a header without samples, then fragments (`moof`) that each contain their start time. The
 * duration may be stored only in the last fragment, whose position is in an index at the end of the file (`mfra`).
 */
import type { BlockReader } from '../../source/block-reader.ts'
import { STREAMS_READ_MAX, TAIL_START_CODES_MAX } from '../probe-limits.ts'

type Box = {
  readonly name: string
  /** Start and end of the content of the box. */
  readonly start: number
  readonly end: number
}

const HEADER_BYTES = 8
export const LONG_HEADER_BYTES = 16

/** Maximum number of boxes before the first fragment: the type, the header, perhaps an index and free space. */
const FIRST_BOXES_MAX = 8

/** Position of the first fragment; undefined if none follows the header. Reads only the headers of the first boxes. */
export async function findFirstFragment(reader: BlockReader): Promise<number | undefined> {
  let at = 0
  for (let count = 0; count < FIRST_BOXES_MAX && at < reader.sizeBytes; count++) {
    const header = await reader.read({ start: at, end: at + LONG_HEADER_BYTES })
    const box = readBox(header, 0, reader.sizeBytes - at)
    if (!box) return undefined
    if (box.name === 'moof') return at
    at += box.end
  }
  return undefined
}

/**
 * Maximum size of the index (`mfra`). The index is found by its length, which is stored in the last four bytes of
 * the file.
 */
const MFRA_BYTES_MAX = 4 * 2 ** 20

/** Position of the last fragment, according to the index at the end of the file. */
export async function findLastFragmentByIndex(reader: BlockReader): Promise<number | undefined> {
  const { sizeBytes } = reader
  const last = await reader.read({ start: Math.max(0, sizeBytes - 16), end: sizeBytes })
  if (last.length < 16 || last.toString('latin1', 4, 8) !== 'mfro') return undefined
  const indexBytes = last.readUInt32BE(12)
  if (indexBytes > Math.min(MFRA_BYTES_MAX, sizeBytes)) return undefined
  const index = await reader.read({ start: sizeBytes - indexBytes, end: sizeBytes })
  const offsets = boxesIn(index, HEADER_BYTES, index.length)
    .filter(({ name }) => name === 'tfra')
    .flatMap((box) => lastOffset(index.subarray(box.start, box.end)) ?? [])
  return offsets.length === 0 ? undefined : Math.max(...offsets)
}

/**
 * Last offset in a `tfra` box: its entries contain time and offset, in four or eight bytes each,
 * followed by three numbers of one to four bytes.
 */
function lastOffset(tfra: Buffer): number | undefined {
  if (tfra.length < 16) return undefined
  const isLong = tfra[0] === 1
  const lengths = tfra.readUInt32BE(8)
  const trailingBytes = 3 + ((lengths >> 4) & 3) + ((lengths >> 2) & 3) + (lengths & 3)
  const entryBytes = (isLong ? 16 : 8) + trailingBytes
  const at = 16 + (tfra.readUInt32BE(12) - 1) * entryBytes
  if (at < 16 || at + entryBytes > tfra.length) return undefined
  return isLong ? Number(tfra.readBigUInt64BE(at + 8)) : tfra.readUInt32BE(at + 4)
}

/** Start and duration of one track in a fragment, in the track's ticks. */
export type FragmentTimes = {
  readonly trackId: number
  readonly startTicks: number
  /** Duration of the samples; undefined if the sample duration is only in the file's header. */
  readonly lengthTicks: number | undefined
  readonly samples: number
}

/** Times of the last fragment that starts in these bytes. */
export function lastFragmentTimes(bytes: Buffer): FragmentTimes[] {
  let at = bytes.lastIndexOf('moof')
  for (let tried = 0; at >= 4 && tried < TAIL_START_CODES_MAX; tried++) {
    const times = fragmentTimes(bytes, at - 4)
    if (times.length > 0) return times
    at = bytes.lastIndexOf('moof', at - 1)
  }
  return []
}

/** Times of the fragment at this position; empty if there is none, or if it is truncated. */
export function fragmentTimes(bytes: Buffer, at: number): FragmentTimes[] {
  const moof = readBox(bytes, at, bytes.length)
  if (!moof) return []
  return boxesIn(bytes, moof.start, moof.end)
    .slice(0, STREAMS_READ_MAX)
    .flatMap((child) => trackTimes(bytes, child))
}

function trackTimes(bytes: Buffer, traf: Box): FragmentTimes[] {
  if (traf.name !== 'traf') return []
  const children = boxesIn(bytes, traf.start, traf.end)
  const header = children.find(({ name }) => name === 'tfhd')
  const time = children.find(({ name }) => name === 'tfdt')
  if (!header || !time || header.end - header.start < 8) return []
  const startTicks = decodeTime(bytes.subarray(time.start, time.end))
  if (startTicks === undefined) return []
  const runs = children
    .filter(({ name, start, end }) => name === 'trun' && end - start >= 8)
    .map(({ start, end }) => bytes.subarray(start, end))
  const sampleTicks = defaultSampleTicks(bytes.subarray(header.start, header.end))
  const lengths = runs.map((run) => runTicks(run, sampleTicks))
  return [
    {
      trackId: bytes.readUInt32BE(header.start + 4),
      startTicks,
      lengthTicks: lengths.includes(undefined) ? undefined : sum(lengths.map(Number)),
      samples: sum(runs.map((run) => run.readUInt32BE(4))),
    },
  ]
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)

export const flagsOf = (box: Buffer) => box.readUInt32BE(0) & 0xffffff
const countBits = (flags: number) => flags.toString(2).replaceAll('0', '').length

/** Default sample duration in a `tfhd` box, after optional fields that the flags announce. */
function defaultSampleTicks(tfhd: Buffer): number | undefined {
  const flags = flagsOf(tfhd)
  const at = 8 + (flags & 0x1 ? 8 : 0) + (flags & 0x2 ? 4 : 0)
  return flags & 0x8 && at + 4 <= tfhd.length ? tfhd.readUInt32BE(at) : undefined
}

/**
 * Total duration of a `trun` box: each sample has up to four numbers, of which its duration is the first, if present.
 */
function runTicks(trun: Buffer, sampleTicks: number | undefined): number | undefined {
  const flags = flagsOf(trun)
  const samples = trun.readUInt32BE(4)
  if (!(flags & 0x100)) return sampleTicks === undefined ? undefined : samples * sampleTicks
  const sampleBytes = 4 * countBits(flags & 0xf00)
  const first = 8 + (flags & 0x1 ? 4 : 0) + (flags & 0x4 ? 4 : 0)
  let ticks = 0
  const end = Math.min(trun.length, first + samples * sampleBytes)
  for (let at = first; at + sampleBytes <= end; at += sampleBytes) ticks += trun.readUInt32BE(at)
  return ticks
}

export function decodeTime(tfdt: Buffer): number | undefined {
  if (tfdt[0] === 1) return tfdt.length >= 12 ? Number(tfdt.readBigUInt64BE(4)) : undefined
  return tfdt.length >= 8 ? tfdt.readUInt32BE(4) : undefined
}

const BOXES_MAX = 1000

export function boxesIn(bytes: Buffer, start: number, end: number): Box[] {
  const boxes: Box[] = []
  for (let at = start; at < end && boxes.length < BOXES_MAX; ) {
    const box = readBox(bytes, at, end)
    if (!box) break
    boxes.push(box)
    at = box.end
  }
  return boxes
}

/**
 * Reads the header of a box. Undefined if there is no box, or if it extends beyond `limit`. Length 0 means that
 * the box extends to the end, length 1 that a 64-bit length follows the name.
 */
export function readBox(bytes: Buffer, at: number, limit: number): Box | undefined {
  if (at < 0 || at + HEADER_BYTES > bytes.length) return undefined
  const short = bytes.readUInt32BE(at)
  const isLong = short === 1 && at + LONG_HEADER_BYTES <= bytes.length
  const header = isLong ? LONG_HEADER_BYTES : HEADER_BYTES
  const size = isLong ? Number(bytes.readBigUInt64BE(at + HEADER_BYTES)) : short || limit - at
  if (size < header || at + size > limit) return undefined
  return { name: bytes.toString('latin1', at + 4, at + 8), start: at + header, end: at + size }
}
