/** Changes known to the callers, for comparison with the log. */
export class ChangeNotes {
  readonly #certain: string[] = []
  readonly #possible: string[] = []

  /** Each of these changes was made once. */
  made(...changes: readonly string[]): void {
    this.#certain.push(...changes)
  }

  /** The response was lost: the change may have been made. */
  maybeMade(...changes: readonly string[]): void {
    this.#possible.push(...changes)
  }

  get count(): number {
    return this.#certain.length
  }

  /** Differences between the log and the callers. */
  faults(changes: readonly string[]): string[] {
    const [told, certain] = [countsOf(changes), countsOf(this.#certain)]
    const possible = countsOf(this.#possible)
    const faults: string[] = []
    for (const change of new Set([...told.keys(), ...certain.keys()])) {
      const [times, least] = [told.get(change) ?? 0, certain.get(change) ?? 0]
      const most = least + (possible.get(change) ?? 0)
      if (times < least || times > most) {
        const wanted = least === most ? least : `${least} to ${most}`
        faults.push(`"${change}" is in the log ${times} times, expected ${wanted} times`)
      }
    }
    return faults
  }
}

function countsOf(lines: readonly string[]): Map<string, number> {
  const groups = Map.groupBy(lines, (line) => line)
  return new Map([...groups].map(([line, those]) => [line, those.length]))
}
