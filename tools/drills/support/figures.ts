/** The results of a drill as a table, with pass or fail. */
import { printTable } from '../../bench/support/table.ts'
import { tooLittle, unanswered } from '../load/load-assertions.ts'
import { type LoadRecord, type Trouble, troubleSeconds } from '../load/load-record.ts'
import type { LoadVerdict } from '../load/verify-load.ts'

type Row = { readonly what: string; readonly found: string; readonly verdict: string }

const DETAILS_SHOWN_MAX = 10

export class Figures {
  readonly #rows: Row[] = []
  readonly #details: string[] = []
  readonly #judgesTimes: boolean
  #hasFailed = false

  /** A short run may share its machine with others, so it only reports times. It still checks counts. */
  constructor({ isShort = false } = {}) {
    this.#judgesTimes = !isShort
  }

  /** Adds an informational result. */
  note(what: string, found: string | number): void {
    this.#rows.push({ what, found: String(found), verdict: '' })
  }

  /** Adds a check; `details` are printed if it fails. */
  judge(
    what: string,
    found: string | number,
    isFine: boolean,
    details: readonly string[] = [],
  ): void {
    this.#rows.push({ what, found: String(found), verdict: isFine ? 'fine' : 'FAULT' })
    if (isFine) return
    this.#hasFailed = true
    this.#details.push(...details.slice(0, DETAILS_SHOWN_MAX).map((line) => `${what}: ${line}`))
  }

  /** Checks a time; a short run only reports it. */
  judgeTime(what: string, found: string, isFine: boolean, details: readonly string[] = []): void {
    if (this.#judgesTimes) this.judge(what, found, isFine, details)
    else this.note(what, found)
  }

  /** Checks that the list is empty. */
  judgeNone(what: string, those: readonly string[]): void {
    this.judge(what, those.length, those.length === 0, those)
  }

  /**
   * The drill decides whether refused and failed requests are allowed; lost, duplicated, wrong and unanswered ones
   * never are, nor too few.
   */
  addLoad(name: string, record: LoadRecord, verdict: LoadVerdict): void {
    const seconds = Math.round((record.ended - record.began) / 1000)
    const { write, read, view, file, stream } = record.answeredAt
    const answered = `${write.length} writes, ${read.length} reads, ${view.length} views, ${file.length} files, ${stream.length} events`
    this.note(`${name}: answered in ${seconds} s`, answered)
    const missed = tooLittle(record)
    this.judge(
      `${name}: was in use`,
      missed.length === 0 ? 'yes' : 'no',
      missed.length === 0,
      missed,
    )
    const { refused, failed } = record
    this.note(`${name}: refused, failed`, `${refused.length}, ${failed.length}`)
    if (refused.length + failed.length > 0) {
      const spans = (['write', 'read', 'view'] as const).map(
        (kind) => `${kind}s ${troubleSeconds(record, [kind]).toFixed(1)} s`,
      )
      this.note(`${name}: from the first error to the last`, spans.join(', '))
    }
    this.note(`${name}: stream reconnections`, record.stream.resumptions)
    const { videosCompleted, files } = verdict
    const videos = `${videosCompleted} of ${files} files`
    this.judge(`${name}: videos completed`, videos, videosCompleted === files)
    this.judgeNone(`${name}: requests never answered`, unanswered(record, this.#judgesTimes))
    this.note(`${name}: acknowledged writes, all verified`, record.acknowledged)
    this.judgeNone(`${name}: acknowledged writes lost`, verdict.lost)
    this.judgeNone(`${name}: doubled`, verdict.doubled)
    this.judgeNone(`${name}: wrong`, verdict.wrong)
  }

  /** For a load that must not be disturbed. */
  judgeUntroubled(name: string, { refused, failed }: LoadRecord): void {
    this.judgeNone(`${name}: refused requests`, refused.map(inWords))
    this.judgeNone(`${name}: failed requests`, failed.map(inWords))
  }

  get exitCode(): number {
    return this.#hasFailed ? 1 : 0
  }

  /** Prints the table; returns the exit code. */
  print(): number {
    printTable(this.#rows)
    for (const line of this.#details) process.stdout.write(`  FAULT  ${line}\n`)
    return this.exitCode
  }
}

export function inWords({ at, sentAt, request, status, detail }: Trouble): string {
  const time = new Date(at).toISOString().slice(11, 23)
  return `${time} ${request}: ${status ?? 'no response'} after ${at - sentAt} ms, ${detail}`
}
