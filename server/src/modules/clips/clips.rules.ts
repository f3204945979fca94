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
    `The video is not processed completely (status "${status}"). Retry when its status is "Completed"; process the video again if processing failed.`,
  )
}

/**
 * Throws unless the part can be rendered. Segments under Common Encryption are encrypted with keys of their asset when
 * they are packaged, so they cannot be copied; rendered media has no file from which its segments could be cut.
 */
export function assertRenderable({ contentProtection }: Pick<Asset, 'contentProtection'>, hasFile: boolean): void {
  if (contentProtection === 'drm') {
    throw refused(
      'render_not_available',
      'A video under DRM cannot be rendered, because its segments are encrypted with keys of its own. Make a clip instead.',
    )
  }
  if (hasFile) return
  throw refused(
    'render_not_available',
    'The video is a rendered part, so it has no uploaded file from which its ends could be encoded. Render a part of the original video instead.',
  )
}

export const gridOf = ({ frameRate, segmentFrames, firstFrame = 0 }: Plan): FrameGrid => ({
  rateNumerator: frameRate.numerator,
  rateDenominator: frameRate.denominator,
  segmentFrames,
  firstFrame,
})

/** The frames of the media that the asset shows. */
export const shownFrames = ({ range }: Pick<Asset, 'range'>, plan: Plan): Frames => range ?? allFrames(plan)

/** The frames of the media that the asset shows without its trim. */
export const wholeFrames = ({ range }: Pick<Asset, 'range'>, plan: Plan): Frames =>
  range ? { startFrame: range.wholeStartFrame, endFrame: range.wholeEndFrame } : allFrames(plan)

const allFrames = ({ frames, firstFrame = 0 }: Plan): Frames => ({
  startFrame: firstFrame,
  endFrame: firstFrame + frames,
})
