/** Plans how the source's video is read. */
import type { Probe } from '../probe/facts/probe-facts.ts'
import type { VideoFacts } from '../probe/facts/video-facts.ts'
import { shorterSide } from './even-size.ts'
import type { VideoInputPlan } from './plan.ts'

export const planVideoInput = ({ video, audio }: Pick<Probe, 'video' | 'audio'>): VideoInputPlan => ({
  streamIndex: video.streamIndex,
  ...startOf(video, audio),
  isDeinterlaced: video.isInterlaced,
  isToneMapped: hdrTransfers.includes(video.colourTransfer ?? ''),
  inputMatrix: isTagged(video.colourSpace) ? 'auto' : guessMatrix(video),
})

/** A file starts with the first of its video and audio streams. */
function startOf(video: VideoFacts, audio: Probe['audio']) {
  const starts = [video, ...audio].map(({ startSeconds }) => startSeconds)
  const startSeconds = video.startSeconds - Math.min(...starts)
  return startSeconds > 0 ? { startSeconds } : {}
}

/**
 * Transfer functions of HDR10 and HLG. Dolby Vision is based on one of them, or uses colors that
 * only its own decoder can read; those are not tone-mapped, because that requires a known transfer
 * function.
 */
const hdrTransfers = ['smpte2084', 'arib-std-b67']

const untagged = ['', 'unknown', 'unspecified', 'reserved']
const isTagged = (colourSpace: string | undefined) => !untagged.includes(colourSpace ?? '')

/** Larger frames than standard definition always use BT.709. */
const SD_LONGER_SIDE_MAX = 1279
const SD_SHORTER_SIDE_MAX = 576

function guessMatrix(video: VideoFacts): 'bt709' | 'bt601' {
  const longer = Math.max(video.width, video.height)
  const isStandardDefinition = longer <= SD_LONGER_SIDE_MAX && shorterSide(video) <= SD_SHORTER_SIDE_MAX
  return isStandardDefinition ? 'bt601' : 'bt709'
}
