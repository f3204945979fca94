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

const TICKS_PER_SECOND = 100

type Start = { readonly name: string; readonly seconds: number; readonly cpu: number; readonly stolen: number }

const startOf = (row: string): Start => {
  const [second = '', name = '', cpuTicks = '', stolenTicks = ''] = row.split('\t')
  const seconds = (ticks: string) => Number(ticks) / TICKS_PER_SECOND
  return { name, seconds: Number(second), cpu: seconds(cpuTicks), stolen: seconds(stolenTicks) }
}

const columns = (...cells: readonly string[]) => cells.map((cell) => cell.padStart(8)).join('')

const stageLine = (name: string, from: Start, to: Start) => {
  const spent = [to.seconds - from.seconds, to.cpu - from.cpu, to.stolen - from.stolen]
  return `${columns(...spent.map((value) => value.toFixed(0)))}  ${name}`
}

/**
 * Renders one line per stage, and their sum: elapsed time, CPU time of this machine, and CPU time that other machines
 * on the same hardware took from it. Each line of `stages` is the start of a stage, the last one the end of the run.
 */
export function stageTable(stages: string): string {
  const starts = stages.trimEnd().split('\n').map(startOf)
  const pairs = starts.slice(1).map((to, index) => [starts[index] ?? to, to] as const)
  const rows = pairs.map(([from, to]) => stageLine(from.name, from, to))
  const [first, last] = [starts[0], starts.at(-1)]
  if (!first || !last) return ''
  return [columns('elapsed', 'CPU', 'stolen'), ...rows, stageLine('all', first, last)].join('\n')
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
