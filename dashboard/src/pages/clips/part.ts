/** The part of a video that becomes a clip, or that remains after a trim, as frames. */
import { parseTime } from '../captions/formats/cue-times.ts'
import { frameAt, frameStart, lastFrameStart } from '../studio/timeline/frames.ts'
import type { Video } from '../studio/timeline/zoom.ts'

/** The end is exclusive. */
export type Part = { readonly startFrame: number; readonly endFrame: number }
export type Edge = keyof Part

/** The number of frames of a video. */
export const frameCount = ({ rate, durationMs }: Video) => frameAt(rate, lastFrameStart(rate, durationMs)) + 1

export const wholeOf = (video: Video): Part => ({ startFrame: 0, endFrame: frameCount(video) })

/** The frames at which an edge can be while the other one stays. */
export const limitsOf = ({ startFrame, endFrame }: Part, edge: Edge, video: Video) =>
  edge === 'startFrame' ? { min: 0, max: endFrame - 1 } : { min: startFrame + 1, max: frameCount(video) }

/** Moves an edge, at most to the other one. */
export function moved(
  part: Part,
  edge: Edge,
  { frame, video }: { readonly frame: number; readonly video: Video },
): Part {
  const { min, max } = limitsOf(part, edge, video)
  return { ...part, [edge]: Math.max(min, Math.min(frame, max)) }
}

/** The part starts with this frame. If it ended before, it now lasts to the end of the video. */
export const startingWith = (part: Part, frame: number, video: Video): Part => ({
  startFrame: frame,
  endFrame: frame < part.endFrame ? part.endFrame : frameCount(video),
})

/** The part ends with this frame. If it started later, it now starts with the video. */
export const endingWith = (part: Part, frame: number): Part => ({
  startFrame: frame >= part.startFrame ? part.startFrame : 0,
  endFrame: frame + 1,
})

/** The time of an edge in milliseconds. */
export const edgeMs = (part: Part, edge: Edge, { rate, durationMs }: Video) =>
  Math.min(frameStart(rate, part[edge]), durationMs)

/** The frame to which a player seeks to show an edge: the first one or the last one of the part. */
export const shownAt = (part: Part, edge: Edge) => (edge === 'startFrame' ? part.startFrame : part.endFrame - 1)

/** The part between two times. Undefined if the video is shorter. */
export function betweenTimes(
  { startMs, endMs }: { readonly startMs: number; readonly endMs: number },
  video: Video,
): Part | undefined {
  const [startFrame, endFrame] = [
    frameAt(video.rate, startMs),
    frameAt(video.rate, lastFrameStart(video.rate, endMs)) + 1,
  ]
  return startFrame < endFrame && endFrame <= frameCount(video) ? { startFrame, endFrame } : undefined
}

/** Exact times for the API, in seconds. */
export const secondsOf = ({ startFrame, endFrame }: Part, { rate }: Video) => ({
  start_seconds: startFrame / rate,
  end_seconds: endFrame / rate,
})

export type TimeProblem = 'no-time' | 'after-end' | 'order'
type Typed = { readonly part: Part } | { readonly problem: TimeProblem }

/** The part after a time was typed for an edge. It means the nearest frame. */
export function withTyped(
  part: Part,
  edge: Edge,
  { text, video }: { readonly text: string; readonly video: Video },
): Typed {
  const ms = parseTime(text)
  if (ms === undefined) return { problem: 'no-time' }
  const frame = Math.round((ms * video.rate) / 1000)
  if (frame > frameCount(video)) return { problem: 'after-end' }
  const { min, max } = limitsOf(part, edge, video)
  return frame < min || frame > max ? { problem: 'order' } : { part: { ...part, [edge]: frame } }
}
