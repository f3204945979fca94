/** Plans for tests of encoding. */
import type { AudioPlan, Part, Plan, Rung, TrackName, VideoInputPlan } from '../src/plan/plan.ts'
import type { Rational } from '../src/probe/facts/rational.ts'

export type PlanOptions = {
  readonly durationSeconds: number
  readonly frameRate?: Rational
  readonly rungs?: readonly Rung[]
  readonly picture?: Partial<VideoInputPlan>
  /** Stream index of the audio. If undefined, the plan has no audio. */
  readonly audioStream?: number
  readonly openingSegments?: number
  readonly chunkSegments?: number
}

/**
 * Maximum bits per pixel, more than the rungs need: tests compare the output of several runs, and if the maximum
 * were reached, x264's rate control would not be deterministic with several threads.
 */
const BITS_PER_PIXEL_MAX = 30

export const rungOf = (name: Rung['name'], width: number, height: number): Rung => ({
  ...{ name, width, height, crf: 23, bitrateMax: width * height * BITS_PER_PIXEL_MAX },
  reason: 'Requested by a test.',
})

/** Rungs that are very small, because tests only count frames, and encoding small frames is cheap. */
const smallRungs: readonly Rung[] = [rungOf('240p', 64, 36), rungOf('360p', 128, 72)]

/** Creates a plan like those of the service: an opening with the smallest rung, then chunks of all rungs. */
export function planOf(options: PlanOptions): Plan {
  const frameRate = options.frameRate ?? { numerator: 30, denominator: 1 }
  const rate = frameRate.numerator / frameRate.denominator
  const frames = Math.max(1, Math.round(options.durationSeconds * rate))
  const gopFrames = Math.max(1, Math.round(2 * rate))
  const segmentFrames = 2 * gopFrames
  const segments = Math.ceil(frames / segmentFrames)
  const rungs = options.rungs ?? smallRungs
  const audio = options.audioStream === undefined ? null : audioOf(options.audioStream)
  return {
    ...{ durationSeconds: options.durationSeconds, frameRate, frames, gopFrames, segmentFrames },
    ...{ segments, audio, rungs, leftOut: [] },
    picture: {
      ...{ streamIndex: 0, isDeinterlaced: false, isToneMapped: false, inputMatrix: 'auto' },
      ...options.picture,
    },
    parts: partsOf(options, rungs, audio !== null, segments),
  }
}

const audioOf = (streamIndex: number): AudioPlan => ({
  ...{ streamIndex, bitrate: 128_000, sampleRate: 48_000, channels: 2 },
})

function partsOf(
  { openingSegments = 2, chunkSegments = 10 }: PlanOptions,
  rungs: readonly Rung[],
  hasAudio: boolean,
  segments: number,
): Part[] {
  const openingTracks: TrackName[] = [rungs[0]?.name ?? '240p', ...(hasAudio ? (['audio'] as const) : [])]
  const all: TrackName[] = [...rungs.map(({ name }) => name), ...(hasAudio ? ['audio' as const] : [])]
  const openingEnd = Math.min(openingSegments, segments)
  const tracks = [openingTracks.map((name) => ({ name, segments: { start: 0, end: openingEnd } }))]
  for (let start = 0; start < segments; start += chunkSegments) {
    const end = Math.min(segments, start + chunkSegments)
    const from = (name: TrackName) => (openingTracks.includes(name) ? Math.max(start, openingEnd) : start)
    tracks.push(
      all.map((name) => ({ name, segments: { start: from(name), end } })).filter((track) => track.segments.start < end),
    )
  }
  return tracks.filter((part) => part.length > 0).map((part, number) => ({ number, tracks: part }))
}
