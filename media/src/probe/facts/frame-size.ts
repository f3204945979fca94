/** Display size of a video, computed from its stored size. */
import { type Rational, toNumber } from './rational.ts'

export type Size = { readonly width: number; readonly height: number }

/** Clockwise rotation in degrees, as players rotate the video. */
export type Rotation = 0 | 90 | 180 | 270

/**
 * FFmpeg reports the angle of the display matrix counterclockwise; it may be negative or not a multiple of 90, but
 * players rotate by quarter turns. Values that are not numbers (from mirrored matrices) mean no rotation.
 */
export function rotationOf(counterclockwiseDegrees: number | undefined): Rotation {
  if (counterclockwiseDegrees === undefined || !Number.isFinite(counterclockwiseDegrees)) return 0
  const quarters = Math.round(-counterclockwiseDegrees / 90)
  return ((((quarters % 4) + 4) % 4) * 90) as Rotation
}

/** Sample aspect ratios above 10 or below 1/10 are treated as errors of the file, and replaced by square pixels. */
const square: Rational = { numerator: 1, denominator: 1 }
const SAMPLE_ASPECT_MAX = 10

export function usableAspect(aspect: Rational | undefined): Rational {
  if (!aspect) return square
  const ratio = toNumber(aspect)
  return ratio <= SAMPLE_ASPECT_MAX && ratio >= 1 / SAMPLE_ASPECT_MAX ? aspect : square
}

/** Scales the width by the sample aspect ratio, then swaps the sides for a quarter turn. */
export function displaySize(stored: Size, aspect: Rational, rotation: Rotation): Size {
  const width = Math.max(1, Math.round(stored.width * toNumber(aspect)))
  const upright = { width, height: stored.height }
  return rotation === 90 || rotation === 270 ? { width: upright.height, height: upright.width } : upright
}
