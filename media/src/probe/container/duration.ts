/** Determines the duration. If the header does not contain it, reads the last timestamps at the end of the file. */
import type { BlockReader } from '../../source/block-reader.ts'
import type { HeaderFacts, TrackClock } from '../facts/probe-facts.ts'
import { toNumber } from '../facts/rational.ts'
import { durationUnknown } from '../probe-checks.ts'
import { TAIL_BYTES, TAIL_BYTES_MAX } from '../probe-limits.ts'
import { containers } from './container.ts'
import {
  type FragmentTimes,
  findFirstFragment,
  findLastFragmentByIndex,
  fragmentTimes,
  lastFragmentTimes,
} from './fragments.ts'
import { lastTimestamp } from './matroska-tail.ts'

/** FFmpeg's warning that the duration is only an estimate. */
const isEstimate = (stderr: string) => /Estimating duration from bitrate/.test(stderr)

export async function requireDuration(reader: BlockReader, header: HeaderFacts, stderr: string): Promise<number> {
  const declared = isEstimate(stderr) ? undefined : header.durationSeconds
  const duration = (await durationFromFragments(reader, header)) ?? declared ?? (await durationFromTail(reader, header))
  if (duration === undefined) throw durationUnknown()
  return duration
}

/**
 * Duration of a fragmented file. Its header may describe only the first fragment, or count from the
 * start of the stream that it was cut from.
 */
async function durationFromFragments(reader: BlockReader, { container, clocks }: HeaderFacts) {
  if (containers[container].demuxer !== 'mov') return undefined
  const first = await findFirstFragment(reader)
  if (first === undefined) return undefined
  const end = await fragmentsEnd(reader, clocks)
  if (end === undefined) return undefined
  const head = await reader.read({ start: first, end: first + TAIL_BYTES })
  const starts = fragmentTimes(head, 0).flatMap((times) => secondsOf(times, clocks)?.start ?? [])
  return end - (starts.length === 0 ? 0 : Math.min(...starts))
}

async function fragmentsEnd(reader: BlockReader, clocks: readonly TrackClock[]): Promise<number | undefined> {
  const at = await findLastFragmentByIndex(reader)
  if (at !== undefined) {
    return latestEnd(lastFragmentTimes(await reader.read({ start: at, end: at + TAIL_BYTES })), clocks)
  }
  return searchTail(reader, (tail) => latestEnd(lastFragmentTimes(tail), clocks))
}

function latestEnd(times: readonly FragmentTimes[], clocks: readonly TrackClock[]): number | undefined {
  const ends = times.flatMap((fragment) => secondsOf(fragment, clocks)?.end ?? [])
  return ends.length === 0 ? undefined : Math.max(...ends)
}

/** Converts the times of a fragment to seconds. Undefined for a track that is not in the header. */
function secondsOf(
  { trackId, startTicks, lengthTicks, samples }: FragmentTimes,
  clocks: readonly TrackClock[],
): { start: number; end: number } | undefined {
  const clock = clocks.find(({ id }) => id === trackId)
  if (!clock) return undefined
  const tick = toNumber(clock.tick)
  const estimated = clock.samplesPerSecond ? samples / clock.samplesPerSecond : 0
  const start = startTicks * tick
  return { start, end: start + (lengthTicks === undefined ? estimated : lengthTicks * tick) }
}

async function durationFromTail(reader: BlockReader, header: HeaderFacts) {
  return containers[header.container].demuxer === 'matroska' ? matroskaDuration(reader, header) : undefined
}

/** The default timescale of Matroska; files with another one are rare. */
const MATROSKA_TICKS_PER_SECOND = 1000

const matroskaDuration = (reader: BlockReader, { startSeconds }: HeaderFacts) =>
  searchTail(reader, (tail) => {
    const last = lastTimestamp(tail)
    return last ? last / MATROSKA_TICKS_PER_SECOND - startSeconds : undefined
  })

/** Reads more and more bytes at the end of the file until `find` succeeds. */
async function searchTail(
  reader: BlockReader,
  find: (tail: Buffer) => number | undefined,
): Promise<number | undefined> {
  const { sizeBytes } = reader
  for (let bytes = TAIL_BYTES; bytes <= TAIL_BYTES_MAX; bytes *= 2) {
    const found = find(await reader.read({ start: Math.max(0, sizeBytes - bytes), end: sizeBytes }))
    if (found !== undefined || bytes >= sizeBytes) return found
  }
  return undefined
}
