/** The slope of a measured quantity, with its noise. */

export type Sample = { readonly seconds: number; readonly value: number }

export type Slope = {
  readonly perHour: number
  /** Standard error of the slope. */
  readonly noisePerHour: number
  readonly isGrowing: boolean
}

/** Samples are averaged in blocks, because neighboring samples are not independent: memory rises until it is freed. */
const BLOCKS = 8
/** Above zero with a probability of 99.7 % at 6 degrees of freedom. */
const NOISE_MAX = 4
/** Growth during the run, as a share of the mean, that rounding and page caches can cause. */
const SHARE_MIN = 0.02

/** Fits a line to the samples. A quantity grows if its slope is significantly above zero. */
export function slopeOf(samples: readonly Sample[]): Slope {
  const blocks = blocksOf(samples)
  const meanX = mean(blocks.map(({ seconds }) => seconds))
  const meanY = mean(blocks.map(({ value }) => value))
  const spread = sum(blocks.map(({ seconds }) => (seconds - meanX) ** 2))
  if (blocks.length < 3 || spread === 0) return { perHour: 0, noisePerHour: 0, isGrowing: false }
  const slope = sum(blocks.map(({ seconds, value }) => (seconds - meanX) * (value - meanY))) / spread
  const residuals = blocks.map(({ seconds, value }) => (value - meanY - slope * (seconds - meanX)) ** 2)
  const noise = Math.sqrt(sum(residuals) / (blocks.length - 2) / spread)
  const duration = (samples.at(-1)?.seconds ?? 0) - (samples[0]?.seconds ?? 0)
  const isLarge = slope * duration > SHARE_MIN * meanY
  return { perHour: slope * 3600, noisePerHour: noise * 3600, isGrowing: isLarge && slope > NOISE_MAX * noise }
}

function blocksOf(samples: readonly Sample[]): Sample[] {
  const count = Math.min(BLOCKS, samples.length)
  return Array.from({ length: count }, (_, index) => {
    const size = samples.length / count
    const block = samples.slice(Math.round(index * size), Math.round((index + 1) * size))
    return { seconds: mean(block.map(({ seconds }) => seconds)), value: mean(block.map(({ value }) => value)) }
  })
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0)
const mean = (numbers: readonly number[]) => sum(numbers) / numbers.length
