/** Checks the effect of a migration on callers: writes may be refused for some seconds, everything else must work. */

import {
  errorSeconds,
  type Kind,
  type LoadRecord,
  longestWriteGapSeconds,
  type RequestError,
} from '../load/load-record.ts'
import { type DrillReport, describeError } from '../support/drill-report.ts'
import type { CancelledMove } from './cancelled-move.ts'

/** Documented maximum time for which a migration refuses writes. */
const REFUSED_SECONDS_MAX = 10

type Span = readonly [number, number]

export type Move = {
  readonly to: string
  /** Start and end of the migration. */
  readonly span: Span
  /** Number of videos in processing when the organization was suspended. */
  readonly inProgress: number
}

/** Checks a migration. Runs after the load has ended, because errors that began during a migration may last longer. */
export function checkMove(report: DrillReport, record: LoadRecord, { to, span }: Move): void {
  const check = (what: string, seconds: number) =>
    report.checkTime(`to ${to}: ${what}`, `${seconds.toFixed(2)} s`, { isPassed: seconds < REFUSED_SECONDS_MAX })
  check('writes refused for', errorSeconds(record, ['write'], span))
  check('longest without an acknowledged write', longestWriteGapSeconds(record, span))
  for (const kind of ['read', 'view'] as const) {
    report.checkNone(`to ${to}: ${kind}s refused or failed`, errorsIn(record, span, kind).map(describeError))
  }
}

/** Reports a killed migration without checking its times, because most of the time passes until it is run again. */
export function noteKilledMove(report: DrillReport, record: LoadRecord, { to, span }: Move): void {
  const refused = errorSeconds(record, ['write'], span)
  const gap = longestWriteGapSeconds(record, span)
  report.note(`to ${to}: writes refused for`, `${refused.toFixed(2)} s`)
  report.note(`to ${to}: longest without an acknowledged write`, `${gap.toFixed(2)} s`)
  for (const kind of ['read', 'view'] as const) {
    report.note(`to ${to}: ${kind}s refused or failed`, errorsIn(record, span, kind).length)
  }
}

/**
 * Checks a cancelled migration. Only writes may be refused, and only after the suspension. If it was too late to
 * cancel, nothing is checked, because the next run finishes the migration.
 */
export function checkCancelledMove(
  report: DrillReport,
  record: LoadRecord,
  { after, span, wasSuspended, wasTooLate }: CancelledMove,
): void {
  const what = `cancelled after "${after}":`
  const refused = errorSeconds(record, ['write'], span)
  if (wasSuspended) report.note(`${what} writes refused for`, `${refused.toFixed(2)} s`)
  if (wasTooLate) return
  const kinds = wasSuspended ? (['read', 'view'] as const) : (['write', 'read', 'view'] as const)
  const found = kinds.flatMap((kind) => errorsIn(record, span, kind))
  report.checkNone(`${what} ${kinds.join('s, ')}s refused or failed`, found.map(describeError))
}

const errorsIn = ({ errors }: LoadRecord, [from, to]: Span, kind: Kind): RequestError[] =>
  errors.filter((one) => one.kind === kind && one.at >= from && one.at <= to)
