/**
 * How the work is cut. The first part is the opening: the smallest rung and the sound, as far as a
 * player needs to begin. What follows are chunks, each with all rungs, because the source is then
 * decoded once for all of them. A worker makes a part, any worker any part, and one that fails is
 * made again alone.
 */
import type { Part, PartTrack, Plan, SegmentRange, TrackName } from './plan.ts'

/** A player begins with two segments; more would only make its viewer wait longer. */
const OPENING_SEGMENTS = 2

/** About 40 seconds: less costs the encoder more than a tenth on top, more is lost when a worker dies. */
const CHUNK_SEGMENTS = 10

/** About 90 seconds: cutting these costs more than it brings. */
const ONE_CHUNK_SEGMENTS_MAX = 22

/** Of a video; long ones have longer chunks. A day of video, in parts of 88 seconds, has as many. */
export const PARTS_MAX = 1000

type Tracks = {
  readonly segments: number
  /** Smallest first. */
  readonly rungs: readonly Pick<Plan['rungs'][number], 'name'>[]
  readonly hasAudio: boolean
}

export function cutIntoParts({ segments, rungs, hasAudio }: Tracks): Part[] {
  const rungTracks = rungs.map(({ name }): TrackName => name)
  const sound: TrackName[] = hasAudio ? ['audio'] : []
  const early = [...rungTracks.slice(0, 1), ...sound]
  const opening = { start: 0, end: Math.min(OPENING_SEGMENTS, segments) }
  const inChunk = (chunk: SegmentRange) =>
    [...rungTracks, ...sound].flatMap((name) =>
      trackIn(name, early.includes(name) ? after(opening, chunk) : chunk),
    )
  return [early.flatMap((name) => trackIn(name, opening)), ...chunksOf(segments).map(inChunk)]
    .filter((tracks) => tracks.length > 0)
    .map((tracks, number) => ({ number, tracks }))
}

const trackIn = (name: TrackName, segments: SegmentRange): PartTrack[] =>
  segments.start < segments.end ? [{ name, segments }] : []

/** What is left of a chunk that the opening has begun. */
const after = (opening: SegmentRange, { start, end }: SegmentRange): SegmentRange => ({
  start: Math.max(start, opening.end),
  end,
})

/** A rest that is short joins the chunk before it: a start of the encoder is not worth it. */
function chunksOf(segments: number): SegmentRange[] {
  if (segments <= ONE_CHUNK_SEGMENTS_MAX) return [{ start: 0, end: segments }]
  const length = Math.max(CHUNK_SEGMENTS, Math.ceil(segments / (PARTS_MAX - 1)))
  const count = Math.max(1, Math.round(segments / length))
  return Array.from({ length: count }, (_, index) => ({
    start: index * length,
    end: index === count - 1 ? segments : (index + 1) * length,
  }))
}
