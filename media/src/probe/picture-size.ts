/** From what is stored to what is shown. */
import { type Rational, toNumber } from './rational.ts'

export type Size = { readonly width: number; readonly height: number }

/** Clockwise, as a player turns the picture. */
export type Rotation = 0 | 90 | 180 | 270

/**
 * FFmpeg tells the matrix's angle counterclockwise, in degrees that may be negative or crooked; a
 * player turns by whole quarters. What it cannot tell (a mirrored matrix may say -0 or NaN) is no
 * rotation.
 */
export function rotationOf(counterclockwiseDegrees: number | undefined): Rotation {
  if (counterclockwiseDegrees === undefined || !Number.isFinite(counterclockwiseDegrees)) return 0
  const quarters = Math.round(-counterclockwiseDegrees / 90)
  return ((((quarters % 4) + 4) % 4) * 90) as Rotation
}

/** Square pixels; beyond this a sample aspect is a fault of the file and not a picture anyone meant. */
const square: Rational = { numerator: 1, denominator: 1 }
const SAMPLE_ASPECT_MAX = 10

export function usableAspect(aspect: Rational | undefined): Rational {
  if (!aspect) return square
  const ratio = toNumber(aspect)
  return ratio <= SAMPLE_ASPECT_MAX && ratio >= 1 / SAMPLE_ASPECT_MAX ? aspect : square
}

/** The height stays, the width follows the pixels' shape, then a quarter turn swaps them. */
export function shownSize(stored: Size, aspect: Rational, rotation: Rotation): Size {
  const width = Math.max(1, Math.round(stored.width * toNumber(aspect)))
  const upright = { width, height: stored.height }
  return rotation === 90 || rotation === 270
    ? { width: upright.height, height: upright.width }
    : upright
}
