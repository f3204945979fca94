/**
 * Checks the recorded transfers and the shown progress of an upload over an unreliable connection. Pure.
 *
 * "No byte sent more than a part twice" means: a cut costs only the parts that were in transfer, and each of them once
 * more. So a byte is sent once, and once more for each cut during the transfer of its part; nothing is sent again that
 * storage had taken or that was not cut.
 */
import type { PartTry } from './part-record.ts'

export type Judged = {
  readonly fileBytes: number
  readonly tries: readonly PartTry[]
  /**
   * The progress shown by each command, in order. The next command starts at what has arrived, which is less than what
   * was sent.
   */
  readonly shown: readonly (readonly number[])[]
  /** How often all running transfers were lost. */
  readonly breaks: number
}

/** Default of `uploads.send`. */
const PARTS_AT_ONCE = 4

export type Figures = {
  readonly parts: number
  readonly partBytes: number
  readonly sentBytes: number
  /** Bytes sent beyond the size of the file. */
  readonly againBytes: number
  readonly againBytesMax: number
  readonly partsSentAgain: number
  readonly triesOfOnePartMax: number
}

export function figuresOf({ fileBytes, tries, breaks }: Judged): Figures {
  const byPart = [...Map.groupBy(tries, ({ number }) => number).values()]
  const partBytes = Math.max(0, ...tries.map(({ bytes }) => bytes))
  const sentBytes = tries.reduce((sum, one) => sum + one.sentBytes, 0)
  return {
    parts: byPart.length,
    partBytes,
    sentBytes,
    againBytes: sentBytes - fileBytes,
    againBytesMax: breaks * PARTS_AT_ONCE * partBytes,
    partsSentAgain: byPart.filter((ofOne) => ofOne.length > 1).length,
    triesOfOnePartMax: Math.max(0, ...byPart.map((ofOne) => ofOne.length)),
  }
}

/** The violations; empty if there are none. */
export function faultsOf(judged: Judged): string[] {
  const { parts, partBytes, sentBytes, againBytes, againBytesMax } = figuresOf(judged)
  const { fileBytes, tries, shown, breaks } = judged
  const faults: string[] = []
  if (parts !== Math.ceil(fileBytes / partBytes))
    faults.push(`${parts} parts do not match the file`)
  if (againBytes > againBytesMax)
    faults.push(`${sentBytes} bytes were sent: ${againBytes} again, allowed are ${againBytesMax}`)
  if (breaks > 0 && tries.every(({ lostByCut }) => lostByCut === undefined))
    faults.push('nothing was in transfer when the connection was cut')
  faults.push(...cutFaults(tries), ...partFaults(tries))
  faults.push(...shown.flatMap(progressFaults))
  return faults
}

/** A cut may cost as many parts as are sent in parallel. */
const cutFaults = (tries: readonly PartTry[]): string[] =>
  [...Map.groupBy(tries, ({ lostByCut }) => lostByCut)]
    .filter(([cut, lost]) => cut !== undefined && lost.length > PARTS_AT_ONCE)
    .map(([cut, lost]) => `cut ${cut} cost ${lost.length} parts, allowed are ${PARTS_AT_ONCE}`)

function partFaults(tries: readonly PartTry[]): string[] {
  return [...Map.groupBy(tries, ({ number }) => number)].flatMap(([number, ofPart]) => {
    const faults: string[] = []
    const cuts = new Set(ofPart.map(({ lostByCut }) => lostByCut)).difference(NO_CUT).size
    if (ofPart.length > 1 + cuts)
      faults.push(`part ${number} was sent ${ofPart.length} times, in transfer during ${cuts} cuts`)
    const first = ofPart.findIndex(({ isTaken }) => isTaken)
    // Storage may have taken a part although the connection was cut before it could confirm it.
    if (ofPart.every(({ sentBytes, bytes }) => sentBytes < bytes))
      faults.push(`part ${number} was never sent whole`)
    if (first !== -1 && first !== ofPart.length - 1)
      faults.push(`part ${number} was sent again after storage had it`)
    return faults
  })
}

const NO_CUT: ReadonlySet<number | undefined> = new Set([undefined])

/** Fewer values prove nothing. */
const SHOWN_MIN = 4

function progressFaults(percents: readonly number[]): string[] {
  if (percents.length < SHOWN_MIN) return [`progress was shown only ${percents.length} times`]
  const back = percents.findIndex((percent, index) => percent < (percents[index - 1] ?? 0))
  return back === -1
    ? []
    : [`progress went back from ${percents[back - 1]} % to ${percents[back]} %`]
}
