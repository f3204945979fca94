/** The part of vitest's JSON report that is read here. */
export type JsonReport = {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly numPendingTests: number
  readonly testResults: readonly {
    /** Absolute path. */
    readonly name: string
    readonly startTime: number
    readonly endTime: number
  }[]
}

const line = (seconds: number, text: string) => `${seconds.toFixed(0).padStart(6)}  ${text}`

/**
 * Renders one line per stage, and their sum. Each line of `stages` has the second at which a stage began, a tab, and
 * its name.
 */
export function stageTable(stages: string): string {
  const begun = stages
    .trimEnd()
    .split('\n')
    .map((row) => row.split('\t'))
    .map(([second, name]) => ({ second: Number(second), name: name ?? '' }))
  const end = begun.at(-1)?.second ?? 0
  const rows = begun
    .slice(0, -1)
    .map(({ second, name }, index) => line((begun[index + 1]?.second ?? end) - second, name))
  return [...rows, line(end, 'all')].join('\n')
}

/** The files whose tests took longest, slowest first, with paths from `root`. */
export function slowestFiles(reports: readonly JsonReport[], root: string, count: number): string {
  return reports
    .flatMap(({ testResults }) => testResults)
    .map(({ name, startTime, endTime }) => ({ name, seconds: (endTime - startTime) / 1000 }))
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, count)
    .map(({ name, seconds }) => line(seconds, name.replace(root, '')))
    .join('\n')
}

/** "12 passed, 0 failed", with skipped tests if there are any. */
export function totals(reports: readonly JsonReport[]): string {
  const sum = (count: (report: JsonReport) => number) => reports.reduce((total, report) => total + count(report), 0)
  const skipped = sum(({ numPendingTests }) => numPendingTests)
  const counts = `${sum((one) => one.numPassedTests)} passed, ${sum((one) => one.numFailedTests)} failed`
  return skipped > 0 ? `${counts}, ${skipped} skipped` : counts
}
