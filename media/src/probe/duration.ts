/** How long a video is whose header does not say: by the times at its end, of which little is read. */
import type { BlockReader } from '../source/block-reader.ts'
import { containers } from './container.ts'
import {
  firstPieceAt,
  lastPieceByIndex,
  lastPieceTimes,
  type PieceTimes,
  timesOfPiece,
} from './fragments.ts'
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
  const duration = (await findByPieces(reader, header)) ?? said ?? (await findAtEnd(reader, header))
  if (duration === undefined) throw durationUnknown()
  return duration
}

/**
 * Of a fragmented file. What its header says may be true of its first piece alone, or count from
 * the beginning of the stream that it was cut from; its pieces know.
 */
async function findByPieces(reader: BlockReader, { container, clocks }: HeaderFacts) {
  if (containers[container].demuxer !== 'mov') return undefined
  const first = await firstPieceAt(reader)
  if (first === undefined) return undefined
  const end = await piecesEnd(reader, clocks)
  if (end === undefined) return undefined
  const head = await reader.read({ start: first, end: first + TAIL_BYTES })
  const starts = timesOfPiece(head, 0).flatMap((times) => secondsOf(times, clocks)?.start ?? [])
  return end - (starts.length === 0 ? 0 : Math.min(...starts))
}

async function piecesEnd(
  reader: BlockReader,
  clocks: readonly TrackClock[],
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
  const ends = times.flatMap((one) => secondsOf(one, clocks)?.end ?? [])
  return ends.length === 0 ? undefined : Math.max(...ends)
}

/** Undefined for a track that the header does not know. */
function secondsOf(
  { trackId, startTicks, lengthTicks, samples }: PieceTimes,
  clocks: readonly TrackClock[],
): { start: number; end: number } | undefined {
  const clock = clocks.find(({ id }) => id === trackId)
  if (!clock) return undefined
  const tick = toNumber(clock.tick)
  const guessed = clock.samplesPerSecond ? samples / clock.samplesPerSecond : 0
  const start = startTicks * tick
  return { start, end: start + (lengthTicks === undefined ? guessed : lengthTicks * tick) }
}

async function findAtEnd(reader: BlockReader, header: HeaderFacts) {
  return containers[header.container].demuxer === 'matroska'
    ? matroskaLength(reader, header)
    : undefined
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
