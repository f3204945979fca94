/**
 * Measures the sides alternately, and reverses their order every round, so that other load on the machine affects all
 * of them. The first round is a warm-up.
 */
export async function alternate<Side extends string, Result>(
  sides: readonly Side[],
  rounds: number,
  measure: (side: Side) => Promise<Result>,
): Promise<Record<Side, Result[]>> {
  const results = Object.fromEntries(sides.map((side) => [side, []])) as unknown as Record<Side, Result[]>
  for (let round = -1; round < rounds; round++) {
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
      const result = await measure(side)
      if (round >= 0) results[side].push(result)
    }
  }
  return results
}
