/** The results of a drill as a table, with pass or fail. */
import { printTable } from '../../bench/support/table.ts'
import { missingActivity, unansweredRequests } from '../load/load-assertions.ts'
import { errorSeconds, type LoadRecord, type RequestError } from '../load/load-record.ts'
import type { LoadResult } from '../verify/verify-load.ts'

/** `details` are printed if the check fails. */
type Outcome = { readonly isPassed: boolean; readonly details?: readonly string[] }

type Row = { readonly what: string; readonly value: string; readonly result: string }

const DETAILS_SHOWN_MAX = 10

export class DrillReport {
  readonly #rows: Row[] = []
  readonly #details: string[] = []
  readonly #checksTimes: boolean
  exitCode = 0

  /** A short run may share its machine with other programs, so it only reports times. It still checks counts. */
  constructor({ isShort = false } = {}) {
    this.#checksTimes = !isShort
  }

  /** Adds a result that is not checked. */
  note(what: string, value: string | number): void {
    this.#rows.push({ what, value: String(value), result: '' })
  }

  /** Adds a check. */
  check(what: string, value: string | number, { isPassed, details = [] }: Outcome): void {
    this.#rows.push({ what, value: String(value), result: isPassed ? 'passed' : 'FAILED' })
    if (isPassed) return
    this.exitCode = 1
    this.#details.push(...details.slice(0, DETAILS_SHOWN_MAX).map((each) => `${what}: ${each}`))
  }

  /** Checks a time; a short run only reports it. */
  checkTime(what: string, value: string, outcome: Outcome): void {
    if (this.#checksTimes) this.check(what, value, outcome)
    else this.note(what, value)
  }

  /** Checks that there are no violations. */
  checkNone(what: string, violations: readonly string[]): void {
    this.check(what, violations.length, { isPassed: violations.length === 0, details: violations })
  }

  /**
   * Adds the results of a load. Lost, duplicated, wrong and unanswered requests fail the drill, and so do too few
   * requests. The drill itself decides whether refused and failed requests are allowed.
   */
  addLoad(name: string, record: LoadRecord, result: LoadResult): void {
    const seconds = Math.round((record.endedAt - record.startedAt) / 1000)
    const { write, read, view, file, stream } = record.answeredAt
    const answered = `${write.length} writes, ${read.length} reads, ${view.length} views, ${file.length} files, ${stream.length} events`
    this.note(`${name}: answered in ${seconds} s`, answered)
    this.checkNone(`${name}: kinds of requests that were too rare`, missingActivity(record))
    const { refused, failed } = record
    this.note(`${name}: refused, failed`, `${refused.length}, ${failed.length}`)
    if (refused.length + failed.length > 0) {
      const spans = (['write', 'read', 'view'] as const).map(
        (kind) => `${kind}s ${errorSeconds(record, [kind]).toFixed(1)} s`,
      )
      this.note(`${name}: from the first error to the last`, spans.join(', '))
    }
    this.note(`${name}: stream reconnections`, record.stream.resumptions)
    const { videosCompleted, files } = result
    const videos = `${videosCompleted} of ${files} files`
    this.check(`${name}: videos completed`, videos, { isPassed: videosCompleted === files })
    this.checkNone(`${name}: requests never answered`, unansweredRequests(record, this.#checksTimes))
    this.note(`${name}: acknowledged writes, all verified`, record.acknowledged)
    this.checkNone(`${name}: acknowledged writes lost`, result.lost)
    this.checkNone(`${name}: duplicated`, result.duplicated)
    this.checkNone(`${name}: wrong`, result.wrong)
  }
  checkNoErrors(name: string, { refused, failed }: LoadRecord): void {
    this.checkNone(`${name}: refused requests`, refused.map(describeError))
    this.checkNone(`${name}: failed requests`, failed.map(describeError))
  }

  /** Prints the table; returns the exit code. */
  print(): number {
    printTable(this.#rows)
    for (const detail of this.#details) process.stdout.write(`  FAILED  ${detail}\n`)
    return this.exitCode
  }
}

export function describeError({ at, sentAt, request, status, detail }: RequestError): string {
  const time = new Date(at).toISOString().slice(11, 23)
  return `${time} ${request}: ${status ?? 'no response'} after ${at - sentAt} ms, ${detail}`
}
