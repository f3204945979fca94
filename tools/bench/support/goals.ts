/** Benchmarks with fewer rounds only show that they run; their goals are not checked. */
const ROUNDS_TO_CHECK = 3

/** A figure that does not depend on the machine: a ratio to a baseline of the same run, or an exponent of growth. */
export type Goal = { readonly name: string; readonly value: number } & (
  | { readonly min: number }
  | { readonly max: number }
)

// NaN misses a goal.
const isReached = (goal: Goal) => ('min' in goal ? goal.value >= goal.min : goal.value <= goal.max)

/** Prints each missed goal, and fails the benchmark if there is one. */
export function checkGoals(rounds: number, goals: readonly Goal[]): void {
  if (rounds < ROUNDS_TO_CHECK) return
  for (const goal of goals.filter((one) => !isReached(one))) {
    const limit = 'min' in goal ? `at least ${goal.min}` : `at most ${goal.max}`
    process.stdout.write(`Goal missed: ${goal.name} is ${goal.value.toFixed(3)}, ${limit} expected\n`)
    process.exitCode = 1
  }
}
