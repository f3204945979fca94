/**
 * What callers of an organization may notice of its migrations: writes are refused for some seconds, everything else
 * works.
 */

import {
  type Kind,
  type LoadRecord,
  longestSilenceSeconds,
  type Trouble,
  troubleSeconds,
} from '../load/load-record.ts'
import { type Figures, inWords } from '../support/figures.ts'
import type { AbandonedMove } from './cancelled-move.ts'

/** The documented limit of a migration. */
const REFUSED_SECONDS_MAX = 10

type Span = readonly [number, number]

export type Move = {
  readonly to: string
  /** Its start and end. */
  readonly span: Span
  /** Number of videos in processing when the organization was suspended. */
  readonly underWay: number
}

/** Evaluated after the load, because trouble that began during a migration may last longer. */
export function judgeMove(figures: Figures, record: LoadRecord, { to, span }: Move): void {
  const judge = (what: string, seconds: number) =>
    figures.judgeTime(`to ${to}: ${what}`, `${seconds.toFixed(2)} s`, seconds < REFUSED_SECONDS_MAX)
  judge('writes refused for', troubleSeconds(record, ['write'], span))
  judge('longest without an acknowledged write', longestSilenceSeconds(record, span))
  for (const kind of ['read', 'view'] as const) {
    figures.judgeNone(`to ${to}: ${kind}s refused or failed`, met(record, span, kind).map(inWords))
  }
}

/** For a killed migration, most of the time passes until it is run again. */
export function noteKilledMove(figures: Figures, record: LoadRecord, { to, span }: Move): void {
  const refused = troubleSeconds(record, ['write'], span)
  const silent = longestSilenceSeconds(record, span)
  figures.note(`to ${to}: writes refused for`, `${refused.toFixed(2)} s`)
  figures.note(`to ${to}: longest without an acknowledged write`, `${silent.toFixed(2)} s`)
  for (const kind of ['read', 'view'] as const) {
    figures.note(`to ${to}: ${kind}s refused or failed`, met(record, span, kind).length)
  }
}

/**
 * Writes are refused from the suspension until the migration is abandoned. If that was too late, the next run finishes
 * it.
 */
export function judgeAbandoned(
  figures: Figures,
  record: LoadRecord,
  { after, span, wasHeld, wasTooLate }: AbandonedMove,
): void {
  const what = `abandoned after "${after}":`
  const refused = troubleSeconds(record, ['write'], span)
  if (wasHeld) figures.note(`${what} writes refused for`, `${refused.toFixed(2)} s`)
  if (wasTooLate) return
  const kinds = wasHeld ? (['read', 'view'] as const) : (['write', 'read', 'view'] as const)
  const those = kinds.flatMap((kind) => met(record, span, kind))
  figures.judgeNone(`${what} ${kinds.join('s, ')}s refused or failed`, those.map(inWords))
}

const met = ({ troubles }: LoadRecord, [from, to]: Span, kind: Kind): Trouble[] =>
  troubles.filter((one) => one.kind === kind && one.at >= from && one.at <= to)
