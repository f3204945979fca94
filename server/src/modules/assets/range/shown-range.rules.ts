/**
 * The part of a video that a clip or a trimmed asset shows: frames of its media, of which players get whole segments.
 */
import { refused } from '../../../kernel/errors.ts'
import type { AssetId } from '../../../kernel/ids.ts'

/** Frames of the media, counted from 0; the end is exclusive. */
export type Frames = { readonly startFrame: number; readonly endFrame: number }

/** The frames of the media, which all renditions have at a constant rate. */
export type FrameGrid = {
  readonly rateNumerator: number
  readonly rateDenominator: number
  readonly segmentFrames: number
  /**
   * Number of the first frame that the media has. Not 0 if the media is a rendered part, whose first segment is cut;
   * frames are counted from the start of that segment, and times from this frame.
   */
  readonly firstFrame: number
}

export type ShownRange = Frames &
  FrameGrid & {
    /** The frames that are shown without the trim. */
    readonly wholeStartFrame: number
    readonly wholeEndFrame: number
    readonly isTrimmed: boolean
    /** The asset from which the clip was created; null if the asset is no clip. */
    readonly parentId: AssetId | null
  }

type Rate = Pick<FrameGrid, 'rateNumerator' | 'rateDenominator'>

export const secondsOf = (frames: number, { rateNumerator, rateDenominator }: Rate) =>
  (frames * rateDenominator) / rateNumerator

export const durationOf = (range: Frames & Rate) => secondsOf(range.endFrame - range.startFrame, range)

/** Duration without the trim. */
export const wholeDurationOf = (range: ShownRange) => secondsOf(range.wholeEndFrame - range.wholeStartFrame, range)

/** Seconds by which the whole starts before the part that is shown. Chapters and subtitles have times of the whole. */
export const trimmedSeconds = (range: ShownRange) => secondsOf(range.startFrame - range.wholeStartFrame, range)

/** The segments that contain the frames; `end` is exclusive. */
export const segmentsOf = ({ startFrame, endFrame, segmentFrames }: Frames & Pick<FrameGrid, 'segmentFrames'>) => ({
  start: Math.floor(startFrame / segmentFrames),
  end: Math.ceil(endFrame / segmentFrames),
})

/** The frame with which the first of the segments starts. */
const firstListedFrame = (range: Frames & FrameGrid) =>
  Math.max(range.firstFrame, segmentsOf(range).start * range.segmentFrames)

/** Seconds from the start of the first segment to the first frame. */
export const leadSeconds = (range: Frames & FrameGrid) => secondsOf(range.startFrame - firstListedFrame(range), range)

/** The part that is shown, in the times of the media. */
export const mediaSeconds = (range: Frames & FrameGrid) => ({
  startSeconds: secondsOf(range.startFrame - range.firstFrame, range),
  endSeconds: secondsOf(range.endFrame - range.firstFrame, range),
})

/** The segments that contain the part, in the times of the media, of which the last segment may end earlier. */
export const listedSeconds = (range: Frames & FrameGrid) => ({
  startSeconds: secondsOf(firstListedFrame(range) - range.firstFrame, range),
  endSeconds: secondsOf(segmentsOf(range).end * range.segmentFrames - range.firstFrame, range),
})

/** The frames that are nearest to these times of a video that shows `shown`. Throws unless they are a part of it. */
export function framesBetween(
  shown: Frames & Rate,
  { startSeconds, endSeconds }: { readonly startSeconds: number; readonly endSeconds: number },
): Frames {
  const nearest = (seconds: number) => Math.round((seconds * shown.rateNumerator) / shown.rateDenominator)
  const frames = shown.endFrame - shown.startFrame
  // A duration in milliseconds may be a little longer than the frames.
  const isToEnd = endSeconds <= Math.ceil(durationOf(shown) * 1000) / 1000
  const [start, end] = [nearest(startSeconds), isToEnd ? Math.min(frames, nearest(endSeconds)) : nearest(endSeconds)]
  if (end > frames) throw outsideVideo(shown, `\`end_seconds\` is ${endSeconds}, which is after its end.`)
  if (start >= end) throw outsideVideo(shown, '`end_seconds` must be at least one frame after `start_seconds`.')
  return { startFrame: shown.startFrame + start, endFrame: shown.startFrame + end }
}

const outsideVideo = (shown: Frames & Rate, reason: string) =>
  refused(
    'range_outside_video',
    `The video ends at ${Number(durationOf(shown).toFixed(3))} s. ${reason}`,
    'end_seconds',
  )
