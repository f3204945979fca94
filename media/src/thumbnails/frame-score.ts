/**
 * Scores how much a frame shows, from 0 to 1: low for black frames, titles on a plain background, and blurred
 * frames. The score is computed from small copies, because all keyframes of a video are scored.
 */

/** Size of the small copies, with three bytes per pixel: red, green, blue. */
export const SAMPLE_WIDTH = 64
export const SAMPLE_HEIGHT = 36
export const SAMPLE_BYTES = SAMPLE_WIDTH * SAMPLE_HEIGHT * 3

const PIXELS = SAMPLE_WIDTH * SAMPLE_HEIGHT
const LEVELS = 32

export type Sample = Uint8Array

export function frameScore(sample: Sample): number {
  const luma = lumaOf(sample)
  const light = exposure(mean(luma))
  // The brightness is a factor, so that a dark frame has a low score even if it contains noise.
  return light * (0.45 * variety(luma) + 0.35 * detail(luma) + 0.2 * colorfulness(sample))
}

function lumaOf(sample: Sample): Float64Array {
  const luma = new Float64Array(PIXELS)
  for (let at = 0; at < PIXELS; at++) {
    const [red = 0, green = 0, blue = 0] = sample.subarray(at * 3, at * 3 + 3)
    luma[at] = 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  return luma
}

const mean = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0) / values.length

/** 1 for normal brightness, falling to 0 for a frame that is almost black or almost white. */
function exposure(light: number): number {
  const fromBlack = (light - 16) / 40
  const fromWhite = (245 - light) / 30
  return Math.max(0, Math.min(1, fromBlack, fromWhite))
}

/** Entropy of the brightness histogram, relative to its maximum. */
function variety(luma: Float64Array): number {
  const counts = new Array<number>(LEVELS).fill(0)
  for (const value of luma) {
    const level = Math.min(LEVELS - 1, Math.floor((value * LEVELS) / 256))
    counts[level] = (counts[level] ?? 0) + 1
  }
  const shares = counts.filter((count) => count > 0).map((count) => count / PIXELS)
  return shares.reduce((sum, share) => sum - share * Math.log2(share), 0) / Math.log2(LEVELS)
}

/** If neighboring pixels differ by this much on average, the frame counts as fully sharp. */
const SHARP_DIFFERENCE = 20

function detail(luma: Float64Array): number {
  let sum = 0
  for (let at = 0; at < PIXELS - SAMPLE_WIDTH - 1; at++) {
    const here = luma[at] ?? 0
    sum += Math.abs(here - (luma[at + 1] ?? 0)) + Math.abs(here - (luma[at + SAMPLE_WIDTH] ?? 0))
  }
  return Math.min(1, sum / (2 * PIXELS) / SHARP_DIFFERENCE)
}

const VIVID_DIFFERENCE = 80

function colorfulness(sample: Sample): number {
  let sum = 0
  for (let at = 0; at < PIXELS; at++) {
    const [red = 0, green = 0, blue = 0] = sample.subarray(at * 3, at * 3 + 3)
    sum += Math.max(red, green, blue) - Math.min(red, green, blue)
  }
  return Math.min(1, sum / PIXELS / VIVID_DIFFERENCE)
}

/** Mean difference of the bytes of two frames, from 0 to 1. */
export function difference(one: Sample, other: Sample): number {
  let sum = 0
  for (let at = 0; at < SAMPLE_BYTES; at++) sum += Math.abs((one[at] ?? 0) - (other[at] ?? 0))
  return sum / SAMPLE_BYTES / 255
}
