/** The grid that all tracks lie on: pictures, keyframes and segments, counted from the beginning of the video. */
import { type Rational, toNumber } from '../probe/rational.ts'
import type { Plan } from './plan.ts'

/** So that a viewer can go to any place within a second or so, and a player change the rung there. */
const KEYFRAME_SECONDS = 2
const GOPS_PER_SEGMENT = 2

type Grid = Pick<Plan, 'frameRate' | 'frames' | 'gopFrames' | 'segmentFrames' | 'segments'>

/** As long as the source, to half a picture; and one picture at least. */
export function layGrid(durationSeconds: number, frameRate: Rational): Grid {
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
