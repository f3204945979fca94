/**
 * Maximum bitrate of a rung.
 *
 * Quality is set by x264's constant rate factor: it spends what a scene needs and keeps no state across parts, so there
 * are no visible seams. The bitrate is only a cap for complex scenes, so that it fits the viewer's bandwidth.
 *
 * The cap follows a curve: 4.5 Mbit/s for 1920 x 1080, and less for fewer pixels, but not in
 * proportion, because a small frame has more detail per pixel. That gives 2.35 Mbit/s for 720p, 1.5
 * for 540p, 1.2 for 480p, 0.8 for 360p and 0.4 for 240p, and fits other aspect ratios as well. At
 * twice the frame rate, frames differ less from each other, so they get 1.4 times the bitrate.
 *
 * The bitrate of the source, scaled along the same curve and with headroom for complex scenes, is another cap, because
 * a source with a low bitrate has no more detail. Its average says little about single scenes (a lecture's slides are
 * static, then change at once), so this never removes more than two thirds.
 */
import type { Size } from '../probe/facts/frame-size.ts'
import type { Probe } from '../probe/facts/probe-facts.ts'
import { type Rational, toNumber } from '../probe/facts/rational.ts'
import type { RungName } from './plan.ts'

/**
 * x264 rate factors. Small rungs have lower quality, because their viewers have little bandwidth and see less detail.
 */
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

/** Minimum of the cap. A lower cap is useless even for small frames: the audio alone takes more. */
export const BITRATE_MIN = 100_000

/** Headroom of a complex scene over the average. Codecs newer than H.264 need half as many bits. */
const HEADROOM = 1.5
const modernCodecs = ['hevc', 'vp9', 'av1', 'vvc']
const MODERN_CODEC_HEADROOM = 2 * HEADROOM

/** A low bitrate of the source never reduces the bitrate cap to less than this share of it. */
const SOURCE_SHARE_MIN = 1 / 3

type SourceFacts = Pick<Probe, 'video' | 'bytes' | 'durationSeconds'>

export function capBitrate(source: SourceFacts, size: Size, frameRate: Rational): number {
  const usual = usualBitrate(size, frameRate)
  const sourceCap = Math.max(scaledSourceBitrate(source, size), usual * SOURCE_SHARE_MIN)
  const bitrate = Math.max(BITRATE_MIN, Math.min(usual, sourceCap))
  return Math.round(bitrate / 1000) * 1000
}

function usualBitrate(size: Size, frameRate: Rational): number {
  const rateScale = Math.max(1, Math.sqrt(toNumber(frameRate) / USUAL_FRAME_RATE))
  return FULL_HD_BITRATE * scaleByPixels(pixelsOf(size) / FULL_HD_PIXELS) * rateScale
}

/**
 * Bitrate of the source, scaled to this size. If the stream declares none, the bitrate of the file is used; the
 * audio is only a small part of it.
 */
function scaledSourceBitrate({ video, bytes, durationSeconds }: SourceFacts, size: Size): number {
  const bitrate = video.bitrate ?? (bytes * 8) / durationSeconds
  const headroom = modernCodecs.includes(video.codec) ? MODERN_CODEC_HEADROOM : HEADROOM
  return bitrate * headroom * scaleByPixels(pixelsOf(size) / pixelsOf(video))
}

const scaleByPixels = (share: number) => share ** PIXELS_EXPONENT
const pixelsOf = ({ width, height }: Size) => width * height
