import { type Kind, type Program, programs } from './programs.ts'

export type LongSuite = {
  /** Group and name, such as `faults:uploads`. */
  readonly name: string
  /** Commands of the suite, run in this order until one fails. */
  readonly commands: readonly (readonly string[])[]
  readonly settings?: Readonly<Record<string, string>>
}

const long = (...options: readonly string[]) => [
  'node_modules/.bin/vitest',
  ...['run', '--project', 'long', ...options],
]

const tests: readonly LongSuite[] = [
  { name: 'media:films', commands: [long('media/src/', 'media/testing/', 'tests/media/', '--exclude', '**/hostile*')] },
  // The test files run one after the other, because they listen on the same addresses, to which the hostile files
  // point.
  { name: 'media:hostile', commands: [long('hostile', '--no-file-parallelism')] },
  { name: 'browser:playback', commands: [long('tests/browser/', '--exclude', 'tests/browser/frames/**')] },
  { name: 'browser:frames', commands: [long('tests/browser/frames/')] },
  {
    name: 'api:random-requests',
    commands: [long('random-requests')],
    settings: { RANDOM_REQUESTS: '20000' },
  },
  { name: 'tests:mutations', commands: [['node', 'tools/mutations/run.ts']] },
]

/** Additional runs. The second run of `move` kills the migration after each of its steps. */
const more: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'drill:move': [['--kills']],
}

const suitesOf = (kind: Kind): LongSuite[] =>
  Object.entries(programs[kind]).map(([name, { command, stack }]: [string, Program]) => {
    const runs = [[], ...(more[`${kind}:${name}`] ?? [])]
    return {
      name: `${kind}:${name}`,
      commands: runs.map((options) => [...command, ...options]),
      ...(stack && { settings: stack }),
    }
  })

/** All suites, in the order in which they run. Benchmarks are last, because they need a quiet machine. */
export const longSuites: readonly LongSuite[] = [
  ...tests,
  ...suitesOf('faults'),
  ...suitesOf('drill'),
  ...suitesOf('bench'),
]

/**
 * Selects suites by group (`faults`), name (`uploads`) or full name (`faults:uploads`). Without names, selects all
 * suites.
 */
export function selectSuites(names: readonly string[]): {
  readonly suites: readonly LongSuite[]
  readonly unknown: readonly string[]
} {
  const matches = ({ name }: LongSuite, wanted: string) => name === wanted || name.split(':').includes(wanted)
  return {
    suites: longSuites.filter((suite) => names.length === 0 || names.some((one) => matches(suite, one))),
    unknown: names.filter((one) => !longSuites.some((suite) => matches(suite, one))),
  }
}

export type SuiteResult = {
  readonly name: string
  readonly seconds: number
  readonly code: number
}

/** A Markdown table of results with a line of totals. */
export function summaryOf(results: readonly SuiteResult[]): string {
  const rows = results.map(
    ({ name, seconds, code }) => `| ${name} | ${seconds} | ${code === 0 ? 'passed' : `failed (${code})`} |`,
  )
  const failed = results.filter(({ code }) => code !== 0).length
  return [
    '| suite | seconds | result |',
    '|---|---|---|',
    ...rows,
    '',
    `${results.length - failed} passed, ${failed} failed`,
    '',
  ].join('\n')
}
