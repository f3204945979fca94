/** Proposes starts of chapters, and what to cut off at the ends of a video. Pure. */
import type { Plan } from '../plan/plan.ts'
import { type Pause, pausesOf } from './pauses.ts'

export type Proposal = {
  readonly startSeconds: number
  readonly kind: 'scene' | 'pause'
  /** Duration of the pause before it; null for scenes. */
  readonly pauseSeconds: number | null
}

export type Proposals = {
  /** In order. */
  readonly starts: readonly Proposal[]
  /** The video without silence at its beginning and end; null if there is none. */
  readonly trim: { readonly startSeconds: number; readonly endSeconds: number } | null
}

/** A shorter silence is a breath. */
const PAUSE_SECONDS_MIN = 1
/** The longest pauses are proposed. */
const PAUSES_MAX = 100
/** A chapter starts this much before the sound starts again. */
const LEAD_SECONDS = 0.12
/** Avoids that the error of a floating-point division counts as a frame. */
const EPSILON = 1e-6

type Found = {
  /** Null for a video without audio, and if its peaks are not known. */
  readonly peaks: Uint8Array | null
  /** Numbers of the first frames of scenes. */
  readonly scenes: readonly number[]
}

export function proposalsOf(plan: Pick<Plan, 'frameRate' | 'durationSeconds'>, { peaks, scenes }: Found): Proposals {
  const end = plan.durationSeconds
  const pauses = peaks ? pausesOf(peaks, PAUSE_SECONDS_MIN) : []
  const startAfter = ({ startSeconds, endSeconds }: Pause) =>
    atFrame(plan, Math.max(startSeconds, endSeconds - LEAD_SECONDS))
  const inside = pauses.filter(({ endSeconds }) => endSeconds < end - PAUSE_SECONDS_MIN)
  const longest = inside.toSorted((one, other) => lengthOf(other) - lengthOf(one)).slice(0, PAUSES_MAX)
  const starts = [
    ...longest.map((pause) => ({
      startSeconds: startAfter(pause),
      kind: 'pause' as const,
      pauseSeconds: lengthOf(pause),
    })),
    ...scenes.map((frame) => ({ startSeconds: startOf(plan, frame), kind: 'scene' as const, pauseSeconds: null })),
  ]
  const [first, last] = [pauses[0], pauses.at(-1)]
  const from = first?.startSeconds === 0 ? startAfter(first) : 0
  const to = last && last.endSeconds >= end - EPSILON ? Math.min(end, last.startSeconds + LEAD_SECONDS) : end
  return {
    starts: starts.toSorted((one, other) => one.startSeconds - other.startSeconds),
    trim:
      (from > 0 || to < end) && from < to
        ? { startSeconds: from, endSeconds: to < end ? atFrame(plan, to) : end }
        : null,
  }
}

const lengthOf = ({ startSeconds, endSeconds }: Pause) => Math.round((endSeconds - startSeconds) * 1000) / 1000

type Rate = Pick<Plan, 'frameRate'>

/** When a frame starts, rounded up to milliseconds, so that the time is not in the frame before. */
const startOf = ({ frameRate: { numerator, denominator } }: Rate, frame: number) =>
  Math.ceil((frame * 1000 * denominator) / numerator - EPSILON) / 1000

/** When the frame starts that is shown at a time. */
const atFrame = (plan: Rate, seconds: number) =>
  startOf(plan, Math.floor((seconds * plan.frameRate.numerator) / plan.frameRate.denominator + EPSILON))
