/** Changes known to the callers, for comparison with the log. */
export class KnownChanges {
  readonly #certain: string[] = []
  readonly #possible: string[] = []

  /** Records changes that must be in the log once. */
  recordCertain(...changes: readonly string[]): void {
    this.#certain.push(...changes)
  }

  /** Records changes whose response was lost: the log may contain them or not. */
  recordPossible(...changes: readonly string[]): void {
    this.#possible.push(...changes)
  }

  /** Returns the differences between the changes in the log and the recorded changes. */
  violations(changes: readonly string[]): string[] {
    const [logged, certain] = [countsOf(changes), countsOf(this.#certain)]
    const possible = countsOf(this.#possible)
    const violations: string[] = []
    for (const change of new Set([...logged.keys(), ...certain.keys()])) {
      const [times, least] = [logged.get(change) ?? 0, certain.get(change) ?? 0]
      const most = least + (possible.get(change) ?? 0)
      if (times < least || times > most) {
        const wanted = least === most ? least : `${least} to ${most}`
        violations.push(`"${change}" is in the log ${times} times, expected ${wanted} times`)
      }
    }
    return violations
  }
}

function countsOf(lines: readonly string[]): Map<string, number> {
  const groups = Map.groupBy(lines, (line) => line)
  return new Map([...groups].map(([line, all]) => [line, all.length]))
}
