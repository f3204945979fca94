/**
 * How a part of an encoded video becomes a video of its own: the segments inside are copied, and only those that the
 * ends cut are encoded again, from the source file. Their frames are counted as in the whole video.
 */
import { audioFrameAfter, type FrameRange, secondsOf, ticksOf, videoFrames } from '../encode/arguments/frame-ranges.ts'
import type { AudioPlan, Part, PartTrack, Plan, SegmentRange, TrackName } from '../plan/plan.ts'

/** Frames of the whole video; `endFrame` is exclusive. */
export type FrameSpan = { readonly startFrame: number; readonly endFrame: number }

export type RenderPlan = {
  /** The plan of the new video. Its segments are numbered from 0. */
  readonly plan: Plan
  /** The segments of the whole video that contain the frames. */
  readonly segments: SegmentRange
  /** Those of them that are copied. */
  readonly copied: SegmentRange
  /** What is encoded at each end that is not at the border of a segment. */
  readonly edges: readonly Part[]
}

/**
 * An encoder that gets fewer frames does not reorder them, which the header of the track would announce. So they are
 * encoded together with the next segment.
 */
const EDGE_FRAMES_MIN = 3

export function renderPlan(whole: Plan, span: FrameSpan): RenderPlan {
  const { startFrame, endFrame } = span
  const { segmentFrames } = whole
  const segments = { start: Math.floor(startFrame / segmentFrames), end: Math.ceil(endFrame / segmentFrames) }
  const copied = copiedSegments(whole, span, segments)
  const isNothingCopied = copied.start >= copied.end
  const head = { start: segments.start, end: isNothingCopied ? segments.end : copied.start }
  const tail = { start: isNothingCopied ? segments.end : copied.end, end: segments.end }
  return {
    plan: planOf(whole, span, segments),
    segments,
    copied: isNothingCopied ? { start: segments.end, end: segments.end } : copied,
    edges: [head, tail]
      .filter(({ start, end }) => start < end)
      .flatMap((edge) => edgeOf(whole, span, edge))
      .map((tracks, number) => ({ number, tracks })),
  }
}

/** The segments that are not cut, and do not have to be encoded with one that is. */
function copiedSegments(whole: Plan, { startFrame, endFrame }: FrameSpan, segments: SegmentRange): SegmentRange {
  const framesIn = (segment: number) => {
    const all = videoFrames(whole, { start: segment, end: segment + 1 })
    const count = Math.min(endFrame, all.end) - Math.max(startFrame, all.start)
    return { count, isCut: count < all.end - all.start }
  }
  const encodedAt = (segment: number) => {
    const { count, isCut } = framesIn(segment)
    return isCut ? (count < EDGE_FRAMES_MIN ? 2 : 1) : 0
  }
  return { start: segments.start + encodedAt(segments.start), end: segments.end - encodedAt(segments.end - 1) }
}

function planOf(whole: Plan, { startFrame, endFrame }: FrameSpan, segments: SegmentRange): Plan {
  const frames = endFrame - startFrame
  const count = segments.end - segments.start
  const firstFrame = startFrame - segments.start * whole.segmentFrames
  const tracks = namesOf(whole).map((name) => ({ name, segments: { start: 0, end: count } }))
  const { firstFrame: _, ...rest } = whole
  return {
    ...rest,
    ...{ durationSeconds: secondsOf(frames, whole.frameRate), frames, segments: count },
    ...(firstFrame > 0 && { firstFrame }),
    parts: [{ number: 0, tracks }],
  }
}

const namesOf = ({ rungs, audio }: Plan): TrackName[] => [
  ...rungs.map(({ name }) => name),
  ...(audio ? ['audio' as const] : []),
]

/**
 * The frames of segments that are in the part. If there are several segments, each one of the audio is encoded alone:
 * in a segment that lasts only a frame, no AAC frame may start, so it gets the first one after it.
 */
function edgeOf(whole: Plan, { startFrame, endFrame }: FrameSpan, segments: SegmentRange): PartTrack[][] {
  const all = videoFrames(whole, segments)
  const frames = { start: Math.max(startFrame, all.start), end: Math.min(endFrame, all.end) }
  const video = whole.rungs.map(({ name }): PartTrack => ({ name, segments, frames }))
  const audio = whole.audio ? audioOf(whole, whole.audio, { segments, frames }) : []
  return audio.length > 1 ? [video, ...audio.map((track) => [track])] : [[...video, ...audio]]
}

type Edge = { readonly segments: SegmentRange; readonly frames: FrameRange }

/** At least one AAC frame for each segment. */
function audioOf(whole: Plan, audio: AudioPlan, { segments, frames }: Edge): PartTrack[] {
  const tracks: PartTrack[] = []
  let start = audioFrameAfter(whole, audio, frames.start)
  for (let segment = segments.start; segment < segments.end; segment++) {
    const range = { start: segment, end: segment + 1 }
    const border = Math.min(frames.end, videoFrames(whole, range).end)
    const end = Math.max(start + 1, audioFrameAfter(whole, audio, border))
    tracks.push({ name: 'audio', segments: range, frames: { start, end } })
    start = end
  }
  return tracks
}

/** Ticks of a track before a frame of the whole video. */
export function ticksBefore({ frameRate, audio }: Plan, track: TrackName, frame: number): number {
  if (track !== 'audio') return frame * ticksOf(frameRate).perFrame
  if (!audio) throw new Error('The plan has no audio')
  return Math.round((frame * frameRate.denominator * audio.sampleRate) / frameRate.numerator)
}
