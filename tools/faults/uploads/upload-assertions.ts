/**
 * Checks the recorded transfers and the displayed progress of an upload over an unreliable connection. Pure.
 *
 * Each part is sent once, and once more for each cut during its transfer. A part that storage has stored, or whose
 * transfer was not cut, must not be sent again.
 */
import type { PartAttempt } from './part-record.ts'

export type TransferRecord = {
  readonly fileBytes: number
  readonly attempts: readonly PartAttempt[]
  /**
   * The percentages displayed by each command, in order. They may be lower at the start of the next command, because
   * not everything that was sent has arrived.
   */
  readonly progress: readonly (readonly number[])[]
  /** Number of cuts, each of which interrupts all running transfers. */
  readonly cuts: number
}

/** Default number of parallel parts in `uploads.send`. */
const PARALLEL_PARTS = 4

export type Statistics = {
  readonly parts: number
  readonly partBytes: number
  readonly sentBytes: number
  /** Bytes sent beyond the size of the file. */
  readonly repeatedBytes: number
  readonly repeatedBytesMax: number
  readonly repeatedParts: number
  readonly attemptsPerPartMax: number
}

export function statisticsOf({ fileBytes, attempts, cuts }: TransferRecord): Statistics {
  const byPart = [...Map.groupBy(attempts, ({ number }) => number).values()]
  const partBytes = Math.max(0, ...attempts.map(({ bytes }) => bytes))
  const sentBytes = attempts.reduce((sum, one) => sum + one.sentBytes, 0)
  return {
    parts: byPart.length,
    partBytes,
    sentBytes,
    repeatedBytes: sentBytes - fileBytes,
    repeatedBytesMax: cuts * PARALLEL_PARTS * partBytes,
    repeatedParts: byPart.filter((ofPart) => ofPart.length > 1).length,
    attemptsPerPartMax: Math.max(0, ...byPart.map((ofPart) => ofPart.length)),
  }
}

/** The violations; empty if there are none. */
export function violationsOf(record: TransferRecord): string[] {
  const { parts, partBytes, sentBytes, repeatedBytes, repeatedBytesMax } = statisticsOf(record)
  const { fileBytes, attempts, progress, cuts } = record
  const violations: string[] = []
  if (parts !== Math.ceil(fileBytes / partBytes)) violations.push(`${parts} parts do not match the file`)
  if (repeatedBytes > repeatedBytesMax)
    violations.push(`${sentBytes} bytes were sent: ${repeatedBytes} again, allowed are ${repeatedBytesMax}`)
  if (cuts > 0 && attempts.every(({ lostByCut }) => lostByCut === undefined))
    violations.push('nothing was in transfer when the connection was cut')
  violations.push(...cutViolations(attempts), ...partViolations(attempts))
  violations.push(...progress.flatMap(progressViolations))
  return violations
}

/** A cut may interrupt at most as many parts as are sent in parallel. */
const cutViolations = (attempts: readonly PartAttempt[]): string[] =>
  [...Map.groupBy(attempts, ({ lostByCut }) => lostByCut)]
    .filter(([cut, lost]) => cut !== undefined && lost.length > PARALLEL_PARTS)
    .map(([cut, lost]) => `cut ${cut} cost ${lost.length} parts, allowed are ${PARALLEL_PARTS}`)

function partViolations(attempts: readonly PartAttempt[]): string[] {
  return [...Map.groupBy(attempts, ({ number }) => number)].flatMap(([number, ofPart]) => {
    const violations: string[] = []
    const cuts = new Set(ofPart.map(({ lostByCut }) => lostByCut)).difference(NO_CUT).size
    if (ofPart.length > 1 + cuts)
      violations.push(`part ${number} was sent ${ofPart.length} times, in transfer during ${cuts} cuts`)
    const first = ofPart.findIndex(({ isStored }) => isStored)
    // Storage may have stored a part although the connection was cut before it could confirm it.
    if (ofPart.every(({ sentBytes, bytes }) => sentBytes < bytes))
      violations.push(`part ${number} was never sent whole`)
    if (first !== -1 && first !== ofPart.length - 1)
      violations.push(`part ${number} was sent again after storage had it`)
    return violations
  })
}

const NO_CUT: ReadonlySet<number | undefined> = new Set([undefined])

/** Minimum number of displayed percentages; with fewer, the check would prove nothing. */
const PROGRESS_VALUES_MIN = 4

function progressViolations(percents: readonly number[]): string[] {
  if (percents.length < PROGRESS_VALUES_MIN) return [`progress was displayed only ${percents.length} times`]
  const back = percents.findIndex((percent, index) => percent < (percents[index - 1] ?? 0))
  return back === -1 ? [] : [`progress went back from ${percents[back - 1]} % to ${percents[back]} %`]
}
