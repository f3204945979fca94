import { counted } from '../../terminal/amounts.ts'
import type { Style } from '../../terminal/style.ts'
import { printable } from '../../terminal/width.ts'
import type { CheckResult } from './check-result.ts'

/** If more than this many lines follow a failure, it has probably scrolled out of view. */
const LINES_AFTER_MAX = 8

const marks = {
  ok: ['green', '✓'],
  warning: ['yellow', '!'],
  failed: ['red', '✗'],
  skipped: ['dim', '–'],
} as const

export function renderResult({ name, status, detail, hint }: CheckResult, { paint }: Style): string {
  const [color, mark] = marks[status]
  const line = `${paint(color, mark)} ${paint('bold', printable(name))}  ${printable(detail)}`
  return hint === null ? line : `${line}\n    ${paint('cyan', '→')} ${printable(hint)}`
}

/** Repeats failures that may have scrolled out of view. */
export function renderSummary(results: readonly CheckResult[], style: Style): string {
  const isFailure = ({ status }: CheckResult) => status === 'failed'
  const after = results.slice(results.findIndex(isFailure)).filter((result) => !isFailure(result))
  const isFarAbove = results.some(isFailure) && after.length > LINES_AFTER_MAX
  const failures = isFarAbove ? results.filter(isFailure).map((result) => renderResult(result, style)) : []
  const again = failures.length > 0 ? ['', 'Failed checks:', ...failures, ''] : []
  return [...again, countResults(results)].join('\n')
}

function countResults(results: readonly CheckResult[]): string {
  const count = (status: CheckResult['status']) => results.filter((result) => result.status === status).length
  const skipped = count('skipped') > 0 ? `, ${count('skipped')} skipped` : ''
  return `${count('ok')} ok, ${counted(count('warning'), 'warning')}, ${count('failed')} failed${skipped}.`
}
