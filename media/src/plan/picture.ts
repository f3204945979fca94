/** How the source's pictures are read. */
import type { Probe } from '../probe/probe-facts.ts'
import type { VideoFacts } from '../probe/video-facts.ts'
import { shorterSide } from './even-size.ts'
import type { PicturePlan } from './plan.ts'

export const planPicture = ({ video, audio }: Pick<Probe, 'video' | 'audio'>): PicturePlan => ({
  streamIndex: video.streamIndex,
  ...startOf(video, audio),
  isDeinterlaced: video.isInterlaced,
  isToneMapped: highTransfers.includes(video.colourTransfer ?? ''),
  inputMatrix: isTagged(video.colourSpace) ? 'auto' : guessMatrix(video),
})

/** A file begins with the first of what can be seen or heard in it. */
function startOf(video: VideoFacts, audio: Probe['audio']) {
  const starts = [video, ...audio].map(({ startSeconds }) => startSeconds)
  const startSeconds = video.startSeconds - Math.min(...starts)
  return startSeconds > 0 ? { startSeconds } : {}
}

/**
 * The transfer functions of HDR10 and HLG. A Dolby Vision stream has one of them beneath, or
 * colours that only its own decoder can read: those are shown as they are, because a picture
 * without a known transfer cannot be mapped.
 */
const highTransfers = ['smpte2084', 'arib-std-b67']

const untagged = ['', 'unknown', 'unspecified', 'reserved']
const isTagged = (colourSpace: string | undefined) => !untagged.includes(colourSpace ?? '')

/** Sizes above those of the old television were only ever made in its successor's colours. */
const OLD_TELEVISION_LONGER_SIDE_MAX = 1279
const OLD_TELEVISION_SHORTER_SIDE_MAX = 576

function guessMatrix(video: VideoFacts): 'bt709' | 'bt601' {
  const longer = Math.max(video.width, video.height)
  const isOld =
    longer <= OLD_TELEVISION_LONGER_SIDE_MAX &&
    shorterSide(video) <= OLD_TELEVISION_SHORTER_SIDE_MAX
  return isOld ? 'bt601' : 'bt709'
}
