/**
 * Output frame rate. It is constant even if the rate of the source is variable, so that all rungs have keyframes
 * at the same times, and every worker cuts parts at the same frames.
 */
import { type Rational, toNumber } from '../probe/facts/rational.ts'
import type { VideoFacts } from '../probe/facts/video-facts.ts'

export const FRAME_RATE_MAX = 60
const FRAME_RATE_MIN = 1

const whole = (numerator: number): Rational => ({ numerator, denominator: 1 })
const ntsc = (nominal: number): Rational => ({ numerator: nominal * 1000, denominator: 1001 })

/** Frame rate of files whose container declares none. Most of them are recordings of phones or browsers. */
const DEFAULT_RATE = whole(30)

const slowRates = [ntsc(15), whole(15), ntsc(24), whole(24), whole(25), ntsc(30), whole(30)]
const fastRates = [whole(48), whole(50), ntsc(60), whole(60)]
const standardRates = [...slowRates, ...fastRates]

/**
 * Output rates for sources with a variable frame rate: the usual rates of cameras. Below 24 fps, motion is not smooth.
 */
const variableRateTargets = [24, 25, 30, 48, 50, 60].map(whole)

/** Relative tolerance of frame rates: an average over a few seconds is off by about one frame. */
const TOLERANCE = 0.01
/**
 * If the average of a variable rate is this close to a standard rate, that rate is used. 29.97 and 30 differ by 0.1 %.
 */
const EXACT_TOLERANCE = 0.0002

export function planFrameRate(video: Pick<VideoFacts, 'frameRate' | 'isVariableFrameRate'>): Rational {
  if (!video.frameRate) return DEFAULT_RATE
  const rate = toNumber(video.frameRate)
  return video.isVariableFrameRate ? rateForVariable(rate) : rateForConstant(rate)
}

/**
 * Returns the next output rate above a variable rate, so that no frames are dropped: a repeated frame is not
 * noticeable, a dropped one is.
 */
function rateForVariable(average: number): Rational {
  const standard = nearest(standardRates, average)
  if (isClose(standard, average, EXACT_TOLERANCE)) return standard
  const target = variableRateTargets.find((rate) => toNumber(rate) >= average * (1 - TOLERANCE))
  return target ?? whole(FRAME_RATE_MAX)
}

/**
 * Returns the standard rate closest to the rate of the source. Above the maximum, every second or third frame is
 * kept, so that motion stays smooth.
 */
function rateForConstant(sourceRate: number): Rational {
  const every = Math.max(1, Math.ceil((sourceRate * (1 - TOLERANCE)) / FRAME_RATE_MAX))
  const rate = Math.min(FRAME_RATE_MAX, Math.max(FRAME_RATE_MIN, sourceRate / every))
  const standard = nearest([...standardRates, whole(Math.round(rate))], rate)
  return isClose(standard, rate, TOLERANCE) ? standard : toThousandths(rate)
}

const isClose = (rate: Rational, to: number, tolerance: number) => Math.abs(toNumber(rate) - to) <= to * tolerance

function nearest(rates: readonly Rational[], to: number): Rational {
  const distance = (rate: Rational) => Math.abs(toNumber(rate) - to)
  return rates.reduce((best, rate) => (distance(rate) < distance(best) ? rate : best))
}

/**
 * Converts a rate to a fraction: 12.5 becomes 25/2. Declared fractions may have numbers that are too large for a
 * timescale.
 */
function toThousandths(rate: number): Rational {
  const thousandths = Math.round(rate * 1000)
  const common = greatestCommonDivisor(thousandths, 1000)
  return { numerator: thousandths / common, denominator: 1000 / common }
}

const greatestCommonDivisor = (a: number, b: number): number => (b === 0 ? a : greatestCommonDivisor(b, a % b))
