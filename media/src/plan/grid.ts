/** The grid of frames, keyframes and segments that all tracks share, counted from the start of the video. */
import { type Rational, toNumber } from '../probe/facts/rational.ts'
import type { Plan } from './plan.ts'

/** Keyframe interval. Short, so that players can seek and switch renditions within about a second. */
const KEYFRAME_SECONDS = 2
const GOPS_PER_SEGMENT = 2

type Grid = Pick<Plan, 'frameRate' | 'frames' | 'gopFrames' | 'segmentFrames' | 'segments'>

/** Plans frames and segments for the duration of the source, rounded to whole frames; at least one frame. */
export function planGrid(durationSeconds: number, frameRate: Rational): Grid {
  const framesPerSecond = toNumber(frameRate)
  const frames = Math.max(1, Math.round(durationSeconds * framesPerSecond))
  const gopFrames = Math.max(1, Math.round(KEYFRAME_SECONDS * framesPerSecond))
  const segmentFrames = GOPS_PER_SEGMENT * gopFrames
  return {
    frameRate,
    frames,
    gopFrames,
    segmentFrames,
    segments: Math.ceil(frames / segmentFrames),
  }
}
