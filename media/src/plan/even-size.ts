/** Computes the size of a rung: even sides and the aspect ratio of the source, not larger than the source. */
import type { Size } from '../probe/facts/frame-size.ts'

/**
 * Maximum length of a side for the decoders in phones and televisions. Together with the limits on the shorter
 * side and on the frame rate (60 fps), it keeps every rung within H.264 level 5.2.
 */
export const SIDE_MAX = 4096

/** Minimum length of a side, because chroma is stored for blocks of 2 × 2 pixels. */
export const SIDE_MIN = 2

export const shorterSide = ({ width, height }: Size) => Math.min(width, height)
const longerSide = ({ width, height }: Size) => Math.max(width, height)

/** Returns a size with the aspect ratio of the source and a limited shorter side, never larger than the source. */
export function sizeWithin(source: Size, shorterSideMax: number): Size {
  const shorter = shorterSide(source)
  const target = Math.min(shorterSideMax, shorter, (shorter * SIDE_MAX) / longerSide(source))
  return {
    width: evenSide((source.width * target) / shorter, source.width),
    height: evenSide((source.height * target) / shorter, source.height),
  }
}

/** Rounds to the nearest even number, but never above the source's side. */
function evenSide(length: number, sourceSide: number): number {
  const most = Math.max(SIDE_MIN, 2 * Math.floor(sourceSide / 2))
  return Math.min(most, Math.max(SIDE_MIN, 2 * Math.round(length / 2)))
}
