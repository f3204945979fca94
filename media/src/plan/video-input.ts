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

/** Start of the video, relative to the start of the file, which is that of its first video or audio stream. */
function startOf(video: VideoFacts, audio: Probe['audio']) {
  const starts = [video, ...audio].map(({ startSeconds }) => startSeconds)
  const startSeconds = video.startSeconds - Math.min(...starts)
  return startSeconds > 0 ? { startSeconds } : {}
}

/**
 * Transfer functions of HDR10 and HLG. Dolby Vision is based on one of them, or uses colors that only its own
 * decoder can read; such videos are not tone-mapped, because tone mapping requires a known transfer function.
 */
const hdrTransfers = ['smpte2084', 'arib-std-b67']

const untagged = ['', 'unknown', 'unspecified', 'reserved']
const isTagged = (colourSpace: string | undefined) => !untagged.includes(colourSpace ?? '')

/** Maximum frame size of standard definition. Larger frames always use BT.709. */
const SD_LONGER_SIDE_MAX = 1279
const SD_SHORTER_SIDE_MAX = 576

function guessMatrix(video: VideoFacts): 'bt709' | 'bt601' {
  const longer = Math.max(video.width, video.height)
  const isStandardDefinition = longer <= SD_LONGER_SIDE_MAX && shorterSide(video) <= SD_SHORTER_SIDE_MAX
  return isStandardDefinition ? 'bt601' : 'bt709'
}
