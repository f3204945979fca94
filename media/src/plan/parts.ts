/**
 * Splits a video into parts. The first part is the opening: the smallest rung and the audio, as much as a player needs
 * to start. The following parts are chunks of all rungs, because the source is then decoded once for all of them. Any
 * worker can encode any part, and a failed part is retried alone.
 */
import type { Part, PartTrack, Plan, SegmentRange, TrackName } from './plan.ts'

/** Number of segments in the opening. Players start with two segments; with more, viewers would wait longer. */
const OPENING_SEGMENTS = 2

/**
 * Number of segments per chunk, about 40 seconds. Shorter chunks increase the encoding time by more than 10 %;
 * with longer chunks, more work is lost when a worker dies.
 */
const CHUNK_SEGMENTS = 10

/**
 * Maximum length of a video that is not split into several chunks, about 90 seconds. Splitting shorter videos
 * costs more time than it saves.
 */
const ONE_CHUNK_SEGMENTS_MAX = 22

/** Maximum number of parts per video; long videos have longer chunks. A video of 24 hours has parts of 88 seconds. */
export const PARTS_MAX = 1000

type Tracks = {
  readonly segments: number
  /** Rungs, smallest first. */
  readonly rungs: readonly Pick<Plan['rungs'][number], 'name'>[]
  readonly hasAudio: boolean
}

export function splitIntoParts({ segments, rungs, hasAudio }: Tracks): Part[] {
  const rungTracks = rungs.map(({ name }): TrackName => name)
  const audioTracks: TrackName[] = hasAudio ? ['audio'] : []
  const openingTracks = [...rungTracks.slice(0, 1), ...audioTracks]
  const opening = { start: 0, end: Math.min(OPENING_SEGMENTS, segments) }
  const inChunk = (chunk: SegmentRange) =>
    [...rungTracks, ...audioTracks].flatMap((name) =>
      trackRange(name, openingTracks.includes(name) ? after(opening, chunk) : chunk),
    )
  return [openingTracks.flatMap((name) => trackRange(name, opening)), ...chunksOf(segments).map(inChunk)]
    .filter((tracks) => tracks.length > 0)
    .map((tracks, number) => ({ number, tracks }))
}

const trackRange = (name: TrackName, segments: SegmentRange): PartTrack[] =>
  segments.start < segments.end ? [{ name, segments }] : []

/** Segments of a chunk that are not in the opening. */
const after = (opening: SegmentRange, { start, end }: SegmentRange): SegmentRange => ({
  start: Math.max(start, opening.end),
  end,
})

/** A short remainder joins the previous chunk, because starting the encoder for it is not worth it. */
function chunksOf(segments: number): SegmentRange[] {
  if (segments <= ONE_CHUNK_SEGMENTS_MAX) return [{ start: 0, end: segments }]
  const length = Math.max(CHUNK_SEGMENTS, Math.ceil(segments / (PARTS_MAX - 1)))
  const count = Math.max(1, Math.round(segments / length))
  return Array.from({ length: count }, (_, index) => ({
    start: index * length,
    end: index === count - 1 ? segments : (index + 1) * length,
  }))
}
