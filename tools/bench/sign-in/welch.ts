/** Welch's t-test: whether two lists of measurements have different means. */
export type Comparison = { readonly difference: number; readonly t: number }

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

function squaredError(values: readonly number[]): number {
  const center = mean(values)
  const variance = values.reduce((sum, value) => sum + (value - center) ** 2, 0) / (values.length - 1)
  return variance / values.length
}

export function compareMeans(one: readonly number[], other: readonly number[]): Comparison {
  const difference = mean(one) - mean(other)
  return { difference, t: difference / Math.sqrt(squaredError(one) + squaredError(other)) }
}

/** Without the lowest and highest tenth, which pauses of the machine cause. */
export function trimmed(values: readonly number[]): number[] {
  const sorted = values.toSorted((one, other) => one - other)
  const cut = Math.floor(sorted.length / 10)
  return sorted.slice(cut, sorted.length - cut)
}

export const median = (values: readonly number[]) =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN
