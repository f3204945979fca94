/**
 * How many pictures a second are made. Always as many, whatever the source does: every rung has its
 * keyframes at the same times, and a video that is cut in pieces is cut between the same two
 * pictures by everybody.
 */
import { type Rational, toNumber } from '../probe/rational.ts'
import type { VideoFacts } from '../probe/video-facts.ts'

export const FRAME_RATE_MAX = 60
const FRAME_RATE_MIN = 1

const whole = (numerator: number): Rational => ({ numerator, denominator: 1 })
const ntsc = (nominal: number): Rational => ({ numerator: nominal * 1000, denominator: 1001 })

/** Where the container does not tell: most of what has no rate was recorded by a phone or a browser. */
const USUAL_RATE = whole(30)

const slowRates = [ntsc(15), whole(15), ntsc(24), whole(24), whole(25), ntsc(30), whole(30)]
const fastRates = [whole(48), whole(50), ntsc(60), whole(60)]
const standardRates = [...slowRates, ...fastRates]

/**
 * Of pictures that come when they come: whole rates, as such cameras mean them. Below the first,
 * motion is not fluent where it is quick.
 */
const unevenRates = [24, 25, 30, 48, 50, 60].map(whole)

/** An average over a few seconds is off by about a picture. */
const CLOSE = 0.01
/** 29.97 and 30 are 0.1 % apart: uneven times whose average is this close were meant to be even. */
const VERY_CLOSE = 0.0002

export function planFrameRate(
  video: Pick<VideoFacts, 'frameRate' | 'isVariableFrameRate'>,
): Rational {
  if (!video.frameRate) return USUAL_RATE
  const rate = toNumber(video.frameRate)
  return video.isVariableFrameRate ? rateAbove(rate) : rateNear(rate)
}

/**
 * The next rate up, so that as few pictures as possible are lost: a picture shown twice is not
 * seen, one left out is.
 */
function rateAbove(average: number): Rational {
  const meant = nearest(standardRates, average)
  if (isClose(meant, average, VERY_CLOSE)) return meant
  const enough = unevenRates.find((rate) => toNumber(rate) >= average * (1 - CLOSE))
  return enough ?? whole(FRAME_RATE_MAX)
}

/**
 * The source's own rate in its usual form; of too fast a one every second picture, or every third,
 * so that motion stays even.
 */
function rateNear(sourceRate: number): Rational {
  const every = Math.max(1, Math.ceil((sourceRate * (1 - CLOSE)) / FRAME_RATE_MAX))
  const rate = Math.min(FRAME_RATE_MAX, Math.max(FRAME_RATE_MIN, sourceRate / every))
  const usual = nearest([...standardRates, whole(Math.round(rate))], rate)
  return isClose(usual, rate, CLOSE) ? usual : inThousandths(rate)
}

const isClose = (rate: Rational, to: number, tolerance: number) =>
  Math.abs(toNumber(rate) - to) <= to * tolerance

function nearest(rates: readonly Rational[], to: number): Rational {
  const distance = (rate: Rational) => Math.abs(toNumber(rate) - to)
  return rates.reduce((best, rate) => (distance(rate) < distance(best) ? rate : best))
}

/** 12.5 is 25/2. What a file writes may be a fraction of numbers that no timescale can hold. */
function inThousandths(rate: number): Rational {
  const thousandths = Math.round(rate * 1000)
  const common = greatestCommonDivisor(thousandths, 1000)
  return { numerator: thousandths / common, denominator: 1000 / common }
}

const greatestCommonDivisor = (a: number, b: number): number =>
  b === 0 ? a : greatestCommonDivisor(b, a % b)
