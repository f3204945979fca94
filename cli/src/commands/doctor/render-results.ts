import { counted } from '../../terminal/amounts.ts'
import type { Style } from '../../terminal/style.ts'
import { printable } from '../../terminal/width.ts'
import type { CheckResult } from './check-result.ts'

/** With more lines after it, a failure has probably scrolled out of view. */
const LINES_AFTER_MAX = 8

const marks = {
  fine: ['green', '✓'],
  warning: ['yellow', '!'],
  fault: ['red', '✗'],
  skipped: ['dim', '–'],
} as const

export function renderResult({ name, state, detail, cure }: CheckResult, { paint }: Style): string {
  const [color, mark] = marks[state]
  const line = `${paint(color, mark)} ${paint('bold', printable(name))}  ${printable(detail)}`
  return cure === null ? line : `${line}\n    ${paint('cyan', '→')} ${printable(cure)}`
}

/** Repeats failures that are far above. */
export function renderSummary(results: readonly CheckResult[], style: Style): string {
  const isFailure = ({ state }: CheckResult) => state === 'fault'
  const after = results.slice(results.findIndex(isFailure)).filter((found) => !isFailure(found))
  const isFarAbove = results.some(isFailure) && after.length > LINES_AFTER_MAX
  const failures = isFarAbove
    ? results.filter(isFailure).map((found) => renderResult(found, style))
    : []
  const again = failures.length > 0 ? ['', 'Failed checks:', ...failures, ''] : []
  return [...again, countResults(results)].join('\n')
}

function countResults(results: readonly CheckResult[]): string {
  const count = (state: CheckResult['state']) =>
    results.filter((found) => found.state === state).length
  const skipped = count('skipped') > 0 ? `, ${count('skipped')} skipped` : ''
  return `${count('fine')} ok, ${counted(count('warning'), 'warning')}, ${count('fault')} failed${skipped}.`
}
