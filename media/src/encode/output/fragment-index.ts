/** Reads the boxes of a segment, to verify the packager's output. */
import { boxesIn, decodeTime, flagsOf, readBox } from '../../probe/container/fragments.ts'

export type FragmentInfo = {
  /** Position of the `moof` box in the segment. */
  readonly offset: number
  readonly startTicks: number
  readonly lengthTicks: number
  /** Composition offset of the first sample. */
  readonly firstOffsetTicks: number
  readonly samples: number
  /** Bytes from `offset` to the end of the first sample: together with the init segment, enough to decode it. */
  readonly firstSampleBytes: number
  /** Indexes of the sync samples (keyframes). */
  readonly keys: readonly number[]
  /** True if the fragment has a `senc` box. */
  readonly isEncrypted: boolean
}

/** Returns the fragments of a segment; undefined if it is not a sequence of `moof` and `mdat` boxes. */
export function readFragments(segment: Buffer): FragmentInfo[] | undefined {
  const boxes = boxesIn(segment, 0, segment.length)
  if (boxes.at(-1)?.end !== segment.length) return undefined
  const fragments: FragmentInfo[] = []
  for (const [index, box] of boxes.entries()) {
    if (box.name !== 'moof') continue
    const content = boxes[index + 1]
    const fragment = content?.name === 'mdat' ? readFragment(segment, box.start - 8, content) : undefined
    if (!fragment) return undefined
    fragments.push(fragment)
  }
  return fragments.length > 0 ? fragments : undefined
}

type Samples = {
  readonly ticks: readonly number[]
  readonly firstBytes: number
  readonly firstOffsetTicks: number
  readonly keys: readonly number[]
}

function readFragment(
  segment: Buffer,
  offset: number,
  content: { readonly start: number; readonly end: number },
): FragmentInfo | undefined {
  const moof = readBox(segment, offset, segment.length)
  if (!moof) return undefined
  const [traf, ...others] = boxesIn(segment, moof.start, moof.end).filter(({ name }) => name === 'traf')
  if (!traf || others.length > 0) return undefined
  const parts = new Map(
    boxesIn(segment, traf.start, traf.end).map(({ name, start, end }) => [name, segment.subarray(start, end)] as const),
  )
  const [header, time, run] = [parts.get('tfhd'), parts.get('tfdt'), parts.get('trun')]
  if (!header || !time || !run) return undefined
  const startTicks = decodeTime(time)
  const samples = readRun(run, readDefaults(header))
  if (startTicks === undefined || !samples) return undefined
  return {
    ...{ offset, startTicks, samples: samples.ticks.length, keys: samples.keys },
    lengthTicks: samples.ticks.reduce((sum, ticks) => sum + ticks, 0),
    firstOffsetTicks: samples.firstOffsetTicks,
    firstSampleBytes: content.start + samples.firstBytes - offset,
    isEncrypted: parts.has('senc'),
  }
}

type Defaults = { readonly ticks: number; readonly bytes: number; readonly flags: number }

/** Reads the optional defaults of a `tfhd` box. */
function readDefaults(tfhd: Buffer): Defaults {
  const flags = flagsOf(tfhd)
  let at = 8 + (flags & 0x1 ? 8 : 0) + (flags & 0x2 ? 4 : 0)
  const next = (flag: number) => {
    if (!(flags & flag) || at + 4 > tfhd.length) return 0
    at += 4
    return tfhd.readUInt32BE(at - 4)
  }
  return { ticks: next(0x8), bytes: next(0x10), flags: next(0x20) }
}

const IS_NOT_KEY = 0x10000
/** Maximum number of samples per fragment; real fragments have far fewer. */
const SAMPLES_MAX = 100_000

/** Reads a `trun` box: up to four numbers per sample. */
function readRun(trun: Buffer, defaults: Defaults): Samples | undefined {
  const flags = flagsOf(trun)
  const count = trun.readUInt32BE(4)
  let at = 8 + (flags & 0x1 ? 4 : 0)
  const firstFlags = flags & 0x4 ? trun.readUInt32BE(at) : undefined
  if (flags & 0x4) at += 4
  const fields = [0x100, 0x200, 0x400, 0x800].filter((flag) => flags & flag)
  if (count === 0 || count > SAMPLES_MAX || at + count * fields.length * 4 > trun.length) return undefined
  const rows = Array.from({ length: count }, (_, index) => {
    const value = (flag: number) => {
      const column = fields.indexOf(flag)
      return column < 0 ? undefined : trun.readInt32BE(at + (index * fields.length + column) * 4)
    }
    const own = index === 0 ? (firstFlags ?? value(0x400)) : value(0x400)
    return {
      ticks: value(0x100) ?? defaults.ticks,
      bytes: value(0x200) ?? defaults.bytes,
      offsetTicks: value(0x800) ?? 0,
      isKey: ((own ?? defaults.flags) & IS_NOT_KEY) === 0,
    }
  })
  return {
    ticks: rows.map(({ ticks }) => ticks),
    firstBytes: rows[0]?.bytes ?? 0,
    firstOffsetTicks: rows[0]?.offsetTicks ?? 0,
    keys: rows.flatMap(({ isKey }, index) => (isKey ? [index] : [])),
  }
}
