/** Rules for clips and trims. */
import type { Plan } from '@reelkeep/media'
import { refused } from '../../kernel/errors.ts'
import type { Asset, FrameGrid, Frames } from '../assets/assets.ts'

/** Times in the video that the asset shows. */
export type Times = { readonly startSeconds: number; readonly endSeconds: number }

/** Throws unless every segment can be played: a part of a video cannot grow. */
export function assertWhole({ status, isWhole }: Pick<Asset, 'status' | 'isWhole'>, plan: Plan | undefined): Plan {
  if (plan && isWhole && status === 'Completed') return plan
  throw refused(
    'clip_not_available',
    `The video is not encoded completely (status "${status}"). Retry when its status is "Completed".`,
  )
}

export const gridOf = ({ frameRate, segmentFrames }: Plan): FrameGrid => ({
  rateNumerator: frameRate.numerator,
  rateDenominator: frameRate.denominator,
  segmentFrames,
})

/** The frames of the media that the asset shows. */
export const shownFrames = ({ range }: Pick<Asset, 'range'>, plan: Plan): Frames =>
  range ?? { startFrame: 0, endFrame: plan.frames }

/** The frames of the media that the asset shows without its trim. */
export const wholeFrames = ({ range }: Pick<Asset, 'range'>, plan: Plan): Frames =>
  range
    ? { startFrame: range.wholeStartFrame, endFrame: range.wholeEndFrame }
    : { startFrame: 0, endFrame: plan.frames }
