/** What callers know of the changes they made, to be compared with what the log tells. */
export class ChangeNotes {
  readonly #certain: string[] = []
  readonly #possible: string[] = []

  /** Each of these changes was made, once. */
  made(...changes: readonly string[]): void {
    this.#certain.push(...changes)
  }

  /** The answer was lost: it may have been made. */
  maybeMade(...changes: readonly string[]): void {
    this.#possible.push(...changes)
  }

  get count(): number {
    return this.#certain.length
  }

  /** Where the log and the callers disagree. */
  faults(changes: readonly string[]): string[] {
    const [told, certain] = [countsOf(changes), countsOf(this.#certain)]
    const possible = countsOf(this.#possible)
    const faults: string[] = []
    for (const change of new Set([...told.keys(), ...certain.keys()])) {
      const [times, least] = [told.get(change) ?? 0, certain.get(change) ?? 0]
      const most = least + (possible.get(change) ?? 0)
      if (times < least || times > most) {
        const wanted = least === most ? least : `${least} to ${most}`
        faults.push(`"${change}" is in the log ${times} times, and should be ${wanted} times`)
      }
    }
    return faults
  }
}

function countsOf(lines: readonly string[]): Map<string, number> {
  const groups = Map.groupBy(lines, (line) => line)
  return new Map([...groups].map(([line, those]) => [line, those.length]))
}
