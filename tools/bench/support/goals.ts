/** Minimum number of rounds for which goals are checked. Fewer rounds only show that the benchmark runs. */
export const ROUNDS_TO_CHECK = 3

/**
 * A result and its limit. The result does not depend on the machine: it is a ratio to a baseline of the same run, or an
 * exponent of growth.
 */
export type Goal = { readonly name: string; readonly value: number } & (
  | { readonly min: number }
  | { readonly max: number }
)

// NaN counts as a missed goal.
const isReached = (goal: Goal) => ('min' in goal ? goal.value >= goal.min : goal.value <= goal.max)

/** Prints each missed goal, and fails the benchmark if there is one. */
export function checkGoals(goals: readonly Goal[]): void {
  for (const goal of goals.filter((one) => !isReached(one))) {
    const limit = 'min' in goal ? `at least ${goal.min}` : `at most ${goal.max}`
    process.stdout.write(`Goal missed: ${goal.name} is ${goal.value.toFixed(3)}, ${limit} expected\n`)
    process.exitCode = 1
  }
}
