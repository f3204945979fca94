/** How long a video is whose header does not say: by the times at its end, of which little is read. */
import type { BlockReader } from '../source/block-reader.ts'
import { containers } from './container.ts'
import { isFragmented, lastPieceByIndex, lastPieceTimes, type PieceTimes } from './fragments.ts'
import { durationUnknown } from './judge.ts'
import { lastTimestamp } from './matroska-tail.ts'
import type { HeaderFacts, TrackClock } from './probe-facts.ts'
import { TAIL_BYTES, TAIL_BYTES_MAX } from './probe-limits.ts'
import { toNumber } from './rational.ts'

/** FFmpeg's word for a duration that is no more than a guess. */
const isGuess = (stderr: string) => /Estimating duration from bitrate/.test(stderr)

export async function requireDuration(
  reader: BlockReader,
  header: HeaderFacts,
  stderr: string,
): Promise<number> {
  const said = isGuess(stderr) ? undefined : header.durationSeconds
  const found = await findAtEnd(reader, header, said)
  if (said === undefined && found === undefined) throw durationUnknown()
  return Math.max(said ?? 0, found ?? 0)
}

async function findAtEnd(reader: BlockReader, header: HeaderFacts, said: number | undefined) {
  const { demuxer } = containers[header.container]
  // A fragmented file's header may speak of its first piece alone.
  if (demuxer === 'mov')
    return (await isFragmented(reader)) ? fragmentsEnd(reader, header) : undefined
  return demuxer === 'matroska' && said === undefined ? matroskaLength(reader, header) : undefined
}

async function fragmentsEnd(
  reader: BlockReader,
  { clocks }: HeaderFacts,
): Promise<number | undefined> {
  const at = await lastPieceByIndex(reader)
  if (at !== undefined) {
    return latestEnd(lastPieceTimes(await reader.read({ start: at, end: at + TAIL_BYTES })), clocks)
  }
  return fromTail(reader, (tail) => latestEnd(lastPieceTimes(tail), clocks))
}

function latestEnd(
  times: readonly PieceTimes[],
  clocks: readonly TrackClock[],
): number | undefined {
  const ends = times.flatMap(({ trackId, startTicks, samples }) => {
    const clock = clocks.find(({ id }) => id === trackId)
    if (!clock) return []
    const lasting = clock.samplesPerSecond ? samples / clock.samplesPerSecond : 0
    return [startTicks * toNumber(clock.tick) + lasting]
  })
  return ends.length === 0 ? undefined : Math.max(...ends)
}

/** Unless a file says otherwise, and hardly one does. */
const MATROSKA_TICKS_PER_SECOND = 1000

const matroskaLength = (reader: BlockReader, { startSeconds }: HeaderFacts) =>
  fromTail(reader, (tail) => {
    const last = lastTimestamp(tail)
    return last ? last / MATROSKA_TICKS_PER_SECOND - startSeconds : undefined
  })

/** Looks at ever more of the end until something is found. */
async function fromTail(
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
