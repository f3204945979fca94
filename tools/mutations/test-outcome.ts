import type { Guarantee } from './guarantee.ts'

/** The parts of vitest's JSON report that are read here. */
export type Report = {
  readonly testResults: readonly {
    /** Path of the test file. */
    readonly name: string
    readonly message?: string
    readonly assertionResults: readonly {
      readonly fullName: string
      readonly status: string
      readonly failureMessages: readonly string[] | null
    }[]
  }[]
}

export type Outcome = {
  readonly result: 'killed' | 'survived' | 'timed out' | 'not run'
  /** First line of the error message of the failed test, or the reason why there is none. */
  readonly detail: string
}

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

/** Returns a pattern for the full names of tests with this title; `%s` in the title matches any value. */
export const patternOf = (title: string) => `(^| )${title.split('%s').map(escaped).join('.*')}$`

const firstLine = (text: string) => text.split('\n')[0] ?? ''

/** Returns the outcome of the test of a guarantee. A test that reaches its time limit does not count as failed. */
export function outcomeOf({ testResults }: Report, { tests, failing }: Pick<Guarantee, 'tests' | 'failing'>): Outcome {
  const pattern = new RegExp(patternOf(failing))
  const files = testResults.filter(({ name }) => name.endsWith(`/${tests}`))
  const ran = files
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ fullName, status }) => pattern.test(fullName) && /^(passed|failed)$/.test(status))
  const failures = ran
    .filter(({ status }) => status === 'failed')
    .map(({ failureMessages }) => firstLine(failureMessages?.[0] ?? ''))
  const [failure] = failures.filter((message) => !message.includes('timed out in'))
  if (failure !== undefined) return { result: 'killed', detail: failure }
  if (failures[0] !== undefined) return { result: 'timed out', detail: failures[0] }
  if (ran.length > 0) return { result: 'survived', detail: 'the test passes' }
  const [message] = files.flatMap(({ message }) => message || [])
  return { result: 'not run', detail: firstLine(message ?? 'no test has this title') }
}
