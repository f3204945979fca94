import { counted } from '../../terminal/amounts.ts'
import type { Look } from '../../terminal/look.ts'
import { printable } from '../../terminal/width.ts'
import type { Finding } from './finding.ts'

/** So many lines behind a fault, and it has been scrolled out of sight, or out of mind. */
const LINES_BEHIND_MAX = 8

const marks = {
  fine: ['green', '✓'],
  warning: ['yellow', '!'],
  fault: ['red', '✗'],
  skipped: ['dim', '–'],
} as const

export function drawFinding({ name, state, detail, cure }: Finding, { paint }: Look): string {
  const [colour, mark] = marks[state]
  const line = `${paint(colour, mark)} ${paint('bold', printable(name))}  ${printable(detail)}`
  return cure === null ? line : `${line}\n    ${paint('cyan', '→')} ${printable(cure)}`
}

/** Faults that stand far above are told once more. */
export function drawSum(findings: readonly Finding[], look: Look): string {
  const isFault = ({ state }: Finding) => state === 'fault'
  const behind = findings.slice(findings.findIndex(isFault)).filter((found) => !isFault(found))
  const isFar = findings.some(isFault) && behind.length > LINES_BEHIND_MAX
  const faults = isFar ? findings.filter(isFault).map((found) => drawFinding(found, look)) : []
  const again = faults.length > 0 ? ['', 'The faults once more:', ...faults, ''] : []
  return [...again, sumOf(findings)].join('\n')
}

function sumOf(findings: readonly Finding[]): string {
  const count = (state: Finding['state']) =>
    findings.filter((found) => found.state === state).length
  const skipped = count('skipped') > 0 ? `, ${count('skipped')} not looked at` : ''
  return `${count('fine')} fine, ${counted(count('warning'), 'warning')}, ${counted(count('fault'), 'fault')}${skipped}.`
}
