/** How large a picture is made: like its source, smaller, with even sides. */
import type { Size } from '../probe/picture-size.ts'

/**
 * What the decoders in phones and televisions hold. With the shorter side of a rung, and 60
 * pictures a second, it also keeps every rung within H.264's level 5.2.
 */
export const SIDE_MAX = 4096

/** Colours are kept for two by two pixels, so there is no smaller picture. */
export const SIDE_MIN = 2

export const shorterSide = ({ width, height }: Size) => Math.min(width, height)
const longerSide = ({ width, height }: Size) => Math.max(width, height)

/** The source's shape with a shorter side of so many pixels, or the source's size if it is smaller than that. */
export function sizeWithin(source: Size, shorterSideMax: number): Size {
  const shorter = shorterSide(source)
  const target = Math.min(shorterSideMax, shorter, (shorter * SIDE_MAX) / longerSide(source))
  return {
    width: evenSide((source.width * target) / shorter, source.width),
    height: evenSide((source.height * target) / shorter, source.height),
  }
}

/** The nearest even number; of an odd source's own side the one below, because nothing is scaled up. */
function evenSide(length: number, sourceSide: number): number {
  const most = Math.max(SIDE_MIN, 2 * Math.floor(sourceSide / 2))
  return Math.min(most, Math.max(SIDE_MIN, 2 * Math.round(length / 2)))
}
