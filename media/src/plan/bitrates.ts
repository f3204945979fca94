/**
 * How many bits a rung may take.
 *
 * Quality is x264's constant rate factor: it spends what a scene needs, has no memory across the
 * parts that a video is cut into, and so leaves no seam. The bitrate is only the cap on what a
 * restless scene may take, so that a viewer's line holds.
 *
 * The cap follows a curve: 4.5 Mbit/s for 1920 x 1080, and less for fewer pixels, but not in
 * proportion, because a small picture has more detail in each of them. That gives 2.35 Mbit/s for
 * 720p, 1.5 for 540p, 1.2 for 480p, 0.8 for 360p and 0.4 for 240p, and the right figures for what
 * is not 16:9. Twice the pictures differ less from each other, so they take 1.4 times the bits.
 *
 * A source that was made with few bits has nothing to spend more on. Its bitrate, scaled along the
 * same curve and with room for a busy scene, is a cap as well; yet its average says little of its
 * moments (a lecture's slides stand still, then change at once), so this never takes more than two
 * thirds away.
 */
import type { Size } from '../probe/picture-size.ts'
import type { Probe } from '../probe/probe-facts.ts'
import { type Rational, toNumber } from '../probe/rational.ts'
import type { RungName } from './plan.ts'

/** A viewer of a small picture has little bandwidth, and sees less. */
export const rateFactors: Readonly<Record<RungName, number>> = {
  '240p': 25,
  '360p': 24,
  '480p': 23,
  '540p': 23,
  '720p': 23,
  '1080p': 23,
}

const FULL_HD_BITRATE = 4_500_000
const FULL_HD_PIXELS = 1920 * 1080
const PIXELS_EXPONENT = 0.8
const USUAL_FRAME_RATE = 30

/** Less is of no use to anybody, however small the picture: the sound alone takes more. */
export const BITRATE_MIN = 100_000

/** Of a busy scene over the average; codecs that came after H.264 need half of its bits. */
const ROOM = 1.5
const laterCodecs = ['hevc', 'vp9', 'av1', 'vvc']
const LATER_CODEC_ROOM = 2 * ROOM

/** What is left at the least by a source's own bitrate. */
const SOURCE_SHARE_MIN = 1 / 3

type SourceFacts = Pick<Probe, 'video' | 'bytes' | 'durationSeconds'>

export function capBitrate(source: SourceFacts, size: Size, frameRate: Rational): number {
  const usual = usualBitrate(size, frameRate)
  const enough = Math.max(bitrateOfSource(source, size), usual * SOURCE_SHARE_MIN)
  const bitrate = Math.max(BITRATE_MIN, Math.min(usual, enough))
  return Math.round(bitrate / 1000) * 1000
}

function usualBitrate(size: Size, frameRate: Rational): number {
  const swiftness = Math.max(1, Math.sqrt(toNumber(frameRate) / USUAL_FRAME_RATE))
  return FULL_HD_BITRATE * alongCurve(pixelsOf(size) / FULL_HD_PIXELS) * swiftness
}

/**
 * What the source would take at this size. Where it does not tell, the file as a whole does: its
 * sound takes little.
 */
function bitrateOfSource({ video, bytes, durationSeconds }: SourceFacts, size: Size): number {
  const bitrate = video.bitrate ?? (bytes * 8) / durationSeconds
  const room = laterCodecs.includes(video.codec) ? LATER_CODEC_ROOM : ROOM
  return bitrate * room * alongCurve(pixelsOf(size) / pixelsOf(video))
}

const alongCurve = (share: number) => share ** PIXELS_EXPONENT
const pixelsOf = ({ width, height }: Size) => width * height
