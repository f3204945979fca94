/** Plans by hand, for tests of what makes parts by them. */
import type { AudioPlan, Part, PicturePlan, Plan, Rung, TrackName } from '../src/plan/plan.ts'
import type { Rational } from '../src/probe/rational.ts'

export type PlanWish = {
  readonly durationSeconds: number
  readonly frameRate?: Rational
  readonly rungs?: readonly Rung[]
  readonly picture?: Partial<PicturePlan>
  /** Of the sound; none without it. */
  readonly audioStream?: number
  readonly openingSegments?: number
  readonly chunkSegments?: number
}

/**
 * More than they need. With several threads x264 decides anew each time how to keep to a rate that
 * is too small for it, so that no two runs are the same; and tests want to compare them.
 */
const BITS_PER_PIXEL_MAX = 30

export const rungOf = (name: Rung['name'], width: number, height: number): Rung => ({
  ...{ name, width, height, crf: 23, bitrateMax: width * height * BITS_PER_PIXEL_MAX },
  reason: 'A test asks for it.',
})

/** Of a few blocks each: what is promised of parts is counted in frames, and these cost next to nothing. */
const smallRungs: readonly Rung[] = [rungOf('240p', 64, 36), rungOf('360p', 128, 72)]

/** As it is for a plan of the service: an opening of the smallest rung, then chunks of all. */
export function planOf(wish: PlanWish): Plan {
  const frameRate = wish.frameRate ?? { numerator: 30, denominator: 1 }
  const rate = frameRate.numerator / frameRate.denominator
  const frames = Math.max(1, Math.round(wish.durationSeconds * rate))
  const gopFrames = Math.max(1, Math.round(2 * rate))
  const segmentFrames = 2 * gopFrames
  const segments = Math.ceil(frames / segmentFrames)
  const rungs = wish.rungs ?? smallRungs
  const audio = wish.audioStream === undefined ? null : audioOf(wish.audioStream)
  return {
    ...{ durationSeconds: wish.durationSeconds, frameRate, frames, gopFrames, segmentFrames },
    ...{ segments, audio, rungs, leftOut: [] },
    picture: {
      ...{ streamIndex: 0, isDeinterlaced: false, isToneMapped: false, inputMatrix: 'auto' },
      ...wish.picture,
    },
    parts: partsOf(wish, rungs, audio !== null, segments),
  }
}

const audioOf = (streamIndex: number): AudioPlan => ({
  ...{ streamIndex, bitrate: 128_000, sampleRate: 48_000, channels: 2 },
})

function partsOf(
  { openingSegments = 2, chunkSegments = 10 }: PlanWish,
  rungs: readonly Rung[],
  hasAudio: boolean,
  segments: number,
): Part[] {
  const early: TrackName[] = [rungs[0]?.name ?? '240p', ...(hasAudio ? (['audio'] as const) : [])]
  const all: TrackName[] = [
    ...rungs.map(({ name }) => name),
    ...(hasAudio ? ['audio' as const] : []),
  ]
  const opened = Math.min(openingSegments, segments)
  const tracks = [early.map((name) => ({ name, segments: { start: 0, end: opened } }))]
  for (let start = 0; start < segments; start += chunkSegments) {
    const end = Math.min(segments, start + chunkSegments)
    const from = (name: TrackName) => (early.includes(name) ? Math.max(start, opened) : start)
    tracks.push(
      all
        .map((name) => ({ name, segments: { start: from(name), end } }))
        .filter((track) => track.segments.start < end),
    )
  }
  return tracks.filter((one) => one.length > 0).map((one, number) => ({ number, tracks: one }))
}
