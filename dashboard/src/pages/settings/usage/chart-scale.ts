const STEPS = [1, 2, 5, 10]

/** The smallest round number (1, 2 or 5 times a power of ten) that is not below the value. */
export function largestTick(value: number): number {
  if (value <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  return (STEPS.find((step) => step * power >= value) ?? 10) * power
}
